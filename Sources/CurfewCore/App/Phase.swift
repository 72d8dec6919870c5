/// Where an app is in its life, with what it has there and nowhere else.
///
/// A stay in background stands beside the place, and not in it nor in an optional: what a case of an enum carries is copied
/// out and in with each look and each change, which makes a step of the core half as long again.
struct Phase: Sendable, Hashable {
    private(set) var place: Place
    /// Of the last stay in background; means something as long as the app is away, and is a new one for each stay.
    var stay: Away

    enum Place: Sendable, Hashable {
        case starting
        case foreground(isActive: Bool)
        /// In background, and running.
        case running
        /// In background, and its stop has been ordered.
        case suspended(isConfirmed: Bool)
        /// What it had left, and whether it was throttled, is shown to the last.
        case over(remaining: Span, isThrottled: Bool)

        /// In front or in background, and not stopped.
        var isRunning: Bool {
            switch self {
            case .foreground, .running: true
            case .starting, .suspended, .over: false
            }
        }
    }

    init() {
        place = .starting
        stay = Away(budget: .zero, grace: nil, leftForegroundAt: nil)
    }

    // MARK: Where it is

    var isStarting: Bool { if case .starting = place { true } else { false } }

    var isRunning: Bool { place.isRunning }

    var isRunningAway: Bool { if case .running = place { true } else { false } }

    var isSuspending: Bool { if case .suspended = place { true } else { false } }

    var isAway: Bool { isRunningAway || isSuspending }

    var isOver: Bool { if case .over = place { true } else { false } }

    // MARK: What it has there

    /// Nil outside of a stay in background, where setting it does nothing.
    var away: Away? {
        get { isAway ? stay : nil }
        set { if let newValue, isAway { stay = newValue } }
    }

    /// What lets it run on in background; nil where it doesn't.
    var run: Away.Run? {
        get { isRunningAway ? stay.run : nil }
        set { if let newValue, isRunningAway { stay.run = newValue } }
    }

    /// Nil where its stop hasn't been ordered.
    var suspension: Away.Suspension? {
        get { isSuspending ? stay.suspension : nil }
        set { if let newValue, isSuspending { stay.suspension = newValue } }
    }

    // MARK: Moving

    mutating func enterForeground(isActive: Bool) { place = .foreground(isActive: isActive) }

    mutating func goAway(_ stay: Away) {
        self.stay = stay
        place = .running
    }

    /// From background.
    mutating func suspend() {
        stay.suspension = Away.Suspension()
        place = .suspended(isConfirmed: false)
    }

    mutating func confirmSuspension() { place = .suspended(isConfirmed: true) }

    /// Into background.
    mutating func resume(grace: Countdown?) {
        stay.run = Away.Run(grace: grace)
        place = .running
    }

    mutating func end(remaining: Span, isThrottled: Bool) {
        place = .over(remaining: remaining, isThrottled: isThrottled)
    }
}
