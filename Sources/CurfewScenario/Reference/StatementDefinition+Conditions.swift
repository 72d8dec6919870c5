extension StatementDefinition {
    /// What stands behind `await` and `expect`.
    public static let conditions = [
        StatementDefinition(
            "state", .condition, "state STATE", "The app is in a state.", example: "await state suspended",
            "STATE is `active`, `inactive`, `background`, `suspended` or `notRunning`."),
        StatementDefinition(
            "event", .condition, "event NAME [KEY=VALUE…]", "An event has come.",
            example: "expect event didFinishLaunching",
            """
            It counts from the last statement that acts on the app. The pairs must be among those it came with. What the \
            app isn't told can be named, too, as in `curfew events`: `stateDidChange to=suspended`. Of what is posted with an \
            event the first 256 bytes are known.
            """),
        StatementDefinition(
            "events", .condition, "events NAME…", "Events have come, in this order.",
            example: "home\nexpect events willResignActive didEnterBackground",
            "They count from the last statement that acts on the app; others may come between."),
        StatementDefinition(
            "task", .condition, "task NAME open|ended", "A background task is open, or has ended.",
            example: "await task upload ended", "NAME is what the app calls it."),
        StatementDefinition(
            "output", .condition, "output REGEX [as NAME…]", "The app has written what matches.",
            example: "await output 'listening on (\\d+)' as port\ndo ./client $port ping",
            """
            A regular expression as Swift's; `^` and `$` stand for the ends of lines, the last may be unfinished. `await` looks \
            behind its own last match of this launch, `expect` at all that this launch has written. `as` names what the \
            groups have matched, in their order; for that a match at the end of an unfinished line waits for the line's end. \
            Of what an app writes the last 256 KiB at least are kept.
            """),
        StatementDefinition(
            "silence", .condition, "silence D", "For a time there is no output, no event and no use of CPU time.",
            example: "expect silence 2s", "D is real time. It is for what is suspended."),
        StatementDefinition(
            "exit", .condition, "exit N", "The app has ended, and `curfew run` with this status.",
            example: "quit\nawait exit 0", "N is from 0 to 255: see exit-status.md."),
        StatementDefinition(
            "killed", .condition, "killed REASON", "The app was killed, and for this reason.",
            example: "home\nadvance 10m\nawait killed background-task-timeout",
            "REASON is one of exit-status.md, such as `background-task-timeout` or `memory-limit`."),
        StatementDefinition(
            "pid", .condition, "pid changed|same", "The app is another process than before, or the same.",
            example: "home\nawait state suspended\nreclaim\nopen\nexpect pid changed",
            "Compared with the launch before; without one, it is the same."),
        StatementDefinition(
            "file", .condition, "file PATH exists|absent|contains REGEX",
            "A file is there, isn't, or has what matches.",
            example: "expect file draft.txt contains 'a line'",
            "A PATH that doesn't begin with / is taken from the folder of the scenario's file."),
        StatementDefinition(
            "remaining", .condition, "remaining OP VALUE", "The background time left compares so with a time.",
            example: "home\nadvance 9m\nexpect remaining <= 60s",
            "OP is `<`, `<=`, `=`, `>=` or `>`, a word of its own. In the foreground it is `inf`."),
        StatementDefinition(
            "memory", .condition, "memory OP VALUE", "The app's memory compares so with a size.",
            example: "expect memory < 64M",
            "What the kernel can't drop, of all its processes; VALUE is as `200M`, which is 200 MiB."),
        StatementDefinition(
            "cpu", .condition, "cpu OP VALUE", "The CPU time used since the launch compares so with a time.",
            example: "expect cpu < 2s", "Of all its processes, in real time."),
        StatementDefinition(
            "processes", .condition, "processes OP VALUE", "The number of the app's processes compares so.",
            example: "expect processes = 1", "All of its tree count."),
    ]
}
