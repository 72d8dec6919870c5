import ArgumentParser
import CurfewCore
import CurfewEngine
import CurfewLinux

/// How the limits are enforced, and what the program may do.
struct RunEnforcementOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What holds the app's processes together; auto takes the best there is.", valueName: "KIND"))
    var containment = ContainmentKind.auto

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How they are stopped: by SIGSTOP, by a cgroup's freezer, or by both.", valueName: "METHOD"))
    var suspend = SuspensionMethod.both

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What quit does to a suspended app: kill it, or wake it to end by itself.", valueName: "ACTION"))
    var terminateSuspended = TerminateSuspended.kill

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What becomes of the app when curfew itself is killed.", valueName: "ACTION"))
    var onSupervisorExit = OnSupervisorExit.kill

    @Flag(help: "Refuse to start when something asked for can't be enforced here, instead of saying so.")
    var strict = false

    @Flag(help: "Start COMMAND without any capability.")
    var dropCaps = false

    @Flag(help: "Start COMMAND with no_new_privs: nothing it runs gains rights, not even by setuid.")
    var noNewPrivs = false
}
