// indexer.c: an app in C, by curfew.h, that asks to be launched for some work, does it in the background, and is told when to end.
// task-requests.sh builds it and runs it. ./indexer FILE: it works until FILE is there.
#include "curfew.h"

#include <stdio.h>

static struct curfew_client client;
// What it works on: that is answered later, so it is kept.
static struct curfew_event work;
static bool is_working, is_terminating;

static void say(const char *what)
{
    puts(what);
    fflush(stdout);
}

// Whoever wants to come again asks again.
static void ask_for_time(void)
{
    char moment[32];
    struct curfew_task_request request = {
        .kind = CURFEW_TASK_REQUEST_PROCESSING, .identifier = "index", .earliest_begin_date = moment};
    snprintf(moment, sizeof moment, "@%lld", (long long)time(NULL) + 3600);
    if (curfew_submit_task_request(&client, &request) < 0)
        say(curfew_error_code(&client));
}

static void end_work(bool success)
{
    // It may be stopped as soon as it has said so.
    is_working = false;
    curfew_set_task_completed(&client, &work, success);
}

static void handle(const struct curfew_event *event)
{
    if (event->type == CURFEW_EVENT_WAKE && !strcmp(event->name, "processing")) {
        ask_for_time();
        work = *event;
        is_working = true;
        say("works");
        return;
    }
    if (event->type == CURFEW_EVENT_WILL_TERMINATE)
        is_terminating = true;
    curfew_acknowledge(&client, event);
    if (is_working && event->type == CURFEW_EVENT_CHANGE && !strcmp(event->name, CURFEW_TASK_WILL_EXPIRE)) {
        say("has to end");
        end_work(false);
    }
}

int main(int count, char **arguments)
{
    static struct curfew_event event;
    if (count != 2 || curfew_connect(&client) < 0 || curfew_hello(&client, "indexer.c") < 0) {
        say("no curfew");
        return 1;
    }
    ask_for_time();
    say("ready");
    while (!is_terminating && curfew_is_multitasking_supported(&client)) {
        if (curfew_next_event(&client, &event, is_working ? 100 : -1) > 0)
            handle(&event);
        else if (is_working && access(arguments[1], F_OK) == 0) {
            say("has done it");
            end_work(true);
        }
    }
    return 0;
}
