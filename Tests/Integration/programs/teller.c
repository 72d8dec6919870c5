// teller [STATUS:]SIGNAL…   Says which signals it gets.
//
// Prints `up PID`, then the name of each of those signals that it gets, one a line. With STATUS it then exits with it.
// It lives no longer than 40 s.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct { const char *name; int number; } known[] = {
    {"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},
    {"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"CONT", SIGCONT},
};
enum { KNOWN = sizeof known / sizeof *known };

static int look_up(const char *name) {
    for (int i = 0; i < KNOWN; i++)
        if (!strcmp(known[i].name, name)) return i;
    fprintf(stderr, "teller: %s?\n", name);
    exit(2);
}

int main(int count, char **words) {
    const char *status[KNOWN] = {0};
    sigset_t set;
    sigemptyset(&set);
    for (int i = 1; i < count; i++) {
        char *colon = strchr(words[i], ':');
        int which = look_up(colon ? colon + 1 : words[i]);
        sigaddset(&set, known[which].number);
        if (colon) status[which] = words[i];
    }
    sigprocmask(SIG_BLOCK, &set, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("up %d\n", getpid());
    for (;;) {
        int number = sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 40});
        if (number < 0) return 3;
        for (int i = 0; i < KNOWN; i++) {
            if (known[i].number != number) continue;
            printf("%s\n", known[i].name);
            if (status[i]) return atoi(status[i]);
        }
    }
}
