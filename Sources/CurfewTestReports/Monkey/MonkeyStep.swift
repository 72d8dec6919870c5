/// One of the things that a monkey does to an app.
public enum MonkeyStep: Sendable, Hashable {
    case home
    case open
    case interrupt
    case dismiss
    case warn
    /// Told that something has changed, and woken for an event.
    case post, wake
    /// The machine is short of memory for a moment.
    case pressure
    /// It is ended while it is suspended, or wherever it is, as the machine has no memory left; and opened again.
    case reclaim, shortage
    /// It is asked to end, and launched again.
    case quit
    /// Above 0.
    case advance(nanoseconds: Int64)

    /// The statements of a scenario that do it.
    public var lines: [String] {
        switch self {
        case .home: ["home"]
        case .open: ["open"]
        case .interrupt: ["interrupt"]
        case .dismiss: ["dismiss"]
        case .warn: ["warn"]
        case .post: ["post settingsDidChange"]
        case .wake: ["wake fetch"]
        // Left at that level, it would rightly be killed after ten minutes.
        case .pressure: ["pressure warning", "pressure normal"]
        case .reclaim: ["reclaim", "open"]
        case .shortage: ["pressure critical", "await killed memory-pressure", "open"]
        // What it exits with is its own affair.
        case .quit: ["quit", "await state notRunning", "launch"]
        case .advance(let nanoseconds): ["advance " + MonkeyTime.text(nanoseconds)]
        }
    }

    /// Whether the app is another process afterwards, in front, which has to come up first.
    var isLaunch: Bool {
        switch self {
        case .reclaim, .shortage, .quit: true
        default: false
        }
    }

    /// What may stand in its place, the simplest first: rounder times, and of those that are as round shorter ones.
    public var simpler: [MonkeyStep] {
        guard case .advance(let nanoseconds) = self else { return [] }
        return MonkeyTime.simpler(nanoseconds).map { .advance(nanoseconds: $0) }
    }

    /// What does the same as both, one after the other; nil for nothing.
    public static func merged(_ first: MonkeyStep, _ second: MonkeyStep) -> MonkeyStep? {
        guard case .advance(let one) = first, case .advance(let other) = second else { return nil }
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? nil : .advance(nanoseconds: sum)
    }

    /// Whether each step can be done where it stands: who is home can't go home, and only who is interrupted can be dismissed to.
    public static func isSensible(_ steps: [MonkeyStep], _ terms: MonkeyTerms) -> Bool {
        var app = MonkeyApp(terms)
        for step in steps {
            guard app.can(step) else { return false }
            app.take(step)
        }
        return true
    }
}
