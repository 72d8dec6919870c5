import ArgumentParser
import CurfewCommand

/// A size or a share, read as the fast path reads it.
struct AmountValue: ExpressibleByArgument {
    init?(argument: String) {
        if AmountArgument.parse(argument) == nil { return nil }
    }
}
