#include "fake_supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE_SECONDS = 20 };

static void give_up(const char *what)
{
    printf("fake supervisor: %s failed: %s\n0 passed, 1 failed\n", what, strerror(errno));
    fflush(stdout);
    _exit(2);
}

static int must(int result, const char *what)
{
    if (result < 0)
        give_up(what);
    return result;
}

bool fake_matches(const char *pattern, const char *text)
{
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            do {
                if (fake_matches(pattern + 1, text))
                    return true;
            } while (*text++);
            return false;
        }
        if (*pattern != *text)
            return false;
    }
    return !*text;
}

// ---- what it does with a line, with the mutex held ----------------------------------------------

static void fail(struct fake *fake, const char *line, const char *expected)
{
    if (!fake->failure[0])
        snprintf(fake->failure, sizeof fake->failure, "came \"%.400s\", expected \"%.400s\"", line, expected);
}

static void log_line(struct fake *fake, const char *line)
{
    int length = snprintf(fake->log + fake->log_length, sizeof fake->log - fake->log_length, "%s\n", line);
    fake->lines++;
    fake->log_length += (size_t)length;
    // A test that hammers needs only to know that its lines came.
    if (fake->log_length > sizeof fake->log / 2)
        fake->log_length = 0;
    pthread_cond_broadcast(&fake->changed);
}

static void find_id(const char *line, char *id, size_t size)
{
    const char *found = strstr(line, " id=");
    size_t length = 0;
    if (found) {
        found += 4;
        length = strcspn(found, " ");
        if (length >= size)
            length = size - 1;
        memcpy(id, found, length);
    }
    id[length] = '\0';
}

static void send_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return;
        bytes += sent;
        length -= (size_t)sent;
    }
}

// In one send: what a test's answer holds together comes together.
static void answer(int fd, const char *text, const char *id)
{
    static char filled[1 << 18];
    const char *mark;
    size_t length = 0;
    while ((mark = strstr(text, "$ID")) != NULL) {
        length += (size_t)snprintf(filled + length, sizeof filled - length, "%.*s%s", (int)(mark - text), text, id);
        text = mark + 3;
    }
    length += (size_t)snprintf(filled + length, sizeof filled - length, "%s", text);
    if (length >= sizeof filled)
        give_up("an answer of a reasonable length");
    send_all(fd, filled, length);
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

// Answers what is well-formed; anything else means that two lines ran into each other.
static void answer_by_itself(struct fake *fake, int fd, const char *line, const char *id)
{
    char reply[128] = "";
    char tag[80] = "";
    if (id[0])
        snprintf(tag, sizeof tag, " id=%s", id);
    if (fake_matches("begin id=b*.* name=*", line))
        snprintf(reply, sizeof reply, "ok%s task=%lu remaining=inf\n", tag, ++fake->tasks);
    else if (fake_matches("remaining id=r*.*", line) && !strpbrk(line + 13, " =\""))
        snprintf(reply, sizeof reply, "ok%s seconds=12.500\n", tag);
    else if (fake_matches("hello id=r*.* version=1 client=*", line))
        snprintf(reply, sizeof reply, "ok%s version=1 app=fake state=active\n", tag);
    else if (!strncmp(line, "end task=", 9) && is_number(line + 9))
        snprintf(reply, sizeof reply, "ok\n");
    else if (fake_matches("end id=r*.* task=*", line) && is_number(strrchr(line, '=') + 1))
        snprintf(reply, sizeof reply, "ok%s\n", tag);
    else if (strncmp(line, "ack seq=", 8) || !is_number(line + 8))
        fail(fake, line, "a request");
    send_all(fd, reply, strlen(reply));
}

static void take_line(struct fake *fake, struct fake_connection *connection, const char *line)
{
    char id[64];
    find_id(line, id, sizeof id);
    if (id[0])
        memcpy(fake->last_id, id, sizeof id);
    if (!fake->steps) {
        answer_by_itself(fake, connection->fd, line, id);
    } else if (fake->next_step == fake->step_count) {
        fail(fake, line, "nothing more");
    } else {
        const struct fake_step *step = &fake->steps[fake->next_step++];
        if (!fake_matches(step->expected, line))
            fail(fake, line, step->expected);
        if (step->answer)
            answer(connection->fd, step->answer, id);
        if (step->action == FAKE_CLOSE) {
            close(connection->fd);
            connection->fd = -1;
        }
    }
    log_line(fake, line);
}

// ---- the thread ---------------------------------------------------------------------------------

static void take_lines(struct fake *fake, struct fake_connection *connection)
{
    char *start = connection->input, *feed;
    size_t left = connection->length;
    while (connection->fd >= 0 && (feed = (char *)memchr(start, '\n', left)) != NULL) {
        *feed = '\0';
        take_line(fake, connection, start);
        left -= (size_t)(feed + 1 - start);
        start = feed + 1;
    }
    memmove(connection->input, start, left);
    connection->length = left;
}

static void serve(struct fake *fake, struct fake_connection *connection)
{
    ssize_t count = recv(connection->fd, connection->input + connection->length,
        sizeof connection->input - connection->length, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) {
        if (connection->length > 0)
            fail(fake, "half a line", "whole lines");
        close(connection->fd);
        connection->fd = -1;
        return;
    }
    connection->length += (size_t)count;
    take_lines(fake, connection);
}

static void add_connection(struct fake *fake, int fd, pid_t pid)
{
    struct fake_connection *connection = &fake->connections[fake->connection_count++];
    connection->fd = fd;
    connection->pid = pid;
    connection->length = 0;
    pthread_cond_broadcast(&fake->changed);
}

static void accept_connection(struct fake *fake)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    int fd = accept4(fake->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0 || fake->connection_count == FAKE_CONNECTIONS)
        give_up("accept");
    must(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size), "SO_PEERCRED");
    add_connection(fake, fd, peer.pid);
}

static size_t watch(struct fake *fake, struct pollfd *items)
{
    size_t index;
    items[0].fd = fake->wake[0];
    items[1].fd = fake->listener;
    for (index = 0; index < fake->connection_count; index++)
        items[2 + index].fd = fake->connections[index].fd;
    for (index = 0; index < 2 + fake->connection_count; index++) {
        items[index].events = POLLIN;
        items[index].revents = 0;
    }
    return 2 + fake->connection_count;
}

static void *run(void *context)
{
    struct fake *fake = (struct fake *)context;
    struct pollfd items[2 + FAKE_CONNECTIONS];
    for (;;) {
        size_t index, count;
        pthread_mutex_lock(&fake->mutex);
        count = watch(fake, items);
        pthread_mutex_unlock(&fake->mutex);
        if (poll(items, count, -1) < 0)
            continue;
        if (items[0].revents)
            return NULL;
        pthread_mutex_lock(&fake->mutex);
        if (items[1].revents)
            accept_connection(fake);
        for (index = 0; index + 2 < count; index++)
            if (items[2 + index].revents && fake->connections[index].fd >= 0)
                serve(fake, &fake->connections[index]);
        pthread_mutex_unlock(&fake->mutex);
    }
}

// ---- starting and ending ------------------------------------------------------------------------

static void prepare(struct fake *fake, const struct fake_step *steps, size_t count)
{
    memset(fake, 0, sizeof *fake);
    pthread_mutex_init(&fake->mutex, NULL);
    pthread_cond_init(&fake->changed, NULL);
    fake->listener = -1;
    fake->clients_end = -1;
    fake->steps = steps;
    fake->step_count = count;
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fake->wake), "socketpair");
    unsetenv("CURFEW_FD");
    unsetenv("CURFEW_SOCKET");
}

// The thread takes no signals: they are for the client under test.
static void start(struct fake *fake)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&fake->thread, NULL, run, fake))
        give_up("pthread_create");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void fake_start_pipe(struct fake *fake, const struct fake_step *steps, size_t count)
{
    char number[16];
    int ends[2];
    prepare(fake, steps, count);
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
    fake->clients_end = ends[1];
    add_connection(fake, ends[0], 0);
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("CURFEW_FD", number, 1);
    start(fake);
}

void fake_start_socket(struct fake *fake, const struct fake_step *steps, size_t count, const char *directory)
{
    struct sockaddr_un address;
    prepare(fake, steps, count);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (snprintf(fake->path, sizeof fake->path, "%s/fake.sock", directory) >= (int)sizeof fake->path)
        give_up("a short enough path");
    memcpy(address.sun_path, fake->path, sizeof fake->path);
    fake->listener = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    must(bind(fake->listener, (struct sockaddr *)&address, sizeof address), "bind");
    must(listen(fake->listener, 16), "listen");
    setenv("CURFEW_SOCKET", fake->path, 1);
    start(fake);
}

bool fake_finish(struct fake *fake)
{
    size_t index;
    bool is_good;
    close(fake->wake[1]);
    pthread_join(fake->thread, NULL);
    close(fake->wake[0]);
    for (index = 0; index < fake->connection_count; index++)
        if (fake->connections[index].fd >= 0)
            close(fake->connections[index].fd);
    if (fake->listener >= 0)
        close(fake->listener);
    if (fake->clients_end >= 0)
        close(fake->clients_end);
    if (fake->path[0])
        unlink(fake->path);
    unsetenv("CURFEW_FD");
    unsetenv("CURFEW_SOCKET");
    pthread_mutex_destroy(&fake->mutex);
    pthread_cond_destroy(&fake->changed);
    is_good = !fake->failure[0] && fake->next_step == fake->step_count;
    if (!is_good)
        printf("fake supervisor: %s; %zu of %zu steps done; came:\n%.*s", fake->failure, fake->next_step,
            fake->step_count, (int)(fake->log_length < 4000 ? fake->log_length : 4000), fake->log);
    return is_good;
}

// ---- driving it ---------------------------------------------------------------------------------

void fake_push(struct fake *fake, size_t connection, const char *bytes, size_t length)
{
    int fd;
    pthread_mutex_lock(&fake->mutex);
    fd = fake->connections[connection].fd;
    pthread_mutex_unlock(&fake->mutex);
    send_all(fd, bytes, length);
}

void fake_push_text(struct fake *fake, const char *text)
{
    fake_push(fake, 0, text, strlen(text));
}

void fake_hang_up(struct fake *fake, size_t connection)
{
    pthread_mutex_lock(&fake->mutex);
    // The thread may be polling it, so it is ended here and closed there.
    if (fake->connections[connection].fd >= 0)
        shutdown(fake->connections[connection].fd, SHUT_RDWR);
    pthread_mutex_unlock(&fake->mutex);
}

// With the mutex held.
static bool await_count(struct fake *fake, const size_t *count, size_t wanted)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += DEADLINE_SECONDS;
    while (*count < wanted)
        if (pthread_cond_timedwait(&fake->changed, &fake->mutex, &end) == ETIMEDOUT)
            break;
    return *count >= wanted;
}

bool fake_await_connections(struct fake *fake, size_t connections)
{
    bool came;
    pthread_mutex_lock(&fake->mutex);
    came = await_count(fake, &fake->connection_count, connections);
    if (!came)
        printf("waited %d s for %zu connections; there are %zu\n", DEADLINE_SECONDS, connections, fake->connection_count);
    pthread_mutex_unlock(&fake->mutex);
    return came;
}

bool fake_await_lines(struct fake *fake, size_t lines)
{
    bool came;
    pthread_mutex_lock(&fake->mutex);
    came = await_count(fake, &fake->lines, lines);
    if (!came)
        printf("waited %d s for %zu lines; what came:\n%.*s", DEADLINE_SECONDS, lines,
            (int)(fake->log_length < 4000 ? fake->log_length : 4000), fake->log);
    pthread_mutex_unlock(&fake->mutex);
    return came;
}

pid_t fake_peer(struct fake *fake, size_t connection)
{
    pid_t pid;
    pthread_mutex_lock(&fake->mutex);
    pid = fake->connections[connection].pid;
    pthread_mutex_unlock(&fake->mutex);
    return pid;
}
