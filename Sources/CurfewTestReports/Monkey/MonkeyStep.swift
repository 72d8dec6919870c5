/// One of the things that a monkey does to an app.
public enum MonkeyStep: Sendable, Hashable {
    case home
    case open
    case interrupt
    case dismiss
    case warn
    /// Above 0.
    case advance(nanoseconds: Int64)

    /// The statement of a scenario that does it.
    public var line: String {
        switch self {
        case .home: "home"
        case .open: "open"
        case .interrupt: "interrupt"
        case .dismiss: "dismiss"
        case .warn: "warn"
        case .advance(let nanoseconds): "advance " + MonkeyTime.text(nanoseconds)
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
    public static func isSensible(_ steps: [MonkeyStep]) -> Bool {
        var app = MonkeyApp()
        for step in steps {
            guard app.can(step) else { return false }
            app.take(step)
        }
        return true
    }
}

/// What a monkey knows of the app that it plays with.
struct MonkeyApp {
    private(set) var isOpen = true
    private(set) var isInterrupted = false
    /// Since it went home, in nanoseconds; at most, for time stops at what happens.
    private(set) var away: Int64 = 0

    func can(_ step: MonkeyStep) -> Bool {
        switch step {
        case .home: isOpen
        case .open: !isOpen
        case .interrupt: isOpen && !isInterrupted
        case .dismiss: isInterrupted
        // Away it may be suspended, and then it is refused.
        case .warn: isOpen
        case .advance: true
        }
    }

    mutating func take(_ step: MonkeyStep) {
        switch step {
        case .home:
            isOpen = false
            isInterrupted = false
            away = 0
        case .open: isOpen = true
        case .interrupt: isInterrupted = true
        case .dismiss: isInterrupted = false
        case .warn: break
        case .advance(let nanoseconds):
            let (sum, overflows) = away.addingReportingOverflow(nanoseconds)
            if !isOpen { away = overflows ? .max : sum }
        }
    }
}

/// Times of a monkey's steps, in nanoseconds.
enum MonkeyTime {
    static let millisecond: Int64 = 1_000_000
    /// From the roundest.
    private static let units: [Int64] = [60_000, 10_000, 1_000, 100, 10, 1].map { $0 * millisecond }

    /// As `9m54s950ms`; what is below a millisecond, as decimals of these.
    static func text(_ nanoseconds: Int64) -> String {
        let (minutes, seconds) = (nanoseconds / 60_000_000_000, nanoseconds / 1_000_000_000 % 60)
        let (milliseconds, rest) = (nanoseconds / millisecond % 1_000, nanoseconds % millisecond)
        var text = ""
        if minutes > 0 { text += "\(minutes)m" }
        if seconds > 0 { text += "\(seconds)s" }
        if milliseconds > 0 || rest > 0 || text.isEmpty {
            let digits = String(rest)
            let decimals = rest == 0 ? "" : "." + String(repeating: "0", count: 6 - digits.count) + digits
            text += "\(milliseconds)\(decimals)ms"
        }
        return text
    }

    /// Each is rounder, or as round and shorter; so simplifying ends.
    static func simpler(_ nanoseconds: Int64) -> [Int64] {
        var found: [Int64] = []
        for unit in units {
            let down = nanoseconds / unit * unit
            // As round already: the half, then one less.
            let candidates = down == nanoseconds ? [down / 2 / unit * unit, down - unit] : [down, down + unit]
            for candidate in candidates where candidate > 0 && candidate != nanoseconds && !found.contains(candidate) {
                found.append(candidate)
            }
            if down == nanoseconds { break }
        }
        return found
    }
}
