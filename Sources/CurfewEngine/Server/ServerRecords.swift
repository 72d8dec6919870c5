import CurfewCore
import CurfewLinux

/// What a server keeps of an app.
public struct AppRecord: Sendable, Hashable {
    public var name: String
    public var source: DefinitionSource
    /// What it was when it was launched last; of a bare command all there is to know. Environments aren't kept.
    public var command: [ByteString]
    public var options: [String]
    public var directory: ByteString?
    /// Off the task list, until somebody opens it.
    public var isRemoved = false
    /// How often it was launched; the number of its latest run.
    public var launches = 0
    /// Nil where none is kept.
    public var lastRun: RunRecord?
    /// Nil where it isn't to be launched again by itself.
    public var restart: RestartRecord?
    /// How many restored runs in a row have ended at once.
    public var restoredEnds = 0

    public init(
        name: String, source: DefinitionSource, command: [ByteString], options: [String] = [],
        directory: ByteString? = nil
    ) {
        self.name = name
        self.source = source
        self.command = command
        self.options = options
        self.directory = directory
    }
}

/// A launch to come.
public struct RestartRecord: Sendable, Hashable {
    /// From the end of the last run, in microseconds.
    public var pause: Int64
    /// In microseconds since 1970.
    public var due: Int64

    public init(pause: Int64, due: Int64) {
        self.pause = pause
        self.due = due
    }
}

/// Where it stands what an app is.
public enum DefinitionSource: Sendable, Hashable {
    case manifest, desktop
    /// Nowhere but with the server.
    case bare
}

/// One run of an app.
public struct RunRecord: Sendable, Hashable {
    public var app: String
    /// From 1 on.
    public var number: Int
    /// In microseconds since 1970.
    public var began: Int64
    public var pid: Int32
    public var wasInFront: Bool
    /// Nil while it runs, and where nobody has seen its end.
    public var end: End?

    public struct End: Sendable, Hashable {
        /// In microseconds since 1970.
        public var ended: Int64
        public var reason: EndReason
        /// As a shell tells it; nil where nobody knows.
        public var status: Int32?
        /// CPU time in microseconds.
        public var cpu: Int64?
        /// In bytes, the largest footprint seen.
        public var peak: Int64?

        public init(ended: Int64, reason: EndReason, status: Int32? = nil, cpu: Int64? = nil, peak: Int64? = nil) {
            self.ended = ended
            self.reason = reason
            self.status = status
            self.cpu = cpu
            self.peak = peak
        }
    }

    public init(app: String, number: Int, began: Int64, pid: Int32, wasInFront: Bool, end: End? = nil) {
        self.app = app
        self.number = number
        self.began = began
        self.pid = pid
        self.wasInFront = wasInFront
        self.end = end
    }
}

/// What is kept of a notification that waits.
public struct NotificationRecord: Sendable, Hashable {
    public var app: String
    public var notification: LocalNotification
    /// How many of its moments have come.
    public var passed: Int64

    public init(app: String, notification: LocalNotification, passed: Int64) {
        self.app = app
        self.notification = notification
        self.passed = passed
    }
}

/// What is kept of how an app fetches.
public struct FetchRecord: Sendable, Hashable {
    public var app: String
    /// What it has asked for: zero, as often as may be; infinite, never; nil: it hasn't.
    public var asked: Span?
    public var lastFetch: WallTime?
    public var fruitless: Int

    public init(app: String, asked: Span?, lastFetch: WallTime?, fruitless: Int) {
        self.app = app
        self.asked = asked
        self.lastFetch = lastFetch
        self.fruitless = fruitless
    }
}

/// What is kept of a remote notification.
public struct PushRecord: Sendable, Hashable {
    public var app: String
    /// Of all the server's.
    public var number: Int
    public var received: WallTime
    public var apnsID: String?
    /// Whether nothing of it is shown.
    public var isSilent: Bool
    /// Nil: not yet; zero: never, for a later one has taken its place.
    public var delivered: WallTime?
    /// JSON, as it came.
    public var payload: String

    public init(
        app: String, number: Int, received: WallTime, apnsID: String?, isSilent: Bool, delivered: WallTime? = nil,
        payload: String
    ) {
        self.app = app
        self.number = number
        self.received = received
        self.apnsID = apnsID
        self.isSilent = isSilent
        self.delivered = delivered
        self.payload = payload
    }
}

/// What is kept of a refresh or processing request that waits.
public struct RequestRecord: Sendable, Hashable {
    public var app: String
    public var request: TaskRequest
    public var submitted: WallTime

    public init(app: String, request: TaskRequest, submitted: WallTime) {
        self.app = app
        self.request = request
        self.submitted = submitted
    }
}

/// All that a server finds when it starts.
public struct KeptServer: Sendable {
    /// The most recently used first; those that were removed, too.
    public var apps: [AppRecord]
    /// Whether the machine was started anew since: what ran then was ended by that.
    public var isAfterReboot: Bool
    /// What waits of each app that has some, in no order that means anything; `passed`: how many of its moments have come.
    public var notifications: [String: [(notification: LocalNotification, passed: Int64)]]
    /// Of the apps that have one, by name.
    public var badges: [String: Int]
    public var fetches: [FetchRecord]
    /// Of the app of that name, the oldest first.
    public var openings: [(app: String, opening: UseHabits.Opening)]
    /// In the order of their numbers.
    public var pushes: [PushRecord]
    /// In the order of their submission.
    public var requests: [RequestRecord]

    public init(
        apps: [AppRecord] = [], isAfterReboot: Bool = false,
        notifications: [String: [(notification: LocalNotification, passed: Int64)]] = [:], badges: [String: Int] = [:],
        fetches: [FetchRecord] = [],
        openings: [(app: String, opening: UseHabits.Opening)] = [], pushes: [PushRecord] = [],
        requests: [RequestRecord] = []
    ) {
        self.apps = apps
        self.isAfterReboot = isAfterReboot
        self.notifications = notifications
        self.badges = badges
        self.fetches = fetches
        self.openings = openings
        self.pushes = pushes
        self.requests = requests
    }
}

/// What became of what was asked of the records.
public enum RecordAnswer: Sendable, Hashable {
    /// Committed, or held in memory where that can't be just now.
    case done
    /// Somebody else has had them open for too long; nothing was changed.
    case busy
    case runs([RunRecord])
    /// Nil: there is none of that number any more.
    case push(PushRecord?)
    case unreadable(String)
}

/// Why a server can't start on what a server before has kept; that stays as it is.
public struct RecordsRefusal: Error, Sendable, Hashable {
    public var status: Int32
    public var problem: String

    public init(status: Int32, problem: String) {
        self.status = status
        self.problem = problem
    }
}

/// Keeps what a server is to find again; nothing here waits for a disk.
public protocol ServerRecords: AnyObject {
    /// Readable while there is something to take.
    var descriptor: Int32 { get }
    /// `ok`, or one word for what is wrong.
    var word: String { get }
    /// Why things are in memory alone just now, in that word; nil: they are kept.
    var trouble: String? { get }
    /// Blocks; once, before anything else.
    func load() -> KeptServer
    /// For which nobody waits. `toFront`: it is the most recently used one from now on.
    func noteLaunch(of app: AppRecord, _ run: RunRecord, toFront: Bool)
    /// `restart`: what is to follow; it is known whenever the end is. `restoredEnds`: of its app, with this one;
    /// 0 from its launch on.
    func noteEnd(of app: String, run number: Int, _ end: RunRecord.End, _ restart: RestartRecord?, restoredEnds: Int)
    /// Another than was noted with its end; nil: none any more.
    func noteRestart(of app: String, _ restart: RestartRecord?)
    func noteOpening(of app: String)
    /// So many of its moments have come; nil: it waits no more.
    func noteNotification(_ id: String, of app: String, passed: Int64?)
    /// The number at its name; 0: none.
    func noteBadge(_ badge: Int, of app: String)
    func noteFetch(_ fetch: FetchRecord)
    /// `delivered`: zero: it never is.
    func notePush(_ number: Int, of app: String, delivered: WallTime)
    func noteOpening(_ opening: UseHabits.Opening, of app: String)
    /// It waits no more.
    func noteRequestOver(_ id: String, of app: String)
    /// These are answered by `takeAnswers`, under the number that they return; nil: too many wait.
    func remove(_ app: String) -> Int?
    /// New, or in place of one of the same id.
    func keep(_ notification: NotificationRecord) -> Int?
    func keep(_ fetch: FetchRecord) -> Int?
    func keep(_ push: PushRecord) -> Int?
    func push(_ number: Int, of app: String) -> Int?
    /// New, or in place of one of the same id.
    func keep(_ request: RequestRecord) -> Int?
    func dropRequests(_ ids: [String], of app: String) -> Int?
    func dropNotifications(_ ids: [String], of app: String) -> Int?
    /// Past runs, the latest first; nil: of all apps.
    func history(of app: String?, limit: Int) -> Int?
    /// In the order of what was asked.
    func takeAnswers() -> [(number: Int, answer: RecordAnswer)]
    /// What people are to be told.
    func takeNews() -> [String]
    /// Blocks until all that was noted is written, or can't be.
    func stop()
}
