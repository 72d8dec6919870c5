import ArgumentParser

/// `curfew ps`.
struct PsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps",
        abstract: "List the running apps.",
        usage: "curfew ps [options]",
        discussion: """
            One line for each app of this user: its name, its pid, its state and for how long, its open background \
            tasks and the background time left for them, its processes, the memory and CPU time that they use, and \
            its command, which a terminal shows as far as it is wide.

            Example:
              curfew ps --json | jq '.[] | select(.state == "suspended") | .app'

            Exit status:
               0  shown, also when none runs
               1  standard output can't be written
              64  wrong usage
            """)

    @Flag(help: "Print a JSON array with all that `curfew status` shows, an object for each app.")
    var json = false
}
