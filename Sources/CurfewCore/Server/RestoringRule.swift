/// Whether an app's next launch is to restore what it showed before: `restored=true ended=REASON` of `didFinishLaunching`;
/// one for each app of a task list.
///
/// Only what somebody hadn't done with is restored, and not what ends as soon as it is.
public struct RestoringRule: Sendable, Hashable {
    private let shortLife: Span
    private var lastReason: EndReason?
    private var isRestored = false
    /// How many restored runs in a row, up to the last one, have lived shorter than that; 0 and more.
    public private(set) var shortLives = 0

    /// What a restored run must live to count as one that could be restored.
    public static let shortestLife = Span.seconds(10)
    /// So many restored runs, one after the other, that don't, and the next begins anew.
    public static let allowedFailures = 2

    /// `timeScale`: divides `shortestLife`; above 0.
    public init(timeScale: Double = 1) { shortLife = Self.shortestLife.scaled(by: timeScale) }

    /// It is launched: why its last run was over, if it is to be restored; nil where it begins anew.
    public mutating func launched() -> EndReason? {
        isRestored = shortLives < Self.allowedFailures && lastReason?.isRestored == true
        if !isRestored { shortLives = 0 }
        return isRestored ? lastReason : nil
    }

    /// As a server before has kept it: how the last run was over, and `shortLives` by then; below 0 it counts as 0.
    public mutating func restore(_ end: RunEnd, shortLives: Int) {
        ended(end)
        self.shortLives = max(0, shortLives)
    }

    /// A run is over. One that was asked to end isn't restored, whatever ended it then.
    public mutating func ended(_ end: RunEnd) {
        let isShort = isRestored && end.life < shortLife
        // That its server ended so soon says nothing of it.
        if !isShort || end.request != .serverEnd { shortLives = isShort ? shortLives + 1 : 0 }
        switch end.request {
        case .quit, .remove: lastReason = nil
        case .serverEnd, nil: lastReason = end.reason
        }
    }
}

extension EndReason {
    /// Whether the app went on as far as its user was concerned: ended for others' sake, not by itself nor by hand.
    fileprivate var isRestored: Bool {
        switch self {
        case .exit: false
        case .kill(let reason): reason.isJetsam || reason == .supervisorExit
        case .reboot: true
        }
    }
}
