/// How dear an app is when memory runs short; the lowest goes first.
///
/// Source: XNU bsd/sys/kern_memorystatus.h, whose ladder has these steps among others: idle, background opportunistic,
/// background, foreground.
public enum Band: Int, Sendable, Hashable, Comparable, CaseIterable {
    case suspended = 0
    case background = 20
    case backgroundWithTasks = 30
    case foreground = 100

    public static func < (left: Band, right: Band) -> Bool { left.rawValue < right.rawValue }

    /// For people and reports.
    public var name: String {
        switch self {
        case .suspended: "suspended"
        case .background: "background"
        case .backgroundWithTasks: "background with tasks"
        case .foreground: "foreground"
        }
    }
}

extension App {
    /// An app that has just left the foreground isn't yet counted among the suspended.
    ///
    /// Source: XNU bsd/kern/kern_memorystatus.c: apps age in band 20 for 10 s / 5 before they are idle.
    public static let ageing = Span.seconds(2)

    /// Where it stands now. Falling asleep in front is no home, unless apps are to go when memory is short for long.
    public func band(at now: Moment) -> Band {
        if isInForeground || isAsleep && policy.sleep?.exitsWhenIdle != true { return .foreground }
        if !tasks.isEmpty { return .backgroundWithTasks }
        let isAgeing = leftForegroundAt.map { now.lifecycle < $0 + App.ageing } ?? false
        return isSuspending && !isAgeing ? .suspended : .background
    }

    /// In this stay in background; by lifecycle time.
    private var leftForegroundAt: Instant? { phase.isAway ? phase.stay.leftForegroundAt : nil }

    /// When it came to where it stands now.
    func bandSince(at now: Moment) -> Instant {
        switch band(at: now) {
        case .foreground, .background: stateSince
        case .backgroundWithTasks: max(stateSince, backgroundTasks.open.first?.begun ?? stateSince)
        case .suspended: max(stateSince, leftForegroundAt.map { $0 + App.ageing } ?? stateSince)
        }
    }
}
