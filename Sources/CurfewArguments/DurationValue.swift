import ArgumentParser
import CurfewCommand

/// A duration, read as the fast path reads it.
struct DurationValue: ExpressibleByArgument {
    let nanoseconds: Int64

    init?(argument: String) {
        guard let nanoseconds = DurationArgument.parse(argument) else { return nil }
        self.nanoseconds = nanoseconds
    }
}
