import ArgumentParser
import CurfewCommand
import CurfewEngine

/// An event and the command that is run for it.
struct EventHookValue: ExpressibleByArgument {
    let pair: EventHook

    init?(argument: String) {
        guard let pair = try? EventHookArgument.parse(argument) else { return nil }
        self.pair = pair
    }
}
