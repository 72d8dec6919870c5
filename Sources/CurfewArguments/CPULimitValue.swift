import ArgumentParser
import CurfewCommand

/// CPU time over a window, read as the fast path reads it.
struct CPULimitValue: ExpressibleByArgument {
    init?(argument: String) {
        if CPULimitArgument.parse(argument) == nil { return nil }
    }
}
