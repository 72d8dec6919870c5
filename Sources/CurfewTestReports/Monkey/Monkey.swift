/// Thinks out what to do to an app: random things at random instants, the same for the same seed.
///
/// Most bugs of a lifecycle are where two things nearly meet, so most instants are near those at which something falls due.
public struct Monkey: Sendable {
    /// How likely each is, of all that can be done.
    private static let weights: [(step: MonkeyStep?, weight: Int)] = [
        (.home, 12), (.open, 12), (.interrupt, 2), (.dismiss, 4), (.warn, 2), (.post, 2), (.wake, 2), (.pressure, 1),
        (.reclaim, 2), (.shortage, 1), (.quit, 1), (nil, 16),
    ]
    /// How far from an instant is near it, in milliseconds.
    private static let near = 50
    private static let year: Int64 = 365 * 86_400 * 1_000_000_000

    /// When something falls due after going home, in nanoseconds, ascending.
    private let due: [Int64]
    private var generator: SplitMix64
    private var app: MonkeyApp

    /// For an app that was just launched. What falls due in more than a year isn't waited for.
    public init(seed: UInt64, _ terms: MonkeyTerms) {
        due = terms.due.filter { (1...Monkey.year).contains($0) }.sorted()
        app = MonkeyApp(terms)
        generator = SplitMix64(seed: seed)
    }

    /// What it does next.
    public mutating func next() -> MonkeyStep {
        let step = choice() ?? .advance(nanoseconds: time())
        app.take(step)
        return step
    }

    /// So many steps.
    public mutating func steps(_ count: Int) -> [MonkeyStep] { (0..<count).map { _ in next() } }

    /// Nil for an advance.
    private mutating func choice() -> MonkeyStep? {
        let possible = Monkey.weights.filter { entry in entry.step.map { app.can($0) } ?? true }
        var drawn = generator.below(possible.reduce(0) { $0 + $1.weight })
        for entry in possible {
            drawn -= entry.weight
            if drawn < 0 { return entry.step }
        }
        return nil
    }

    private mutating func time() -> Int64 {
        let kind = generator.below(10)
        if kind < 5, !app.isOpen, let time = timeNearDue() { return time }
        if kind < 8 { return Int64(1 + generator.below(2 * Monkey.near)) * MonkeyTime.millisecond }
        // As likely between 1 and 2 s as between 1 and 2 min; the longest is over what falls due last.
        let longest = max(1_000, (due.last ?? 0) / MonkeyTime.millisecond * 2)
        let bits = generator.below(Int64.bitWidth - longest.leadingZeroBitCount)
        return (1 << Int64(bits) + Int64(generator.below(1 << bits))) * MonkeyTime.millisecond
    }

    /// Up to one of the instants yet to come, or some milliseconds before or after it; nil where none is to come.
    private mutating func timeNearDue() -> Int64? {
        let ahead = due.filter { $0 > app.away }
        guard !ahead.isEmpty else { return nil }
        let rest = ahead[generator.below(ahead.count)] - app.away
        let shift = generator.below(3) == 0 ? 0 : generator.below(2 * Monkey.near + 1) - Monkey.near
        return max(MonkeyTime.millisecond, rest + Int64(shift) * MonkeyTime.millisecond)
    }
}
