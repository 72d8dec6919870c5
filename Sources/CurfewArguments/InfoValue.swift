import ArgumentParser
import CurfewCommand
import CurfewCore

/// A pair that travels with an event.
struct InfoValue: ExpressibleByArgument {
    let pair: Info

    init?(argument: String) {
        guard let pair = try? InfoArgument.parse(argument) else { return nil }
        self.pair = pair
    }

    /// Throws for pairs that no posted event can carry.
    static func check(_ values: [InfoValue], of name: String) throws {
        guard values.count <= Info.maximumCount else { throw ValidationError("too many pairs") }
        try InfoArgument.checkPosted(try together(values), name: name)
    }

    /// Throws for pairs that no launch can carry.
    static func checkLaunch(_ values: [InfoValue], wake: String?) throws {
        try InfoArgument.checkLaunch(try together(values), wake: wake)
    }

    private static func together(_ values: [InfoValue]) throws -> [Info] {
        try values.reduce(into: []) { pairs, value in try InfoArgument.add(value.pair, to: &pairs) }
    }
}
