/// Something that is to be kept.
public enum StoreChange: Sendable, Hashable {
    /// The app as it is now, new or not; `toFront`: it is the most recent one from now on, as one that wasn't on the list is anyway.
    case appLaunched(StoredApp, toFront: Bool)
    /// Its app is there already.
    case runBegan(StoredRun)
    /// Of the app's latest run.
    case runEnded(app: String, number: Int, StoredRun.End)
    case appRemoved(String)
    case moveToFront(String)
    /// When it is to be launched again, in microseconds since 1970, and after which pause; nil: it isn't. Its next launch forgets both.
    case restartPlanned(String, pause: Int64?, due: Int64?)
    /// So many restored launches of it in a row have ended at once; its next launch forgets it.
    case restoredEndsSet(String, Int)
    /// New, or in place of one of the same key; its app needn't have run.
    case notificationKept(StoredNotification)
    /// So many of its moments have come; nil: it waits no more.
    case notificationPassed(StoredNotification.Key, Int64?)
    /// The number at an app's name; 0: none.
    case badgeSet(String, Int)
    /// In place of what was kept of the same app.
    case fetchSet(StoredFetch)
    case opened(StoredOpening)
    case pushKept(StoredPush)
    /// That one was delivered then; 0: a later one has taken its place.
    case pushDelivered(app: String, number: Int, at: Int64)
    /// New, or in place of one of the same key.
    case requestKept(StoredRequest)
    /// It waits no more.
    case requestOver(StoredRequest.Key)
    /// One after the other, and all in one transaction.
    case together([StoreChange])
    /// Takes away the runs and apps beyond the bounds of `StoreBounds`.
    case pruneRuns
}

/// What the store is asked for; each request is answered by one `StoreCompletion`.
public enum StoreRequest: Sendable, Hashable {
    case load
    /// Past runs, the latest first; nil: of all apps.
    case history(app: String?, limit: Int)
    /// What was pushed under that number.
    case push(app: String, number: Int)
    case change(StoreChange)
}

/// Which request it was. Later requests have higher numbers.
public struct StoreTicket: Sendable, Hashable, Comparable {
    let number: UInt64

    public static func < (left: StoreTicket, right: StoreTicket) -> Bool { left.number < right.number }
}

/// What became of a request. Completions come in the order of requests.
public struct StoreCompletion: Sendable, Hashable {
    public var ticket: StoreTicket
    public var result: StoreResult
}

public enum StoreResult: Sendable, Hashable {
    /// Committed: it survives SIGKILL and a power failure.
    case kept
    /// It counts, and will be written once that is possible; until then it is in memory alone, as `StoreState` says.
    case held
    /// Somebody else's transaction was open for `StoreBounds.busyMilliseconds`. Nothing of it was kept.
    case busy
    /// There is no such app, notification or request, or this isn't its latest run. Nothing changed.
    case unknown
    case loaded(StoredServer)
    case history([StoredRun])
    /// Nil: there is none of that number any more.
    case push(StoredPush?)
    /// What was asked for couldn't be read.
    case unreadable(StoreTrouble)
}

/// `StoreBounds.waitingRequests` are waiting already; nothing was done.
public struct StoreBusy: Error, Hashable {}

/// How much is waited for, and how much is kept.
public enum StoreBounds {
    /// So many requests wait for an answer at most.
    public static let waitingRequests = 64
    /// So many notes wait to be written at most; those beyond are lost, and counted.
    public static let waitingNotes = 65_536
    /// So long somebody else's transaction is waited for.
    public static let busyMilliseconds: Int64 = 2_000
    /// So long a lock is waited for whose holder is gone.
    public static let lockMilliseconds: Int64 = 1_000
    /// So many runs of an app are kept.
    public static let runsOfAnApp = 1_000
    /// So many runs are kept in all.
    public static let runs = 100_000
    /// So many commands without a manifest are kept once they were removed.
    public static let removedCommands = 256
    /// Openings older than that, in microseconds, say nothing more.
    public static let openingsMemory: Int64 = 28 * 86_400 * 1_000_000
    /// So many pushes of an app are kept.
    public static let pushesOfAnApp = 64
    /// So many openings are held in memory while they can't be written.
    public static let heldOpenings = 1_024
    /// So many runs are held in memory while they can't be written.
    public static let heldRuns = 4_096
    /// So many databases are moved aside by one server: with more, it isn't the file that is at fault.
    public static let movedAside = 3
}
