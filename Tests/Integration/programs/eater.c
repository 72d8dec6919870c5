// eater MIB [WHO] [HOW]   Allocates and touches MIB MiB as fast as it can, telling how far it has come in $ARENA.
//
// WHO: `self` (default), or `child`: the leader idles. HOW: `now`, or `told`: begins when a line comes on stdin.
// KIND in the environment: `undumpable`, so that only root may look at its memory; `huge`: in huge pages; `shared`: with
// its children to be; `memfd`: written to a file in memory that nobody maps.
// `share N`: touches MIB first, then forks N children that only look at it; prints `up` and waits for stdin's end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long *touched;

static const char *kind = "";

static void write_to_memory(long bytes) {
    static char piece[65536];
    int fd = memfd_create("eaten", 0);
    memset(piece, 1, sizeof piece);
    for (long at = 0; at < bytes; at += sizeof piece) {
        if (write(fd, piece, sizeof piece) != sizeof piece) exit(9);
        *touched = at + sizeof piece;
    }
}

static char *eat(long bytes) {
    int how = strcmp(kind, "shared") ? MAP_PRIVATE : MAP_SHARED;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) exit(9);
    if (!strcmp(kind, "huge")) madvise(memory, bytes, MADV_HUGEPAGE);
    for (long at = 0; at < bytes; at += 4096) {
        memory[at] = 1;
        *touched = at + 4096;
    }
    return memory;
}

static void until_end_of_input(void) {
    char byte;
    while (read(0, &byte, 1) > 0) {}
}

static void share(long bytes, int count) {
    char *memory = eat(bytes);
    for (int i = 0; i < count; i++)
        if (fork() == 0) {
            long sum = 0;
            for (long at = 0; at < bytes; at += 4096) sum += memory[at];
            until_end_of_input();
            _exit(sum == 0);
        }
    printf("up\n");
    fflush(stdout);
    until_end_of_input();
    while (wait(NULL) > 0) {}
    exit(0);
}

int main(int argc, char **argv) {
    alarm(30);
    if (getenv("KIND")) kind = getenv("KIND");
    if (!strcmp(kind, "undumpable")) prctl(PR_SET_DUMPABLE, 0);
    if (argc < 2) return 64;
    static long own;
    touched = &own;
    const char *path = getenv("ARENA");
    int fd = path ? open(path, O_RDWR | O_CREAT, 0666) : -1;
    if (fd >= 0 && !ftruncate(fd, sizeof *touched))
        touched = mmap(NULL, sizeof *touched, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    long bytes = atol(argv[1]) << 20;
    const char *who = argc > 2 ? argv[2] : "self", *how = argc > 3 ? argv[3] : "now";
    if (!strcmp(who, "share")) share(bytes, atoi(how));
    char line[16];
    if (!strcmp(how, "told")) {
        printf("up\n");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) return 9;
    }
    if (!strcmp(who, "child") && fork() > 0) for (;;) pause();
    if (strcmp(kind, "memfd")) eat(bytes); else write_to_memory(bytes);
    printf("ate\n");
    fflush(stdout);
    until_end_of_input();
    return 0;
}
