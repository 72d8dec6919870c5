// Throws garbage at curfew.h: mutated lines, half lines, random bytes. Nothing may crash, hang or run over, and of
// the good events between the garbage none may be lost or come out of order.
// mutation_test [SEED [ITERATIONS]]: a failure prints its seed.
#include "curfew.h"

#include "check.h"

static struct curfew_client client;
static struct curfew_event event;
static const struct curfew_client pristine = CURFEW_CLIENT_INIT;
static unsigned long long seed = 20240607;
static long iterations = 100000;

// SplitMix64.
static unsigned long long state;

static unsigned long long random_bits(void)
{
    unsigned long long bits = state += 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return bits ^ (bits >> 31);
}

static size_t below(size_t limit)
{
    return (size_t)(random_bits() % limit);
}

static bool is_good(bool good, const char *what)
{
    char context[160];
    // One for each iteration would be much to print when all fail.
    if (checks.failed > 20)
        return false;
    snprintf(context, sizeof context, "%s (seed %llu)", what, seed);
    return check_that(good, __FILE__, __LINE__, context, "false");
}

// ---- garbage ------------------------------------------------------------------------------------

static const char *const samples[] = {
    "event name=didEnterBackground seq=4 ack=required seconds=5.000\n",
    "event name=fetch seq=9 kind=wake ack=required seconds=29.950 info.url=\"a b\\\"c\\\\d\\n\\x41\" info.e=\"\"\n",
    "event name=settingsDidChange seq=10 kind=change info.exists=false\r\n",
    "event name=Gr\xc3\xbc\xc3\x9f""e seq=18446744073709551615 task=18446744073709551616 seconds=inf\n",
    "ok id=b1.1 task=1 remaining=inf\n",
    "ok id=r1.1 seconds=571.204\n",
    "ok version=1 app=backup state=active\n",
    "ok\n",
    "error id=b1.2 code=expired message=\"the background budget is spent\" task=0\n",
    "error code=malformed offset=3 message=\"a key has no '=' and value\"\n",
    "task id=r1.3 task=1 name=\"x y\" age=0.100\n",
    "\n\r\n   \n",
    "event \n",
    "event name=\"\\x00\\x7f\"\n",
};

static void mutate(char *bytes, size_t *length, size_t capacity)
{
    static const char liked[] = " =\"\\\n\r\t.x0n-\x7f\x80\xc3\xe0\xf4\xff";
    size_t at = *length ? below(*length) : 0;
    switch (below(6)) {
    case 0:
        if (*length)
            bytes[at] = (char)random_bits();
        break;
    case 1:
        if (*length)
            bytes[at] = liked[below(sizeof liked)];
        break;
    case 2:  // gone
        if (*length) {
            memmove(bytes + at, bytes + at + 1, *length - at - 1);
            --*length;
        }
        break;
    case 3:  // twice
        if (*length && *length < capacity) {
            memmove(bytes + at + 1, bytes + at, *length - at);
            ++*length;
        }
        break;
    case 4: *length = at; break;
    default:  // much of the same
        while (*length < capacity && below(200))
            bytes[(*length)++] = *liked + (char)below(90);
    }
}

static size_t make_garbage(char *bytes, size_t capacity)
{
    const char *sample = samples[below(sizeof samples / sizeof *samples)];
    size_t length = strlen(sample), count = below(4);
    memcpy(bytes, sample, length);
    if (below(50) == 0)
        for (length = 0; length < below(capacity); length++)
            bytes[length] = (char)random_bits();
    // Now and then longer than a line may be.
    if (below(400) == 0) {
        memset(bytes, 'y', capacity);
        length = capacity;
    }
    while (count--)
        mutate(bytes, &length, capacity);
    return length;
}

// ---- the codec ----------------------------------------------------------------------------------

static bool is_utf8(const char *text)
{
    size_t length = strlen(text), step;
    for (; length > 0; text += step, length -= step)
        if ((step = curfew_impl_utf8(text, length)) == 0)
            return false;
    return true;
}

// Decodes from and into exactly as much memory as there may be, so that the sanitizer sees one byte more.
static void decode(const char *bytes, size_t length)
{
    char *line = (char *)malloc(length ? length : 1), *text = (char *)malloc(length ? length : 1);
    size_t decoded, at, texts = 0;
    check_must(line && text, "malloc");
    memcpy(line, bytes, length);
    decoded = curfew_impl_decode(line, length, text);
    is_good(decoded <= length, "no longer than it was");
    if (decoded > 0) {
        is_good(text[decoded - 1] == '\0', "ended by NUL");
        for (at = 0; at < decoded; at += strlen(text + at) + 1, texts++)
            is_good(is_utf8(text + at), "decoded to UTF-8");
        is_good(texts % 2 == 1, "a verb and pairs");
        curfew_impl_find(text, decoded, "", "name");
        curfew_impl_find(text, decoded, "info.", "url");
    }
    free(line);
    free(text);
}

static void test_decoding(void)
{
    char bytes[CURFEW_LINE_MAX];
    long round;
    for (round = 0; round < iterations; round++) {
        size_t length = make_garbage(bytes, sizeof bytes);
        // Lines come to the decoder with their LF.
        char *feed = (char *)memchr(bytes, '\n', length);
        if (feed)
            length = (size_t)(feed + 1 - bytes);
        else if (length > 0)
            bytes[length - 1] = '\n';
        decode(bytes, length);
    }
}

// Any name comes back as it was, or, where it wasn't UTF-8 or too long, as UTF-8 of at most 128 bytes.
static void test_round_trip(void)
{
    long round;
    for (round = 0; round < iterations; round++) {
        char name[200], text[CURFEW_LINE_MAX];
        struct curfew_impl_line line = {0, {0}};
        size_t length = below(sizeof name), index, decoded;
        bool ascii = below(2) == 0;
        const char *value;
        for (index = 0; index < length; index++)
            name[index] = (char)(ascii ? 1 + below(127) : 1 + below(255));
        name[length] = '\0';
        curfew_impl_put_text(&line, "begin name=");
        curfew_impl_put_value(&line, name);
        curfew_impl_put_text(&line, "\n");
        decoded = curfew_impl_decode(line.bytes, line.length, text);
        value = curfew_impl_find(text, decoded, "", "name");
        if (!is_good(value && strlen(value) <= CURFEW_TITLE_MAX && is_utf8(value), "a name"))
            continue;
        is_good(line.length < sizeof line.bytes, "room in the line");
        is_good(memchr(line.bytes, '\n', line.length) == line.bytes + line.length - 1, "one line");
        if (is_utf8(name))
            is_good(!strncmp(value, name, strlen(value)), "the same name");
        if (is_utf8(name) && length <= CURFEW_TITLE_MAX)
            is_good(strlen(value) == length, "the whole name");
    }
}

// ---- the connection -----------------------------------------------------------------------------

static int peer = -1, clients_end = -1;
static unsigned long sentinels_sent, sentinels_seen;

static void reconnect(void)
{
    char number[16];
    int ends[2];
    curfew_close(&client);
    client = pristine;
    if (peer >= 0) {
        close(peer);
        close(clients_end);
    }
    check_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    peer = ends[0];
    clients_end = ends[1];
    snprintf(number, sizeof number, "%d", clients_end);
    setenv("CURFEW_FD", number, 1);
    check_must(curfew_connect(&client) == 0, "curfew_connect");
    client.timeout = 1;
    sentinels_seen = sentinels_sent;
}

static void push(const char *bytes, size_t length)
{
    // What doesn't fit would make a half line, which is as good as any.
    if (length > 0 && send(peer, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        check_must(errno == EAGAIN, "send");
}

static void push_sentinel(void)
{
    char text[64];
    int length = snprintf(text, sizeof text, "\nevent name=sentinel seq=%lu\n", sentinels_sent + 1);
    if (send(peer, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) == length)
        sentinels_sent++;
}

static void drain_peer(void)
{
    char bytes[4096];
    while (recv(peer, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

static void look_at_event(void)
{
    const char *key, *value;
    size_t index = 0;
    is_good(strlen(event.name) <= CURFEW_NAME_MAX && is_utf8(event.name), "an event's name");
    is_good(!event.ack_required || event.seq != 0, "a number to acknowledge");
    while (curfew_event_info_at(&event, index, &key, &value))
        index += is_good(is_utf8(value), "an event's value") ? 1 : 1;
    if (!strcmp(event.name, "sentinel"))
        is_good(event.seq == ++sentinels_seen, "the next good event");
}

static bool is_sound(void)
{
    return client.start <= client.sorted && client.sorted <= client.end && client.end <= sizeof client.buffer;
}

// Takes all that there is; false when the connection was lost.
static bool take_all(void)
{
    int result;
    while ((result = curfew_next_event(&client, &event, 0)) == 1) {
        look_at_event();
        if (below(4) == 0)
            curfew_acknowledge(&client, &event);
    }
    if (result == 0)
        return is_good(sentinels_seen == sentinels_sent, "all good events");
    is_good(result == -EPROTO, "lost by a line that is too long");
    return false;
}

static void test_stream(void)
{
    char bytes[CURFEW_LINE_MAX + 200];
    long round, lost = 0;
    reconnect();
    for (round = 0; round < iterations; round++) {
        push(bytes, make_garbage(bytes, sizeof bytes));
        if (below(3) == 0)
            push_sentinel();
        if (below(3) == 0)
            curfew_end_background_task_from_signal(&client, below(5));
        if (below(3) == 0 && !take_all()) {
            lost++;
            reconnect();
        }
        is_good(is_sound(), "sound indexes");
        drain_peer();
    }
    is_good(lost > 0 && lost < iterations / 10, "lost now and then");
}

// Garbage, now and then with the right reply in it, is there before the question.
static void test_requests(void)
{
    char bytes[CURFEW_LINE_MAX + 200];
    long round, answered = 0, refused = 0;
    reconnect();
    for (round = 0; round < iterations / 20; round++) {
        bool asks_remaining = below(2) == 0;
        int length = snprintf(bytes, sizeof bytes, "\nok id=%c%ld.%lu task=3 seconds=2.5\n", asks_remaining ? 'r' : 'b',
            (long)getpid(), client.last_id + 1);
        size_t mutated = (size_t)length;
        if (below(2) == 0)
            mutate(bytes, &mutated, sizeof bytes);
        push(bytes, mutated);
        push(bytes, make_garbage(bytes, sizeof bytes));
        if (asks_remaining ? curfew_background_time_remaining(&client) == 2.5
                           : curfew_begin_background_task(&client, "x") == 3)
            answered++;
        else
            refused++;
        is_good(is_sound(), "sound indexes");
        drain_peer();
        if (!take_all())
            reconnect();
    }
    is_good(answered > iterations / 100 && refused > iterations / 1000, "some of each");
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"decoding", test_decoding}, {"round trip", test_round_trip}, {"stream", test_stream},
        {"requests", test_requests}};
    size_t index;
    if (count > 1)
        seed = strtoull(arguments[1], NULL, 10);
    if (count > 2)
        iterations = strtol(arguments[2], NULL, 10);
    unsetenv("CURFEW_SOCKET");
    for (index = 0; index < sizeof tests / sizeof *tests; index++) {
        state = seed;
        checks.subject = tests[index].name;
        tests[index].run();
    }
    curfew_close(&client);
    close(peer);
    close(clients_end);
    return check_finish();
}
