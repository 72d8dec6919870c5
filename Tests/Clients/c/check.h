// Checks and their counts, for the C client's tests, in C99 and C++11. CHECK… prints what failed and goes on.
#ifndef CHECK_H
#define CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHECK_DEADLINE_MS = 20000 };

struct check_counts {
    int passed, failed, skipped;
    const char *subject;
};

// One for each program, since each is one file that includes this.
static struct check_counts checks = {0, 0, 0, ""};

static inline long long check_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline bool check_that(bool good, const char *file, int line, const char *what, const char *format, ...)
{
    va_list arguments;
    if (good) {
        checks.passed++;
        return true;
    }
    checks.failed++;
    printf("%s:%d: [%s] %s: ", file, line, checks.subject, what);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    return false;
}

static inline bool check_equal(const char *file, int line, const char *what, long long seen, long long expected)
{
    return check_that(seen == expected, file, line, what, "saw %lld, expected %lld", seen, expected);
}

static inline bool check_text(const char *file, int line, const char *what, const char *seen, const char *expected)
{
    const char *shown = seen ? seen : "(null)";
    return check_that(!strcmp(shown, expected), file, line, what, "saw \"%s\", expected \"%s\"", shown, expected);
}

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition, "false")
#define CHECK_EQ(seen, expected) check_equal(__FILE__, __LINE__, #seen, (long long)(seen), (long long)(expected))
#define CHECK_TEXT(seen, expected) check_text(__FILE__, __LINE__, #seen, (seen), (expected))

static inline void check_skip(const char *why)
{
    checks.skipped++;
    printf("skipped: [%s] %s\n", checks.subject, why);
    fflush(stdout);
}

// For what a test can't go on without.
static inline void check_must(bool good, const char *what)
{
    if (good)
        return;
    printf("[%s] can't go on: %s failed\n0 passed, 1 failed\n", checks.subject, what);
    fflush(stdout);
    exit(2);
}

static inline int check_finish(void)
{
    printf("%d passed, %d failed, %d skipped\n", checks.passed, checks.failed, checks.skipped);
    fflush(stdout);
    return checks.failed ? 1 : 0;
}

#endif
