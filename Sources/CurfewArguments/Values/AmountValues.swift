// Amounts, sizes, spans and shares, each read as the fast path reads it.

import ArgumentParser
import CurfewCommand

/// A size or a share, read as the fast path reads it.
struct AmountValue: ExpressibleByArgument {
    init?(argument: String) {
        if AmountArgument.parse(argument) == nil { return nil }
    }
}

/// A size, read as the fast path reads it.
struct SizeValue: ExpressibleByArgument {
    let bytes: UInt64

    init?(argument: String) {
        guard let bytes = SizeArgument.parse(argument) else { return nil }
        self.bytes = bytes
    }
}

/// How often something may happen, read as the fast path reads it.
struct RateValue: ExpressibleByArgument {
    init?(argument: String) {
        if RateArgument.parse(argument) == nil { return nil }
    }
}

/// The divisor of `--time-scale`, read as the fast path reads it.
struct ScaleValue: ExpressibleByArgument {
    let divisor: Double

    init?(argument: String) {
        guard let divisor = ScaleArgument.parse(argument) else { return nil }
        self.divisor = divisor
    }
}

/// CPU time over a window, read as the fast path reads it.
struct CPULimitValue: ExpressibleByArgument {
    init?(argument: String) {
        if CPULimitArgument.parse(argument) == nil { return nil }
    }
}

/// A duration, read as the fast path reads it.
struct DurationValue: ExpressibleByArgument {
    let nanoseconds: Int64

    init?(argument: String) {
        guard let nanoseconds = DurationArgument.parse(argument) else { return nil }
        self.nanoseconds = nanoseconds
    }
}

/// How often an app that is recorded is measured, read as the fast path reads it.
struct RecordIntervalValue: ExpressibleByArgument {
    init?(argument: String) {
        if RecordInterval.parse(argument) == nil { return nil }
    }
}

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
