import ArgumentParser
import CurfewCommand
import CurfewEngine

/// An event and the signal that tells of it.
struct EventSignalValue: ExpressibleByArgument {
    let pair: EventSignal

    init?(argument: String) {
        guard let pair = try? EventSignalArgument.parse(argument) else { return nil }
        self.pair = pair
    }
}
