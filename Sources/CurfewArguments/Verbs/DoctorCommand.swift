import ArgumentParser

/// `curfew doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tell what can be enforced here, and how to get more.",
        usage: "curfew doctor [options]",
        discussion: """
            Tries on a program of its own what this machine lets this user enforce: how an app would be held, stopped, \
            limited and killed, by which mechanism and how fast. What is missing has a number, and a note below says \
            how to get it. All that was made for it is gone afterwards.

            Example:
              curfew doctor --json | jq '.findings[] | select(.here != "yes") | .what'

            Exit status:
               0  told, whatever was found
               1  standard output can't be written
              64  wrong usage
            """)

    @Flag(help: "Print JSON; latencies in seconds, and sizes in bytes.")
    var json = false
}
