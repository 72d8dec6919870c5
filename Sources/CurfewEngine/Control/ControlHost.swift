import CCurfew
import CurfewCore
import CurfewWire

/// What the control channel needs of whoever holds the apps. It knows no descriptors and no sessions.
protocol ControlHost: AnyObject {
    /// Real time, which messages are counted by.
    var now: Instant { get }
    /// The time of promises.
    var lifecycleNow: Instant { get }
    func feed(_ input: Input)
    /// As the core has it; nil when it has none of that number.
    func app(_ app: AppID) -> App?
    func name(of app: AppID) -> String
    func remaining(of app: AppID) -> Span?
    /// Called before the app's status is told: what nobody tells of is looked at now.
    func prepareStatus(of app: AppID)
    func statusFields(of app: App) -> [Field]
    /// What has happened to it, as far as it is kept.
    func recentEvents(of app: AppID) -> ArraySlice<EventLog.Entry>
    /// A client wanted it sent home, and that was done as far as it could be.
    func clientSentHome(_ app: AppID)
    /// A client wants it in front, and nothing is in the way of that; it may be there already.
    func clientOpens(_ app: AppID)
    /// Begins to move lifecycle time, and answers itself; or why it doesn't: a code, and words.
    func beginAdvance(_ request: ControlRequest, of app: AppID) -> (code: String, why: String)?
    /// No descriptor was left for a client: somebody has lowered our limit.
    func raiseDescriptorLimit()
    func record(_ record: EventRecord, of app: AppID)
    /// A client that belongs to no app was dropped for what it did.
    func noteDropped(client pid: Int32, because reason: String)
    /// A connection has ended by which nothing was ever asked.
    func clientLeftUnheard()
    /// Does what an operator asks of the server itself, or of an app that doesn't run, and answers; false where the request is
    /// about an app as any supervisor has one.
    func serve(_ request: ControlRequest, _ verb: ControlVerb) -> Bool
    /// Takes the answer of one that was asked something itself; false where nothing was asked there.
    func took(_ answer: Message, from session: ControlSession) -> Bool
    /// What an app says has come of an event that it was woken for.
    func completed(_ event: Event, _ result: FetchResult, by app: AppID)
    /// The connection is no more.
    func sessionClosed(_ session: ConnectionID)

    /// Whether the answers on one connection keep the order of the requests, whatever is answered late.
    var answersInOrder: Bool { get }

    // MARK: Which app

    /// Whom a request concerns that comes from outside every app, and names none; nil where it has to.
    func defaultApp(for verb: ControlVerb) -> AppID?
    /// By its name, or by the pid of any process of it; nil where no such app is held.
    func app(named name: String) -> AppID?
    var allApps: [AppID] { get }
    /// Whether it is an app that doesn't run just now.
    func knows(_ name: String) -> Bool
    /// Whether something waits for the app of that name, be it running or not.
    func hasScheduled(_ name: String) -> Bool

    // MARK: Processes

    /// What a process may do, looked at now.
    func role(of sender: curfew_sender) -> ControlSession.Role
    /// Whether `role` can tell one from another; else why not is told to those it refuses.
    var tellsSenders: Bool { get }
    func contains(_ pid: Int32, app: AppID) -> Bool
    /// The process whose end is the run's.
    func mainPid(of app: AppID) -> Int32
    /// Nil once it is gone.
    func livingLeader(of app: AppID) -> Int32?
}
