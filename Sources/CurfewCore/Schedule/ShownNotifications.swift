/// Which notifications are on the desktop: how many programs show them is bounded, however many are due at once.
public struct ShownNotifications: Sendable {
    /// How one is shown.
    public enum Way: Sendable, Hashable {
        /// With its button: a program waits for what becomes of it.
        case waiting(Int)
        /// Without; shown at once, and forgotten.
        case passing(Int)
        /// Not by itself: one that is shown later tells how many these were.
        case summedUp
    }

    /// Those that weren't shown by themselves, and are to be now.
    public struct Summary: Sendable, Hashable {
        public let number: Int
        /// How many of each app, by its name.
        public let apps: [String: Int]
    }

    /// So many wait for an answer at most.
    public static let maximumWaiting = 16
    /// So many others are being shown at most.
    public static let maximumPassing = 16
    /// So long an answer is waited for.
    public static let patience = Span.seconds(3600)

    private var waiting: Set<Int> = []
    private var passing: Set<Int> = []
    private var unshown: [String: Int] = [:]
    private var lastNumber = 0

    public init() {}

    public mutating func show(of app: String, hasAction: Bool) -> Way {
        if hasAction, waiting.count < Self.maximumWaiting {
            let number = next()
            waiting.insert(number)
            return .waiting(number)
        }
        // After those that are to be summed up nobody comes first.
        guard passing.count < Self.maximumPassing, unshown.isEmpty else {
            unshown[app, default: 0] += 1
            return .summedUp
        }
        let number = next()
        passing.insert(number)
        return .passing(number)
    }

    /// Its program is over. Returns what is to be shown now in one, where something is.
    public mutating func ended(_ number: Int) -> Summary? {
        waiting.remove(number)
        passing.remove(number)
        guard !unshown.isEmpty, passing.count < Self.maximumPassing else { return nil }
        let summary = Summary(number: next(), apps: unshown)
        unshown = [:]
        passing.insert(summary.number)
        return summary
    }

    private mutating func next() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
