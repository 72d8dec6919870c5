import ArgumentParser
import CurfewCommand

/// A size, read as the fast path reads it.
struct SizeValue: ExpressibleByArgument {
    let bytes: UInt64

    init?(argument: String) {
        guard let bytes = SizeArgument.parse(argument) else { return nil }
        self.bytes = bytes
    }
}
