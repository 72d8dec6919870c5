/// How a supervisor does its work, whichever app it holds.
///
/// A class, as `Manifest` is.
public final class SupervisorOptions {
    /// What messages begin with.
    public var caller = "curfew: run"
    /// Whether signals that are sent to an app are told.
    public var isVerbose = false
    /// And what it was doing when its time was over.
    public var tellsProcesses = false
    /// Where the machine is short of memory, in its own terms; nil: it isn't watched.
    public var memoryLow: Amount?
    /// Where the disk is too full.
    public var diskLow: Amount?
    /// What durations are divided by.
    public var timeScale = 1.0
    /// Whether lifecycle time stands still but for `curfew advance`.
    public var holdsTime = false
    /// Whether what can't be enforced here is refused, and not only told.
    public var isStrict = false
    public var reportPath: String?
    /// Where the core's inputs are recorded.
    public var journalPath: String?
    public var onSupervisorExit = OnSupervisorExit.kill
    /// How many apps may be in front at once.
    public var foregroundPlaces = 1
    /// The server that the app takes part in; nil: in none.
    public var joinedServer: String?

    public init() {}
}

/// So many bytes, or so much of what there is.
public enum Amount: Sendable, Hashable {
    case bytes(UInt64)
    /// Above 0 and up to 100.
    case percent(Double)

    func bytes(of total: UInt64) -> UInt64 {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let percent): UInt64(Double(total) * percent / 100)
        }
    }
}

/// What becomes of the app when one half of Curfew, supervisor or keeper, is killed.
public enum OnSupervisorExit: String, Sendable, Hashable, CaseIterable {
    case kill
    case resume
}
