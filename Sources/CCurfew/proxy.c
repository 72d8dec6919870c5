// What the proxy of `curfew run` hands to Swift, and what it and the supervisor tell each other.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

static struct curfew_proxy proxy;

struct curfew_proxy *curfew_proxy(void) { return &proxy; }

// ---- the second shared page -------------------------------------------------------------------

enum { NEWS = CURFEW_NEWS, NEWS_OFFSET = 4096 };

// A ring. Each word has one writer; what `last` counts is written before `last` is.
struct board {
    uint32_t last;             // how many news were ever put: the proxy's
    uint32_t taken;            // how many were taken: the supervisor's
    uint32_t wish;             // number << 8 | signal: the supervisor's
    uint32_t question;         // the supervisor's
    struct curfew_news news[NEWS];
};
_Static_assert(NEWS_OFFSET + sizeof(struct board) <= CURFEW_SHARED_SIZE, "the pages are too small");

static struct board *board(const void *page) { return (struct board *)((char *)page + NEWS_OFFSET); }

static uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static void store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

// Each half writes its own word, then reads the other's: one of them at least sees what the other has written. Else the
// proxy could wait for room that was made meanwhile, and nobody would ring.
static void meet(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

unsigned curfew_news_room(const void *page)
{
    const struct board *on = board(page);
    return NEWS - (load(&on->last) - load(&on->taken));
}

bool curfew_news_put(void *page, struct curfew_news news)
{
    struct board *on = board(page);
    if (curfew_news_room(page) == 0)
        return false;
    on->news[on->last % NEWS] = news;
    store(&on->last, on->last + 1);
    meet();
    return true;
}

int curfew_news_take(void *page, struct curfew_news *news)
{
    struct board *on = board(page);
    if (curfew_news_room(page) == NEWS)
        return 0;
    *news = on->news[on->taken % NEWS];
    store(&on->taken, on->taken + 1);
    meet();
    return curfew_news_room(page) <= CURFEW_NEWS_RESERVE + 1 ? 2 : 1;
}

void curfew_set_wish(void *page, uint32_t number, int signal) { store(&board(page)->wish, number << 8 | (uint32_t)signal); }

void curfew_wish(const void *page, uint32_t *number, int *signal)
{
    uint32_t wish = load(&board(page)->wish);
    *number = wish >> 8;
    *signal = (int)(wish & 0xff);
}

void curfew_set_question(void *page, uint32_t number) { store(&board(page)->question, number); }

uint32_t curfew_question(const void *page) { return load(&board(page)->question); }

// ---- children of the proxy that aren't the app's ------------------------------------------------

// Some 8,000 pids; pages that nobody touches cost nothing.
static struct {
    int size;
    char text[65536];
} noted[2];
static int kept = -1;

// Of the supervisor's making, though it is a child of the proxy's. Source: Sources/CurfewEngine/Hooks/OutsideProcess.swift.
static bool is_ours(const char *digits, int count)
{
    static const char *const names[] = {"curfew-hooks\n", "curfew-source\n", "curfew-notify\n"};
    char path[32] = "/proc/", comm[32];
    if (count > 10)
        return false;
    memcpy(path + 6, digits, (size_t)count);
    memcpy(path + 6 + count, "/comm", 6);
    int size = curfew_read_file_at(AT_FDCWD, path, comm, sizeof comm);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (size == (int)strlen(names[i]) && memcmp(comm, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void leave_out_ours(char *text, int size)
{
    for (int start = 0, end; start < size; start = end + 1) {
        for (end = start; end < size && text[end] != ' '; end++)
            ;
        if (end > start && is_ours(text + start, end - start))
            memset(text + start, ' ', (size_t)(end - start));
    }
}

bool curfew_note_children(void)
{
    struct curfew_wait_info any;
    if (curfew_waitid(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT | __WALL, &any) < 0)
        return false;
    int next = kept == 0 ? 1 : 0;
    noted[next].size = 0;
    int file = curfew_open_at(AT_FDCWD, "/proc/thread-self/children", O_RDONLY, 0);
    if (file < 0)
        return true;
    int count;
    while ((count = curfew_read(file, noted[next].text + noted[next].size, sizeof noted[next].text - (size_t)noted[next].size)) > 0)
        noted[next].size += count;
    curfew_close(file);
    // A list cut short would end in half a pid, somebody else's.
    while (noted[next].size == (int)sizeof noted[next].text && noted[next].text[noted[next].size - 1] != ' ')
        noted[next].size--;
    leave_out_ours(noted[next].text, noted[next].size);
    return true;
}

void curfew_keep_children(void) { kept = kept == 0 ? 1 : 0; }

bool curfew_has_kept_children(void) { return kept >= 0; }

// Where its number ends in the list; -1: it isn't there. Every number has a blank behind it.
static int end_of_kept_child(pid_t pid)
{
    pid_t number = 0;
    for (int i = 0; kept >= 0 && i < noted[kept].size; i++) {
        char digit = noted[kept].text[i];
        if (digit >= '0' && digit <= '9') {
            number = number * 10 + (digit - '0');
            continue;
        }
        if (number > 0 && number == pid)
            return i;
        number = 0;
    }
    return -1;
}

bool curfew_is_kept_child(pid_t pid) { return end_of_kept_child(pid) >= 0; }

void curfew_forget_kept_child(pid_t pid)
{
    for (int i = end_of_kept_child(pid) - 1; i >= 0 && noted[kept].text[i] != ' '; i--)
        noted[kept].text[i] = ' ';
}
