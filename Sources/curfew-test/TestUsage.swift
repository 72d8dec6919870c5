import ArgumentParser
import CurfewArguments
import CurfewCommand

/// What is wrong with a command line, in Curfew's own words.
enum TestUsage {
    static func error(_ error: any Error, _ words: [String]) -> UsageError {
        if TestCommand.exitCode(for: error) == .success { return .help("test") }
        return UsageError("test", TestCommand.message(for: error) + "; `curfew test --help` shows what is accepted")
    }
}
