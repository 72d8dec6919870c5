/// What stands below a mistake where many words are accepted.
enum Accepted {
    static let statements = """

            accepted: scenario, before, after, app, set, matrix, time-scale, skip, launch, home, open,
                      sleep, interrupt, dismiss, quit, reclaim, kill-supervisor, wake, post, warn,
                      pressure, advance, do, send, key, await, expect
        """
    static let conditions = """

            accepted: state, event, events, task, output, silence, exit, killed, pid, file, remaining,
                      memory, cpu, processes
        """
    static let reasons = """

            accepted: launch-watchdog, scene-update-watchdog, process-exit-watchdog, watchdog,
                      background-task-timeout, background-fetch-timeout, suspended-with-locked-file,
                      memory-limit, memory-highwater, memory-pressure, idle-exit, cpu-limit,
                      resumed-too-often, disk-space, too-many-tasks, user-quit, time-limit,
                      supervisor-exit
        """
}
