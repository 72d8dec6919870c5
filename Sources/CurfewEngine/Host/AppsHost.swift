import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What each supervisor does for the apps that it holds: waits for everything that concerns one of them, and enforces its
/// policy. Which apps those are, and when it is over, its subclass knows.
///
/// One thread, one epoll. The files beside this one hold its parts: `+Holding`, `+Signals`, `+Reapers`, `+Senders`,
/// `+Proxy`, `+Deadlines`, `+Turns`, `+Control`, `+Delivery`, `+Notify`, `+Settings`, `+Resources`, `+Sleep`, `+Status`, `+Advance`;
/// `Report` has `+Report`.
/// What a subclass can have otherwise stands here, for Swift overrides nothing that an extension declares.
class AppsHost {
    let options: SupervisorOptions
    let callersMask: UInt64
    let journal: Journal?
    let kernel = LiveKernel()
    /// What the engine asks of the machine, where a test puts something in the kernel's place.
    private let substitute: (any Kernel)?
    /// Ours, and whose each is.
    var children = ChildRegistry()
    private(set) lazy var engine = Engine(
        kernel: substitute ?? kernel, host: self, foregroundPlaces: options.foregroundPlaces)

    var loop = EventLoop.none
    var signals = Descriptor.none
    var timer = DeadlineTimer()
    /// When it was last seen that there is something to do.
    private(set) var turnBegan = Instant(nanoseconds: 0)
    /// Of ourselves alone, from when an app is started on.
    var descriptors = DescriptorLimit(count: 1024) {
        didSet {
            staleSweep.holdsLock = descriptors.isAmple
            control?.descriptors = descriptors
        }
    }
    /// Whose processes were reaped last; nil where one was among them of which that isn't known, and for whoever reaps in another
    /// way.
    private(set) var reapedApps: [AppID]?
    var ignoredSignals = IgnoredSignals()
    var stops = SupervisorStops()
    /// Of what dead supervisors have left beside the apps' cgroups; its turns come by the timer.
    var staleSweep = StaleSweep()
    /// Whether nothing more is waited for.
    var isOver = false

    /// Nil where no app has a lifecycle.
    var control: ControlServer? { didSet { control?.descriptors = descriptors } }
    var notifyServer: NotifyServer?
    /// What `NOTIFY_SOCKET` says.
    var notifyName = ""
    /// Tells when processes wait for memory; nil where nobody asked, or nothing tells.
    var pressure: Pressure?
    var pendingAdvance: PendingAdvance?

    typealias Kind = EventLoop.Kind

    var epoll: Descriptor { loop.epoll }

    init(_ options: SupervisorOptions, callersMask: UInt64, journal: Journal?, machine: (any Kernel)? = nil) {
        self.options = options
        substitute = machine
        self.callersMask = callersMask
        self.journal = journal
    }

    // MARK: Which app

    /// Whom a request concerns that comes from outside every app, and names none; nil where it has to.
    func defaultApp(for verb: ControlVerb) -> AppID? { nil }

    func knows(_ name: String) -> Bool { false }

    func hasScheduled(_ name: String) -> Bool { false }

    /// A line on standard error.
    func tellPeople(_ line: String) { StandardError.print(line) }

    /// For whoever has no app that could tell of it.
    func noteDropped(client pid: Int32, because reason: String) {}

    /// The one of that name; nil where none of that name runs.
    func app(called name: String) -> AppID? { kernel.instances.all.first { $0.name == name }?.id }

    /// Whether the answers on one connection keep the order of the requests; else each comes when it is known.
    var answersInOrder: Bool { false }

    /// A client has gone that had asked for nothing.
    func clientLeftUnheard() {}

    /// Does what is asked of a server itself; false where the request is about an app.
    func serve(_ request: ControlRequest, _ verb: ControlVerb) -> Bool { false }

    /// The app in whose cgroup of that name a process is.
    func app(ofCgroup name: Substring) -> AppID? {
        kernel.instances.all.first { $0.tree.containment.unified?.path.hasSuffix("/" + name) == true }?.id
    }

    /// Where a process stands; nil where no app is held. `deadline`: as `Ancestry` has it.
    func place(of pid: Int32, until deadline: Int64 = .max) -> ProcessPlace? {
        var app: AppID?
        let ancestry = Ancestry(
            of: pid, supervisor: getpid(), until: deadline,
            ownsCgroup: {
                app = self.app(ofCgroup: $0)
                return app != nil
            },
            ownsTreeOf: {
                // What is below a reaper is its app's, and it isn't itself.
                app = $0 == pid && isSubreaper($0) ? nil : children.app(of: $0)
                return app != nil
            })
        return ProcessPlace(ancestry, app)
    }

    /// Whose process it is; nil for a stranger's, and for one that is gone. `deadline`: as `Ancestry` has it.
    func app(of pid: Int32, until deadline: Int64) -> AppID? { place(of: pid, until: deadline)?.app }

    /// Reaps all that have ended. `willReap`: told of each app before its first one is.
    ///
    /// Returns the apps whose they were.
    @discardableResult
    func reapAll(_ willReap: (Instance) -> Void) -> [Instance] {
        var concerned: [Instance] = []
        var isKnown = true
        defer { reapedApps = isKnown ? concerned.map(\.id) : nil }
        while let pid = children.nextEnded {
            // While it isn't reaped its cgroup still tells whose it was.
            let instance = (children.app(of: pid) ?? place(of: pid)?.app).flatMap { kernel.instances[$0] }
            if instance == nil { isKnown = false }
            if let instance, !instance.hasEnds {
                willReap(instance)
                concerned.append(instance)
            }
            guard let report = children.reap(pid) else { break }
            if instance?.subreaper?.pid == pid {
                instance?.subreaperEnded { [unowned self] in isSubreaper($0) }
            } else {
                instance?.reaped(report)
            }
        }
        return concerned
    }

    // MARK: What follows

    /// A signal to this process that isn't a child's.
    func heard(_ signal: curfew_signal_info) {}

    func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState) {}

    func ended(_ app: AppID, _ ending: Ending) { if pendingAdvance?.app == app { answerAdvance() } }

    func willSignal(_ app: AppID, _ signal: Int32) {}

    /// A client wanted it sent home, and that was done as far as it could be.
    func clientSentHome(_ app: AppID) {}

    /// A client wants it in front, and nothing is in the way of that; it may be there already.
    func clientOpens(_ app: AppID) {}

    /// Another process than before is the one whose end is the run's.
    func mainProcessChanged(of instance: Instance, to pid: Int32) {}

    // MARK: The terminal

    /// Whether any app has a reaper of its own.
    var hasSubreapers: Bool { false }

    /// The process that waits for the app; nil where none does.
    var proxyPid: Int32? { nil }

    /// Job control is told where the app was stopped.
    func noteStop(of instance: Instance) {}

    /// Whether what is typed is for the app, which is stopped.
    func getsKeys(_ app: AppID) -> Bool { false }

    /// Another number when its terminal was read or written.
    func terminalStamp(of app: AppID) -> UInt64 { 0 }

    /// What a server keeps has answered.
    func recordsAnswered() {}

    /// A source of a server has written something, or is answered.
    func sourceTold(_ number: Int) {}

    /// The wall clock, the machine's zone, or what shows notifications.
    func scheduleTold(by kind: Kind) {}

    /// What an app says has come of an event that it was woken for.
    func completed(_ event: Event, _ result: FetchResult, by app: AppID) {}

    /// What `status` tells of it besides.
    func moreStatusFields(of app: AppID) -> [Field] { [] }

    // MARK: Servers, and apps of other supervisors that take part there

    func sendJoinedHome(_ app: AppID) {}

    func took(_ answer: Message, from session: ControlSession) -> Bool { false }

    func sessionClosed(_ session: ConnectionID) {}

    /// The server that the app takes part in; nil where there is none.
    var joinedServer: String? { nil }

    /// How many of its last events are kept.
    func eventsKept(of app: AppID) -> Int { EventLog.capacity }

    /// Whether each app may keep descriptors that spare a system call or a wake-up, and nothing else.
    var keepsSpares: Bool { true }

    // MARK: The host's own time

    /// When `hostsTimeCame` has to be called, by lifecycle time; nil: not at all.
    var hostsDeadline: Instant? { nil }

    /// Called at every deadline.
    func hostsTimeCame() {}

    // MARK: Reports

    /// Whether what an app has used is told of each run.
    var isReported: Bool { true }

    /// Whether this end is looked into and told of, and leaves a report.
    func isTold(_ report: KillReport) -> Bool { true }

    /// The one that is looked at before time kills it; nil where none is.
    var foreseen: Instance? { nil }

    /// Whether `--report` was given.
    var hasReportFile: Bool { false }

    /// To that file, where there is one.
    func write(_ report: JSON) {}

    // MARK: The loop

    /// Until it is over.
    func waitForAll() { while !isOver { waitOnce() } }

    func waitOnce() {
        let armed = armTimer()
        let milliseconds = pendingAdvance == nil ? armed : millisecondsToAdvance()
        withUnsafeTemporaryAllocation(of: curfew_ready.self, capacity: 16) { ready in
            let count = curfew_epoll_wait(epoll.number, ready.baseAddress, 16, milliseconds)
            turnBegan = kernel.now
            // Without a descriptor for a timer what is due is heeded whatever has come: once we are late our own waker
            // signals us each time.
            if armed == 0 || count <= 0 && milliseconds >= 0 { handleDeadline() }
            handleAll(UnsafeBufferPointer(rebasing: ready[..<max(0, Int(count))]))
            if !isOver, pendingAdvance != nil { continueAdvance(isIdle: count <= 0) }
        }
    }

    func handle(_ ready: curfew_ready) {
        guard let (kind, number) = Kind.of(ready.token) else { return }
        switch kind {
        case .signals: readSignals()
        case .timer: handleDeadline()
        case .listener: control?.acceptSessions()
        case .outOfMemory: noteMemoryLimit(of: AppID(number))
        case .connection: control?.serve(ConnectionID(number), events: ready.events)
        case .owner: control?.ownerExited(OwnerID(number))
        case .notify: notifyServer?.read()
        case .mainProcess: mainProcessEnded(Int32(number))
        case .settings: settingsChanged(of: AppID(number))
        case .memoryMark: memoryMarkReached(by: AppID(number))
        case .pressure: StallNews(host: self).told(ready.events)
        case .input: inputCame(for: AppID(number))
        case .records: recordsAnswered()
        case .reaper: reaperTold(AppID(number))
        case .source: sourceTold(number)
        case .wallTimer, .zone, .desktop: scheduleTold(by: kind)
        }
    }
}

extension AppsHost: EngineHost {
    func record(_ record: EventRecord, of app: AppID) {
        guard let instance = kernel.instances[app] else { return }
        for record in instance.toldNow(record) {
            let entry = instance.log.append(record, at: kernel.now, capacity: eventsKept(of: app))
            control?.tell(entry, of: app)
        }
    }

    /// What concerns each app.
    func recordOfAll(_ record: EventRecord) {
        for instance in kernel.instances.all { self.record(record, of: instance.id) }
    }

    func pressureChanged(to level: PressureLevel, available: UInt64?) {
        recordOfAll(.pressure(level, available: available))
    }
}
