import ArgumentParser
import CurfewCommand
import CurfewCore

/// What it may use of the machine, and what becomes of what it holds.
struct RunResourceOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Kill it when it and all it has started use more memory together than this (default: inf).",
            valueName: "SIZE"))
    var memory: SizeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Beyond this it is warned, and is the first to be killed when the machine runs short (default: inf).",
            valueName: "SIZE"))
    var memoryHigh: SizeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "As --memory, from the moment it leaves the foreground (default: --memory).", valueName: "SIZE"))
    var backgroundMemory: SizeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "As --memory-high, from the moment it leaves the foreground (default: --memory-high).", valueName: "SIZE"))
    var backgroundMemoryHigh: SizeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The machine is short of memory below this, or twice this while processes wait for memory: the app is warned, \
            and at half of that killed (default: not watched; with --memory-high 12%).
            """, valueName: "SIZE|PERCENT"))
    var memoryLow: AmountValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Kill it in background when the disk of its folder has less than this left (default: not watched).",
            valueName: "SIZE|PERCENT"))
    var diskLow: AmountValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The share of one processor that it may use in background, over a window of D; inf is any (default: 80%/60s).
            """,
            valueName: "PERCENT[/D]"))
    var backgroundCpu: CPULimitValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What follows when it uses more than --background-cpu.", valueName: "ACTION"))
    var cpuLimitAction = CPULimitAction.kill

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("low: in background, others have processors and disk first.", valueName: "PRIORITY"))
    var backgroundPriority = BackgroundPriority.normal

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What follows when it holds a locked file as it is suspended; defer waits for the lock.",
            valueName: "ACTION"))
    var locks = LockPolicy.report

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long --locks defer waits before it is suspended all the same (default: 5 s).", valueName: "D"))
    var lockWait: DurationValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Move its memory to swap once it has been suspended for so long (default: never).", valueName: "D"))
    var pageOut: DurationValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Move it only if it uses as much as this; needs --page-out (default: 8M).", valueName: "SIZE"))
    var pageOutAbove: SizeValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Kill it when it is resumed for waking events more than N times within D; N is 0 to 10000, or inf (default: \
            15/300s, where input of --wake-on doesn't count).
            """, valueName: "N[/D]"))
    var resumeLimit: RateValue?

    mutating func validate() throws {
        if pageOutAbove != nil, pageOut == nil { throw ValidationError("--page-out-above needs --page-out") }
        if lockWait != nil, locks != .defer { throw ValidationError("--lock-wait needs --locks defer") }
    }
}
