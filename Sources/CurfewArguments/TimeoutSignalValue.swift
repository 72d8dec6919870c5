import ArgumentParser
import CurfewCommand

/// A signal as `curfew timeout` reads it.
struct TimeoutSignalValue: ExpressibleByArgument {
    let number: Int32

    init?(argument: String) {
        guard let number = SignalArgument.parseAsTimeout(argument) else { return nil }
        self.number = number
    }

    static var defaultCompletionKind: CompletionKind { SignalValue.defaultCompletionKind }
}
