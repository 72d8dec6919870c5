import ArgumentParser

/// `curfew advance`.
struct AdvanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Move the time of an app whose clock stands still.",
        usage: "curfew advance [options] APP D",
        discussion: """
            The time of an app that was started with `curfew run --manual-clock` stands still: no budget is spent, no \
            watchdog barks, no limit passes, until this moves it, from deadline to deadline. It stops at whatever happens \
            first, and prints what that was, and what is left of D. Memory, CPU time and signs of life are measured in \
            real time all the while.

            Before time moves the app may finish what it owes, as long as any of its threads runs, but for no longer than \
            10 s; and this returns once all that was set off is done.

            Examples:
              curfew run --manual-clock --name upload -- ./uploader &
              curfew home upload
              curfew advance upload 10m     the expiration warning comes, after 9m55s
              curfew advance upload 10m     the budget ends

            Exit status:
               0  done
               1  refused for good, as to a process inside an app
              64  wrong usage
              69  no such app is running, or its time isn't held
              75  refused for now, as while another is under way
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Argument(help: ArgumentHelp("How far at most: a duration such as 90, 1.5s or 10m.", valueName: "D"))
    var time: DurationValue

    @Flag(help: "Print what happened, and what is left, as JSON.")
    var json = false

    mutating func validate() throws {
        if time.nanoseconds == .max { throw ValidationError("a time to advance by has an end") }
    }
}
