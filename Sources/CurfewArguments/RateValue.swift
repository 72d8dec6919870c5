import ArgumentParser
import CurfewCommand

/// How often something may happen, read as the fast path reads it.
struct RateValue: ExpressibleByArgument {
    init?(argument: String) {
        if RateArgument.parse(argument) == nil { return nil }
    }
}
