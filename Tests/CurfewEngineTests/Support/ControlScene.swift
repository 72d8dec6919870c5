import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

/// A control server over a real socket, with a real core behind it and a machine that is a fake; one app, `a`, in front, unless
/// others are there as well.
final class ControlScene: ControlHost, EngineHost, AdvanceHost {
    let kernel = FakeKernel(Journal())
    let loop = EventLoop.make()
    private let folder = ScratchFolder()
    private let listening: Descriptor
    private let isShared: Bool
    private let maximumOwners: Int
    private var clients: [ControlClient] = []
    private(set) lazy var engine = Engine(kernel: kernel, host: self)
    private(set) lazy var control = ControlServer(
        listening: listening, loop: loop, host: self, isShared: isShared, maximumOwners: maximumOwners,
        accept: { [unowned self] in acceptFails != 0 ? acceptFails : movedUp(curfew_unix_accept($0)) })
    private var logs: [AppID: EventLog] = [:]
    /// The first app's.
    var log: EventLog { log(of: .a) }
    let allApps: [AppID]
    /// What a server would answer by itself.
    var served: Set<ControlVerb> = []
    /// What a server or its member does with requests, answers, and connections that are closed.
    var serves: ((ControlRequest, ControlVerb) -> Bool)?
    var takes: ((Message, ControlSession) -> Bool)?
    var forgets: ((ConnectionID) -> Void)?
    var sendsHome: ((AppID) -> Void)?
    var changes: ((LifecycleState) -> Void)?
    var answersInOrder = false
    /// What apps have said that has come of events.
    private(set) var completions: [String] = []
    /// What a server does when a source has written something, or is answered.
    var sources: ((Int) -> Void)?
    /// Whom requests concern that name none.
    var defaultApp: AppID? = .a
    private(set) var inputs: [Input] = []

    /// What whoever sends by the socket may do.
    var senders = ControlSession.Role.operator
    var tellsSenders = true
    /// The processes of the app, besides `leader`.
    var members: Set<Int32> = [getpid()]
    var leader: Int32 = 1_000_000_001
    var isLeaderGone = false
    /// What accepting answers, where it isn't 0.
    var acceptFails: Int32 = 0
    /// Above this number a descriptor that is accepted is put, where it isn't 0.
    var acceptsAbove: Int32 = 0
    /// Whether what clients ask for waits, and isn't told to the core.
    var isHeldUp = false
    private(set) var sentHome = 0
    private(set) var raisedLimits = 0
    private(set) var unheard = 0

    /// `isShared`: as a server of several apps has it.
    init(_ apps: [AppID] = [.a], isShared: Bool = false, maximumOwners: Int = TaskOwners.maximum) {
        allApps = apps
        self.isShared = isShared
        self.maximumOwners = maximumOwners
        listening = Descriptor(curfew_unix_listen(folder.path + "/a.sock", 64))
        for app in apps.reversed() {
            engine.launch(app, Policy(profile: .ios4))
            engine.feed(.app(app, .started))
        }
        _ = control
        inputs = []
    }

    deinit {
        for client in clients { client.close() }
        control.closeAll()
        var (listening, epoll) = (listening, loop.epoll)
        listening.close()
        epoll.close()
        folder.remove()
    }

    private func movedUp(_ number: Int32) -> Int32 {
        guard acceptsAbove > 0, number >= 0 else { return number }
        defer { close(number) }
        return fcntl(number, F_DUPFD_CLOEXEC, acceptsAbove)
    }

    // MARK: Clients

    /// One that waits at the socket.
    func connect() -> ControlClient {
        let client = ControlClient(Descriptor(curfew_unix_connect(folder.path + "/a.sock", 0)))
        clients.append(client)
        return client
    }

    /// A connection that waits at the socket, for whoever makes something of it.
    func connection() -> Descriptor { Descriptor(curfew_unix_connect(folder.path + "/a.sock", 0)) }

    /// One whose session is held.
    func client() -> ControlClient {
        let client = connect()
        run()
        return client
    }

    /// The app's own pipe.
    func pipe(of app: AppID = .a) -> ControlClient {
        var pair: [Int32] = [-1, -1]
        _ = pair.withUnsafeMutableBufferPointer { curfew_socketpair($0.baseAddress) }
        control.addPipe(
            Descriptor(pair[0]), childsEnd: Descriptor(fcntl(pair[1], F_DUPFD_CLOEXEC, 0)), of: app)
        let client = ControlClient(Descriptor(pair[1]))
        clients.append(client)
        return client
    }

    /// Operators' sessions that only count.
    func addIdleSessions(_ count: Int) {
        for _ in 0..<count {
            _ = connect()
            turn()
        }
    }

    /// Control pipes of the first app that only count.
    func addIdlePipes(_ count: Int) {
        for _ in 0..<count { control.addPipe(.none, childsEnd: .none, of: .a) }
    }

    // MARK: The loop

    /// What is ready now is dealt with once; false when nothing was.
    @discardableResult
    func turn(within milliseconds: Int32 = 0) -> Bool {
        let ready = loop.ready(within: milliseconds)
        for event in ready {
            guard let (kind, number) = EventLoop.Kind.of(event.token) else { continue }
            switch kind {
            case .listener: control.acceptSessions()
            case .connection: control.serve(ConnectionID(number), events: event.events)
            case .owner: control.ownerExited(OwnerID(number))
            case .source: sources?(number)
            default: Issue.record("\(kind) woke the loop")
            }
        }
        return !ready.isEmpty
    }

    /// Until nothing is ready.
    func run() {
        for _ in 0..<10_000 where !turn() { return }
        Issue.record("something is always ready")
    }

    /// Sends lines, and what came back.
    func ask(_ client: ControlClient, _ lines: String...) -> [String] {
        client.send(lines)
        run()
        return client.read()
    }

    /// All that comes while a client reads as long as there is something.
    func drain(_ client: ControlClient) -> [String] {
        var lines: [String] = []
        for _ in 0..<100_000 {
            run()
            let more = client.read()
            if more.isEmpty { return lines }
            lines += more
        }
        Issue.record("it never ends")
        return lines
    }

    // MARK: What the server is told

    var now: Instant { kernel.now }
    var lifecycleNow: Instant { engine.now.lifecycle }
    func feed(_ input: Input) {
        inputs.append(input)
        if !isHeldUp { engine.feed(input) }
    }
    func app(_ app: AppID) -> App? { engine.core.app(app) }
    func name(of app: AppID) -> String { app == .a ? "backup" : "app-\(app.letter)" }
    func defaultApp(for verb: ControlVerb) -> AppID? { defaultApp }
    /// A pid is that of the leader of an app.
    func app(named name: String) -> AppID? {
        allApps.first { self.name(of: $0) == name } ?? (Int32(name) == leader ? .a : nil)
    }
    func knows(_ name: String) -> Bool { name == "resting" || hasScheduled(name) }
    func hasScheduled(_ name: String) -> Bool { name == "waiting" }
    func remaining(of app: AppID) -> Span? { engine.core.remaining(of: app, at: engine.now) }
    func raiseDescriptorLimit() { raisedLimits += 1 }
    func clientLeftUnheard() { unheard += 1 }

    func serve(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        if serves?(request, verb) == true { return true }
        guard served.contains(verb) else { return false }
        if verb == .status { control.statusOfAll(request) } else { control.accept(request) }
        return true
    }

    func took(_ answer: Message, from session: ControlSession) -> Bool { takes?(answer, session) == true }

    func completed(_ event: Event, _ result: FetchResult, by app: AppID) {
        completions.append("\(event.name) \(result.rawValue)")
    }

    func sessionClosed(_ session: ConnectionID) { forgets?(session) }

    func sendJoinedHome(_ app: AppID) { sendsHome?(app) }

    func beginAdvance(_ request: ControlRequest, of app: AppID) -> (code: String, why: String)? {
        desk.begin(request, of: app)
    }

    func prepareStatus(of app: AppID) {}
    func statusFields(of app: App) -> [Field] { [Field("state", app.state.rawValue)] }
    func recentEvents(of app: AppID) -> ArraySlice<EventLog.Entry> { log(of: app).recent }
    func clientSentHome(_ app: AppID) { sentHome += 1 }
    func clientOpens(_ app: AppID) {}
    func role(of sender: curfew_sender) -> ControlSession.Role {
        #expect(sender.pid == getpid())
        return senders
    }
    /// Of each app.
    func contains(_ pid: Int32, app: AppID) -> Bool { members.contains(pid) }
    func mainPid(of app: AppID) -> Int32 { leader }
    func livingLeader(of app: AppID) -> Int32? { isLeaderGone ? nil : leader }

    // MARK: What the engine tells

    func deliver(_ delivery: Delivery, to app: AppID) {
        control.deliver(delivery, delivery.message(containment: "tree"))
    }
    func reply(_ reply: Reply, to request: RequestID) { control.reply(reply, to: request) }
    func record(_ record: EventRecord, of app: AppID) {
        control.tell(logs[app, default: EventLog()].append(record, at: kernel.now), of: app)
    }
    func willEnd(_ app: AppID, _ report: KillReport) {}
    func willSignal(_ app: AppID, _ signal: Int32) {}
    func pressureChanged(to level: PressureLevel, available: UInt64?) {}
    func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState) { changes?(to) }
    func ended(_ app: AppID, _ ending: Ending) { desk.answer() }

    // MARK: Held time

    var desk: AdvanceDesk { AdvanceDesk(host: self) }
    var pendingAdvance: PendingAdvance?
    /// What is seen of the app's threads at each look.
    var activity = Activity(threads: 1)
    func activity(of app: AppID) -> Activity { activity }
    func log(of app: AppID) -> EventLog { logs[app] ?? EventLog() }
    func reply(to request: ControlRequest, _ message: Message) { control.reply(to: request, message) }

    /// Why channels were dropped, so far.
    /// Clients that belong to no app.
    private(set) var droppedClients: [String] = []

    func noteDropped(client pid: Int32, because reason: String) {
        droppedClients.append("\(pid == getpid() ? "this process" : "another"): \(reason)")
    }

    var drops: [String] {
        log.entries.compactMap { if case .channelDropped(let reason) = $0.record { reason } else { nil } }
    }

    var notes: [Note] { log.entries.compactMap { if case .note(let note) = $0.record { note } else { nil } } }
}

/// The other end of a session, which reads only when it is told to.
final class ControlClient {
    private var descriptor: Descriptor
    private var rest: [UInt8] = []
    /// Whether the server has closed its end.
    private(set) var isClosed = false

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    func send(_ lines: [String]) { send(raw: lines.map { $0 + "\n" }.joined()) }

    func send(raw text: String) {
        var text = text
        let sent = text.withUTF8 {
            Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        #expect(sent == text.utf8.count)
    }

    /// The lines that are there; of events without their number and time.
    func read() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            // What it has left unread makes its end a reset.
            if count == 0 || count < 0 && errno == ECONNRESET { isClosed = true }
            if count <= 0 { break }
            rest += buffer[..<count]
        }
        guard let end = rest.lastIndex(of: 10) else { return [] }
        defer { rest.removeFirst(end + 1) }
        return rest[..<end].split(separator: 10, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self).split(separator: " ").filter {
                !$0.hasPrefix("time=") && !$0.hasPrefix("number=")
            }.joined(separator: " ")
        }
    }

    func close() { descriptor.close() }
}
