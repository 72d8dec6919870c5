import ArgumentParser
import CurfewCommand

/// The divisor of `--time-scale`, read as the fast path reads it.
struct ScaleValue: ExpressibleByArgument {
    let divisor: Double

    init?(argument: String) {
        guard let divisor = ScaleArgument.parse(argument) else { return nil }
        self.divisor = divisor
    }
}
