// hog ARENA MAX_MIB MIB_PER_S   Touches memory at that rate up to MAX_MIB and says in the arena how far it came.
// Status 3: reached MAX_MIB and nobody killed it; 4: an allocation was refused.
#define _GNU_SOURCE
#include "bench.h"

#define MIB (1024LL * 1024)
#define PAGE 4096

static void touch(struct arena *arena, char *chunk) {
    for (long offset = 0; offset < MIB; offset += PAGE) {
        chunk[offset] = 1;
        arena->touched += PAGE;
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 64;
    struct arena *arena = map_arena(argv[1]);
    long long most = atoll(argv[2]), rate = atoll(argv[3]), start = now_ns();
    alarm(20);
    arena->pid = getpid();
    for (long long i = 0; i < most; i++) {
        char *chunk = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk == MAP_FAILED) return 4;
        madvise(chunk, MIB, MADV_NOHUGEPAGE);  // 2 MiB steps would blur the figure
        touch(arena, chunk);
        long long ahead = start + (i + 1) * 1000000000LL / rate - now_ns();
        if (ahead > 0) sleep_ns(ahead);
    }
    sleep_ns(500000000);  // the last chance to be killed
    return 3;
}
