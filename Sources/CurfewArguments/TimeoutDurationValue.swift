import ArgumentParser
import CurfewCommand

/// A duration as `curfew timeout` reads it.
struct TimeoutDurationValue: ExpressibleByArgument {
    let nanoseconds: Int64

    init?(argument: String) {
        guard let nanoseconds = DurationArgument.parse(argument) ?? DurationArgument.parseAsTimeout(argument) else {
            return nil
        }
        self.nanoseconds = nanoseconds
    }
}
