import ArgumentParser
import CurfewArguments
import CurfewCommand

/// What is wrong with a command line, in Curfew's own words.
enum TestUsage {
    static func error(_ error: any Error, _ words: [String]) -> UsageError {
        if let ours = error as? UsageError { return ours }
        if TestCommand.exitCode(for: error) == .success { return .help("test") }
        // Nobody has written that.
        let message = TestCommand.message(for: error).replacing(TestCommand.checkCommandOption, with: "--check")
        return UsageError("test", message + "; `curfew test --help` shows what is accepted")
    }
}
