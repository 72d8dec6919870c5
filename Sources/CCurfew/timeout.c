// What has to be known of a `curfew timeout` command line before Swift reads it: whether the proxy leads a group.
//
// It agrees with Sources/CurfewCommand/Arguments/GetoptReader.swift, which also says what is wrong; here that doesn't matter.
#include "ccurfew.h"

#include <string.h>

int curfew_timeout_options(int argc, char *const *argv) {
    if (argc < 1) return 0;
    const char *slash = strrchr(argv[0], '/');
    if (strcmp(slash ? slash + 1 : argv[0], "timeout") == 0) return 1;
    return argc > 1 && strcmp(argv[1], "timeout") == 0 ? 2 : 0;
}

// Whether `name`, of `length` bytes, is one of these or the beginning of one.
static bool begins(const char *const *names, const char *name, size_t length) {
    for (; *names; names++)
        if (strncmp(*names, name, length) == 0) return true;
    return false;
}

static bool takes_next_word(const char *name) {
    static const char *const flags[] = {"foreground", "preserve-status", "verbose", "help", "version", NULL};
    static const char *const valued[] = {
        "kill-after", "signal", "containment", "memory", "profile", "report", "time-scale", NULL};
    size_t length = strcspn(name, "=");
    return name[length] == 0 && !begins(flags, name, length) && begins(valued, name, length);
}

static bool is_foreground(const char *name) {
    static const char *const foreground[] = {"foreground", NULL};
    return name[0] != 0 && begins(foreground, name, strlen(name));
}

bool curfew_timeout_is_foreground(int argc, char *const *argv, int first) {
    for (int i = first; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] != '-' || word[1] == 0 || strcmp(word, "--") == 0) return false;
        if (word[1] == '-') {
            if (is_foreground(word + 2)) return true;
            if (takes_next_word(word + 2)) i++;
            continue;
        }
        for (const char *letter = word + 1; *letter; letter++) {
            if (*letter == 'f') return true;
            if (*letter != 'k' && *letter != 's') continue;
            if (letter[1] == 0) i++;
            break;
        }
    }
    return false;
}
