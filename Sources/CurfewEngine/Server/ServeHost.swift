import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The composition for many apps: the server of `curfew serve`. Launches them as it is asked to, has one or some of them in front,
/// and goes on when they have ended.
///
/// The files beside this one hold its parts: `+Launch`, `+Requests`, `+Records`, `+Schedules`, `+Joining`, `+Sources`, `+Manager`,
/// `+Ending`, `+Departures`.
final class ServeHost: AppsHost {
    let plan: ServerPlan
    let page: SharedPage
    let proxy: Int32
    let definitions: any AppDefinitions
    let machine: ServerMachine
    lazy var errors = WaitingLines(write: machine.tell)
    /// Nil where nothing is kept.
    private(set) var records: (any ServerRecords)?
    private let openRecords: () throws(RecordsRefusal) -> (any ServerRecords)?
    /// What was asked of the records, by its number there.
    var recordRequests: [Int: RecordRequest] = [:]
    /// Whom a server before has left to be launched again.
    var unseen: [UnseenEnd] = []

    var apps = ServedApps()
    var numbers = AppNumbers()
    var directory = RuntimeDirectory(path: "")
    var socket: NamedSocket?
    var cgroups: ServerCgroups?
    /// What each app's reaper is started from, where apps need one; nil where they don't, or can't have one.
    private(set) var reaperImage: SubreaperImage?
    var links: [AppID: AppLink] = [:]
    var output: OutputWriter?
    var environment = ServerEnvironment.own()
    /// Of bare commands.
    var environments = RecentEnvironments()
    /// What its program had before it raised its own; each app's, where nothing else is said.
    let descriptorLimit = ResourceLimit.ofDescriptors()
    private var orders: OrderSweep?
    /// Before anything else is opened; nil where a launch has nothing of them.
    private(set) var slots: LaunchSlots?
    /// Of the machine, of the user, of our cgroup; as it was found last.
    var processLimit: ProcessLimit?
    /// What the last launch got, the lowest that was free; 0 once an app has ended since.
    var lastDescriptor: Int32 = 0
    /// Its apps are on their way out, and it is with them.
    var isEnding = false
    /// Requests that are answered once no app of these runs any more.
    var waiting: [EndWait] = []
    private var watchesMemory = false
    private var droppedClients = OnceASecond()
    /// Nil where nobody wants to be told how it is.
    var manager: ServiceManager?
    /// Whether what was told last has arrived.
    var managerHears = true
    /// Those of other supervisors.
    private(set) lazy var joined = JoinDesk(host: self)
    /// Nil where there are none.
    var sources: SourceDesk?
    private let zones: any ZoneTables
    /// What apps have scheduled.
    private(set) lazy var desk = ScheduleDesk(host: self, zones: zones)

    /// A request for the end of some apps.
    struct EndWait {
        let request: ControlRequest
        var apps: Set<AppID>
        /// Who is to be off the list then; nil: nobody.
        let removed: String?
    }

    init(
        _ plan: ServerPlan, page: SharedPage, proxy: Int32, callersMask: UInt64, definitions: any AppDefinitions,
        zones: any ZoneTables, machine: ServerMachine? = nil,
        records: @escaping () throws(RecordsRefusal) -> (any ServerRecords)?
    ) {
        self.plan = plan
        self.page = page
        self.proxy = proxy
        self.definitions = definitions
        self.machine = machine ?? ServerMachine(launches: LiveLaunchSystem(proxy: proxy))
        self.zones = zones
        openRecords = records
        super.init(plan.options, callersMask: callersMask, journal: nil, machine: machine?.kernel)
    }

    func run() -> Never {
        curfew_keep_descriptors_from_programs(3)
        desk.desktop = DesktopRunner.start(callersMask: callersMask)
        slots = LaunchSlots()
        let defined: ReloadedDefinitions
        do throws(LaunchError) {
            try prepareSources()
            leaveProxyGroup(proxy, as: SupervisorName.ofApp)
            findManager()
            defined = try prepare()
        } catch {
            fail(error)
        }
        launchAtStart(defined)
        sources?.begin(in: loop)
        desk.begin()
        manager?.ready(status: statusText, at: kernel.now)
        waitForAll()
        finish()
    }

    // MARK: Before the first app

    /// Whoever has mistyped a folder would else have a server without apps.
    func loadDefinitions() throws(LaunchError) -> ReloadedDefinitions {
        do throws(DefinitionRefusal) {
            return try definitions.load()
        } catch {
            throw LaunchError(125, error.problem)
        }
    }

    /// What is written of apps is read once the name is ours: thousands of manifests, and a second server needs none of them.
    private func prepare() throws(LaunchError) -> ReloadedDefinitions {
        try claimName()
        let defined = try loadDefinitions()
        try takeRecords()
        do throws(KernelError) {
            cgroups = try ServerCgroups.make(plan.containment, name: plan.cgroupName(getpid()), proxy: proxy) {
                page.set(SharedPage.Path($0), $1)
            }
        } catch {
            throw LaunchError(error, for: "--containment \(plan.containment.rawValue)")
        }
        prepareReapers()
        if cgroups?.kind == .cgroup2 { ignoreStopsOfChildren() }
        try makeLoop(signals: Self.waitedSignals)
        descriptors = DescriptorLimit.raised()
        processLimit = ProcessLimit.least()
        complain(capacity.text)
        let notifySocket = try makeNotifySocket()
        kernel.isContinued = { [unowned self] in isContinued($0) }
        loop.add(signals, Kind.signals.token())
        notifyServer = NotifyServer(notifySocket, loop: loop, host: self)
        if let socket {
            control = ControlServer(listening: socket.descriptor, loop: loop, host: self, isShared: true)
        }
        keepOutput()
        loadRecords()
        if options.memoryLow != nil { watchMemory(defaultLow: nil) }
        watchDisk()
        for path in cgroups?.paths ?? [] { findStale(beside: path) }
        if staleSweep.nextTurn != nil { staleSweep.goOn() }
        return defined
    }

    func takeRecords() throws(LaunchError) {
        do throws(RecordsRefusal) {
            records = try openRecords()
        } catch {
            throw LaunchError(error.status, error.problem)
        }
    }

    /// Where no cgroup of version 2 tells whose a process is, being below its app's reaper does; where /proc isn't ours, nothing
    /// would tell that.
    private func prepareReapers() {
        guard let kind = cgroups?.kind, kind != .cgroup2, Procfs.isOurs else { return }
        do throws(KernelError) {
            reaperImage = try SubreaperImage.make()
        } catch {
            complain(
                "no app can have a reaper here: \(error.text); what leaves its app's process group and loses its parent "
                    + "is no app's any more")
        }
    }

    /// A second one of this name is told who has it.
    private func claimName() throws(LaunchError) {
        do throws(KernelError) {
            directory = try RuntimeDirectory.forSupervisor()
            var trusted = try directory.prepare()
            trusted.close()
            let folder = directory.serverFolder
            page.set(.socket, folder.socketPath(plan.name))
            switch try claimSocket(in: folder) {
            case .claimed(let socket): self.socket = socket
            case .taken: throw .taken
            case .blocked: throw .blocked
            }
        } catch {
            throw refusal(error)
        }
        AppLink.removeLeft(of: plan.name, in: directory)
        directory.sweep()
        directory.serverFolder.sweep()
        orders = OrderSweep(folder: directory.serverFolder)
        sweepOrders()
    }

    /// Where each app's processes are our children nobody asks for them, and each would have us look through all for one that
    /// has ended.
    ///
    /// Source: sigaction(2), SA_NOCLDSTOP; of a program that is executed it isn't true any more.
    private func ignoreStopsOfChildren() {
        var action = Glibc.sigaction()
        action.sa_flags = SA_NOCLDSTOP
        _ = sigaction(SIGCHLD, &action, nil)
    }

    private func refusal(_ error: KernelError) -> LaunchError {
        let path = directory.serverSocketPath(plan.name)
        switch error {
        case .taken:
            let holder = Self.listener(at: path).map { ", process \($0)" } ?? ""
            return LaunchError(
                75,
                "the server \(plan.name) is running already\(holder); `curfew serve --stop` ends it, "
                    + "--name gives another a name of its own")
        case .blocked:
            return LaunchError(
                125,
                "a dead server's socket is in the way, \(path), and can't be removed safely: another process "
                    + "holds a lock on its directory; end that one, or remove the socket yourself")
        default: return LaunchError(error)
        }
    }

    /// When a server was killed, a program that it was just starting has its socket for a moment more: nobody is waited for who lives.
    private func claimSocket(in folder: RuntimeDirectory) throws(KernelError) -> NamedSocket.Claim {
        for _ in 0..<Self.claimTries {
            let claim = try NamedSocket.claim(plan.name, in: folder, maker: proxy, while: { getppid() == proxy })
            guard case .taken = claim else { return claim }
            if let holder = Self.listener(at: folder.socketPath(plan.name)), curfew_kill(holder, 0) != -ESRCH {
                return claim
            }
            usleep(10_000)
        }
        return .taken
    }

    /// For a second.
    private static let claimTries = 100

    private static func listener(at path: String) -> Int32? {
        var connection = Descriptor(curfew_unix_connect(path, 1))
        defer { connection.close() }
        var peer = curfew_sender()
        guard connection.isOpen, curfew_peer(connection.number, &peer) == 0, peer.pid > 0 else { return nil }
        return peer.pid
    }

    /// Without it the apps' output is lost, and that is said.
    private func keepOutput() {
        guard let folder = LogFolder.ofThisUser() else {
            return complain("no home directory is known to keep the apps' output in; XDG_STATE_HOME names one")
        }
        do throws(KernelError) {
            output = try OutputWriter(folder: folder, limit: plan.logSize)
        } catch {
            complain("the apps' output can't be kept: \(error.text)")
        }
    }

    func complain(_ problem: String) { tellPeople("\(options.caller): \(problem)") }

    override func tellPeople(_ line: String) { errors.tell(line, at: kernel.now) }

    /// Once, whoever needs it first.
    func watchMemory(defaultLow: Amount?) {
        guard !watchesMemory, options.memoryLow != nil || defaultLow != nil else { return }
        watchesMemory = true
        watchMachine(defaultLow: defaultLow)
    }

    // MARK: Which app

    override func defaultApp(for verb: ControlVerb) -> AppID? { verb == .home ? engine.core.foregroundApp : nil }

    override func hasScheduled(_ name: String) -> Bool { desk.schedules[name]?.nextDue != nil }

    /// It is on the list, or somebody has written what it is, be it wrong.
    override func knows(_ name: String) -> Bool {
        if apps.list.contains(name) { return true }
        do throws(DefinitionRefusal) {
            return try knownDefinition(of: name) != nil
        } catch {
            return true
        }
    }

    override func app(called name: String) -> AppID? { apps.app(named: name) }

    override func app(ofCgroup name: Substring) -> AppID? {
        guard let app = ServerCgroups.number(inName: name).map({ AppID($0) }), kernel.instances[app] != nil else {
            return nil
        }
        return app
    }

    override var hasSubreapers: Bool { reaperImage != nil }

    override var answersInOrder: Bool { true }

    override func serve(_ request: ControlRequest, _ verb: ControlVerb) -> Bool { answer(request, verb) }

    // MARK: What follows

    override func heard(_ signal: curfew_signal_info) {
        switch signal.signal {
        case Int32(CURFEW_DOORBELL): readNews(of: proxy, on: page) { heard($0) }
        case Int32(CURFEW_PROXY_GONE_SIGNAL):
            // Anybody can send it, and again; only the kernel gives us another parent, once.
            if getppid() != proxy { endWithoutProxy() }
        case SIGCONT: break  // It has been its purpose to continue us.
        default: obey(signal.signal, SignalSender(code: signal.code, pid: signal.pid))
        }
    }

    private func heard(_ news: ProxyNews) {
        switch news {
        case .answered: break
        case .continuedUs: wasStopped { complain("the server was stopped by a signal, and goes on") }
        case .got(let signal, let sender, _): obey(signal, sender)
        }
    }

    /// Of what asks for an end; an app's process has no say.
    private func obey(_ signal: Int32, _ sender: SignalSender) {
        guard [SIGTERM, SIGINT, SIGHUP].contains(signal) else { return }
        if let pid = sender.pid, side(of: pid) == .inside { return noteIgnored(signal, sender) }
        // By somebody; of a terminal's end it is the kernel that tells.
        if signal == SIGHUP, sender != .kernel { return _ = rereadDefinitions() }
        end()
    }

    override func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState) {
        manager?.statusChanged(at: kernel.now)
        if to.isForeground, !from.isForeground { noteOpening(of: app) }
        if to == .suspended { tellOfLeaving(app) }
    }

    /// Where it is there already no change of its state tells.
    override func clientOpens(_ app: AppID) {
        if engine.core.app(app)?.state.isForeground == true { noteOpening(of: app) }
    }

    /// It is the most recently used one.
    func noteOpening(of app: AppID) {
        apps.opened(app)
        records?.noteOpening(of: name(of: app))
        desk.held(name(of: app), false)
        desk.noteOpening(of: name(of: app))
    }

    override func ended(_ app: AppID, _ ending: Ending) {
        super.ended(app, ending)
        forget(app, ending)
    }

    override func noteDropped(client pid: Int32, because reason: String) {
        guard droppedClients.isTold(at: kernel.now) else { return }
        complain("a client, process \(pid), was hung up on: \(reason)")
    }

    override func recordsAnswered() { answerRecords() }

    override func sourceTold(_ number: Int) {
        sources?.told(number)
        endIfDone()
    }

    override func scheduleTold(by kind: Kind) {
        switch kind {
        case .wallTimer: desk.timeCame()
        case .zone: desk.zoneMayHaveChanged()
        default: desk.desktopTold()
        }
    }

    override func completed(_ event: Event, _ result: FetchResult, by app: AppID) {
        if event == .wake(ScheduleDesk.fetchEvent) { desk.fetchCompleted(name(of: app), result) }
        if TaskRequest.Kind(event: event.name) != nil { desk.workCompleted(name(of: app)) }
    }

    override func moreStatusFields(of app: AppID) -> [Field] { desk.fields(of: name(of: app)) + storeFields }

    /// Nothing while everything is kept.
    var storeFields: [Field] { records?.trouble.map { [Field("store", $0)] } ?? [] }

    override func sendJoinedHome(_ app: AppID) { joined.sendHome(app) }

    override func took(_ answer: Message, from session: ControlSession) -> Bool { joined.answered(answer, by: session) }

    override func sessionClosed(_ session: ConnectionID) { joined.closed(session) }

    /// Of thousands that end with the server each has the same to tell, and the reports of all would push out the others.
    override func isTold(_ report: KillReport) -> Bool { !isEnding || report.reason != .userQuit }

    override func eventsKept(of app: AppID) -> Int {
        control?.isFollowed(app) == true ? EventLog.capacity : EventLog.unfollowedCapacity
    }

    /// There are thousands.
    override var keepsSpares: Bool { false }

    // MARK: Orders

    private func sweepOrders() { orders?.look(at: kernel.now.nanoseconds, calendar: curfew_realtime_nanoseconds()) }

    /// It may have left an order. Where it is known that one is there, it is looked for later.
    override func clientLeftUnheard() { if orders?.next == nil { sweepOrders() } }

    // MARK: Its own time

    override var hostsDeadline: Instant? {
        let own =
            isEnding
            ? []
            : [
                apps.nextRestart, orders?.next.map { Instant(nanoseconds: $0) }, desk.nextWorkLook, desk.nextOpening,
            ]
        return (own + [manager?.nextDue, sources?.nextDue, errors.nextTry]).compactMap { $0 }.min()
    }

    override func hostsTimeCame() {
        if !isEnding {
            if let next = orders?.next, next <= kernel.now.nanoseconds { sweepOrders() }
            desk.openPressed()
            restartDue()
            desk.lookAtWork()
        }
        sources?.timePassed()
        endIfDone()
        manager?.timeCame(at: kernel.now) { statusText }
        errors.timeCame(at: kernel.now)
    }
}

extension KernelError {
    /// What `NamedSocket.claim` answers besides what the kernel refuses.
    fileprivate static let taken = KernelError("take", "the name", errno: EADDRINUSE)
    fileprivate static let blocked = KernelError("take", "the name", errno: EBUSY)
}
