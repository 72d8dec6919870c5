/// What a monkey knows of the app that it plays with.
struct MonkeyApp {
    private let terms: MonkeyTerms
    private(set) var isOpen = true
    private(set) var isInterrupted = false
    /// Since it went home, in nanoseconds; at most, for time stops at what happens.
    private(set) var away: Int64 = 0
    /// Whether it was woken since it went home: a plain one runs then.
    private var isWoken = false
    /// Since it was launched.
    private var wakes = 0

    init(_ terms: MonkeyTerms) { self.terms = terms }

    func can(_ step: MonkeyStep) -> Bool {
        switch step {
        case .home: isOpen
        case .open: !isOpen
        case .interrupt: isOpen && !isInterrupted
        case .dismiss: isInterrupted
        // Away it may be suspended, and then it is refused.
        case .warn: isOpen
        case .wake: wakes < terms.wakes
        case .pressure, .shortage: terms.isPressed
        case .reclaim: terms.isReclaimed && !isOpen && !isWoken
        case .post, .quit, .advance: true
        }
    }

    mutating func take(_ step: MonkeyStep) {
        if step.isLaunch { self = MonkeyApp(terms) }
        switch step {
        case .home:
            isOpen = false
            isInterrupted = false
            isWoken = false
            away = 0
        case .open: isOpen = true
        case .interrupt: isInterrupted = true
        case .dismiss: isInterrupted = false
        case .wake:
            wakes += 1
            isWoken = true
        case .warn, .post, .pressure, .reclaim, .shortage, .quit: break
        case .advance(let nanoseconds):
            let (sum, overflows) = away.addingReportingOverflow(nanoseconds)
            if !isOpen { away = overflows ? .max : sum }
        }
    }
}
