// curfew.h in a C++ program, in two of its files: everything can be called, and links once.
// Compiled a second time with OTHER_FILE.
#include "curfew.h"

#include <cmath>

int in_other_file();

#ifdef OTHER_FILE

int in_other_file()
{
    static curfew_client client;
    return curfew_connect(&client) == -ENOTCONN ? 0 : 1;
}

#else

static int use_everything()
{
    static curfew_client client = CURFEW_CLIENT_INIT;
    static curfew_event event = {};
    const char *key = nullptr, *value = nullptr;
    int result = curfew_connect(&client) == -ENOTCONN ? 0 : 1;
    curfew_set_timeout(&client, 100);
    result += curfew_is_multitasking_supported(&client) || curfew_fd(&client) != -1;
    const curfew_task task = curfew_begin_background_task(&client, "C++");
    result += task != CURFEW_INVALID_TASK || curfew_error(&client) != -ENOTCONN || *curfew_error_code(&client);
    result += !std::isinf(curfew_background_time_remaining(&client)) || curfew_hello(&client, "C++") != -ENOTCONN;
    result += *curfew_app_name(&client) || curfew_application_state(&client) != CURFEW_STATE_ACTIVE;
    result += curfew_next_event(&client, &event, 0) != 0 || curfew_acknowledge(&client, &event) != -ENOTCONN;
    result += curfew_event_value(&event, "x") || curfew_event_info(&event, "x");
    result += curfew_launch_is_restored(&event) || curfew_launch_ended_because(&event) || curfew_state_directory();
    result += curfew_event_info_at(&event, 0, &key, &value);
    result += curfew_end_background_task(&client, 1) != -ENOTCONN;
    result += curfew_end_background_task_from_signal(&client, 1) != -ENOTCONN;
    result += curfew_acknowledge_from_signal(&client, 1) != -ENOTCONN;
    curfew_close(&client);
    return result;
}

int main()
{
    return use_everything() + in_other_file();
}

#endif
