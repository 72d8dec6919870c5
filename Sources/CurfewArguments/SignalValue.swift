import ArgumentParser
import CurfewCommand

/// A signal that a program can be told something by.
struct SignalValue: ExpressibleByArgument {
    let number: Int32

    init?(argument: String) {
        guard let number = try? SignalArgument.telling(argument) else { return nil }
        self.number = number
    }

    /// Those that programs are told something by.
    static var defaultCompletionKind: CompletionKind {
        .list(["HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "TERM", "WINCH"])
    }
}
