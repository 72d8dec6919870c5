import ArgumentParser

/// The program that a verb runs, with all that follows it.
struct CommandOperand: ParsableArguments {
    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The program and its arguments; its own options are left alone.", valueName: "COMMAND"),
        completion: .file())
    var command: [String]

    mutating func validate() throws { command = try Passthrough.command(command) }
}
