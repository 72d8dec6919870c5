// eater MIB [WHO] [HOW]   Allocates and touches MIB MiB as fast as it can, telling how far it has come in $ARENA.
//
// WHO: `self` (default), or `child`: the leader idles. HOW: `now`, or `told`: begins when a line comes on stdin.
// `share N`: touches MIB first, then forks N children that only look at it; prints `up` and waits for stdin's end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long *touched;

static char *eat(long bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) exit(9);
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
    eat(bytes);
    printf("ate\n");
    fflush(stdout);
    until_end_of_input();
    return 0;
}
