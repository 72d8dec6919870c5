// client.c: an app in C, by curfew.h: it indexes pages in a poll loop of its own, and minds the lifecycle.
// client-c.sh builds it and runs it under curfew. Without curfew it just works through its pages: ./client PAGES
#include "curfew.h"

#include <stdio.h>

static struct curfew_client client;
static curfew_task task;
static long pages, wanted;
static bool is_foreground = true, is_terminating;

static void say(const char *what)
{
    printf("%s at page %ld\n", what, pages);
    fflush(stdout);
}

static void stop_working(void)
{
    // Save here: its last task ended in the background, the app is suspended, and goes on after this line when opened.
    curfew_end_background_task(&client, task);
    task = CURFEW_INVALID_TASK;
}

static void handle(const struct curfew_event *event)
{
    say(event->name);
    switch (event->type) {
    case CURFEW_EVENT_DID_ENTER_BACKGROUND:
        // Before the acknowledgement, so that the task is open in time. It comes again before a waking event, for
        // which the app is in background already: that is to be handled, and nothing else.
        if (is_foreground && pages < wanted)
            task = curfew_begin_background_task(&client, "index the book");
        is_foreground = false;
        break;
    case CURFEW_EVENT_BACKGROUND_TASK_WILL_EXPIRE: stop_working(); break;
    case CURFEW_EVENT_WAKE:
        if (curfew_event_info(event, "url"))
            say(curfew_event_info(event, "url"));
        break;
    case CURFEW_EVENT_WILL_ENTER_FOREGROUND:
        stop_working();
        is_foreground = true;
        break;
    case CURFEW_EVENT_WILL_TERMINATE: is_terminating = true; break;
    default: break;
    }
    curfew_acknowledge(&client, event);
}

static void index_a_page(void)
{
    if (++pages < wanted)
        return;
    say("indexed");
    stop_working();
}

int main(int count, char **arguments)
{
    static struct curfew_event event;
    wanted = count > 1 ? strtol(arguments[1], NULL, 10) : 1000;
    if (curfew_connect(&client) < 0 || curfew_hello(&client, "client.c") < 0)
        say("no curfew");
    while (!is_terminating && !(is_foreground && pages >= wanted)) {
        struct pollfd item = {curfew_fd(&client), POLLIN, 0};
        // All events that have come, then a page, or a wait.
        while (curfew_next_event(&client, &event, 0) > 0)
            handle(&event);
        // Without a supervisor, or no longer with one, it is always in front.
        if (!curfew_is_multitasking_supported(&client))
            is_foreground = true;
        if (is_terminating)
            break;
        if (poll(&item, 1, is_foreground || task != CURFEW_INVALID_TASK ? 20 : -1) == 0)
            index_a_page();
    }
    return 0;
}
