// A server whose accepts are an io_uring's: `ring [async]` prints `port N`, and answers each connection in capitals.
// With `async` they are begun by a worker of the kernel's, not by the program. Where there is no io_uring it prints why.
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("none, %s: %s\n", what, strerror(errno));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(server, (struct sockaddr *)&address, size) == 0 && listen(server, 16) == 0, "listen");
    getsockname(server, (struct sockaddr *)&address, &size);

    struct io_uring_params p = {0};
    int ring = (int)syscall(SYS_io_uring_setup, 4, &p);
    must(ring >= 0, "io_uring_setup");
    char *sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    char *cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
        IORING_OFF_CQ_RING);
    struct io_uring_sqe *entries = mmap(NULL, p.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
    must(sq != MAP_FAILED && cq != MAP_FAILED && entries != MAP_FAILED, "mmap");
    printf("port %d\n", ntohs(address.sin_port));
    fflush(stdout);

    unsigned *sq_tail = (unsigned *)(sq + p.sq_off.tail), *array = (unsigned *)(sq + p.sq_off.array);
    unsigned *cq_head = (unsigned *)(cq + p.cq_off.head), *cq_tail = (unsigned *)(cq + p.cq_off.tail);
    struct io_uring_cqe *answers = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
    for (;;) {
        entries[0] = (struct io_uring_sqe){.opcode = IORING_OP_ACCEPT, .fd = server, .flags = argc > 1 ? IOSQE_ASYNC : 0};
        array[*sq_tail & (p.sq_entries - 1)] = 0;
        __atomic_store_n(sq_tail, *sq_tail + 1, __ATOMIC_RELEASE);
        unsigned to_submit = 1;
        while (__atomic_load_n(cq_tail, __ATOMIC_ACQUIRE) == *cq_head) {
            long result = syscall(SYS_io_uring_enter, ring, to_submit, 1, IORING_ENTER_GETEVENTS, NULL, 0);
            must(result >= 0 || errno == EINTR, "io_uring_enter");
            if (result > 0)
                to_submit = 0;
        }
        int client = answers[*cq_head & (p.cq_entries - 1)].res;
        __atomic_store_n(cq_head, *cq_head + 1, __ATOMIC_RELEASE);
        if (client < 0)
            continue;
        char text[100];
        ssize_t count = recv(client, text, sizeof text, 0);
        for (ssize_t i = 0; i < count; i++)
            text[i] = (char)toupper((unsigned char)text[i]);
        if (count > 0)
            send(client, text, (size_t)count, MSG_NOSIGNAL);
        close(client);
    }
}
