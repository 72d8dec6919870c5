// children N   Starts N children that do nothing, one after the other, and prints how many it started a second.
//              At the end of its stdin it ends them and itself.
#define _GNU_SOURCE
#include "bench.h"

#define LIFETIME_S 120

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    int count = atoi(argv[1]);
    pid_t *pids = calloc((size_t)count, sizeof *pids);
    alarm(LIFETIME_S);
    long long start = now_ns();
    for (int i = 0; i < count; i++) pids[i] = idle_child(LIFETIME_S);
    printf("%.1f\n", count * 1e9 / (double)(now_ns() - start));
    fflush(stdout);
    while (getchar() != EOF) {}
    return end_children(pids, count);
}
