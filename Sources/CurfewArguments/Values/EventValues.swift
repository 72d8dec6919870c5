// Events, what travels with them, and who hears of them by signal or hook.

import ArgumentParser
import CurfewCommand
import CurfewCore
import CurfewEngine

/// An event and the command that is run for it.
struct EventHookValue: ExpressibleByArgument {
    let pair: EventHook

    init?(argument: String) {
        guard let pair = try? EventHookArgument.parse(argument) else { return nil }
        self.pair = pair
    }
}

/// An event and the signal that tells of it.
struct EventSignalValue: ExpressibleByArgument {
    let pair: EventSignal

    init?(argument: String) {
        guard let pair = try? EventSignalArgument.parse(argument) else { return nil }
        self.pair = pair
    }
}

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

/// The name of an event that is posted.
struct PostedNameValue: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let name = try? EventName.posted(argument) else { return nil }
        text = name
    }
}

/// A signal that a program can be told something by.
struct SignalValue: ExpressibleByArgument {
    let number: Int32

    init?(argument: String) {
        guard let number = try? SignalArgument.telling(argument) else { return nil }
        self.number = number
    }

    /// Those that programs are told something by.
    static var defaultCompletionKind: CompletionKind {
        .list(["HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "TERM", "WINCH"])
    }
}

/// A signal as `curfew timeout` reads it.
struct TimeoutSignalValue: ExpressibleByArgument {
    let number: Int32

    init?(argument: String) {
        guard let number = SignalArgument.parseAsTimeout(argument) else { return nil }
        self.number = number
    }

    static var defaultCompletionKind: CompletionKind { SignalValue.defaultCompletionKind }
}
