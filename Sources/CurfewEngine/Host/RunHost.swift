import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The composition for one app, which ends with it: the supervisor of `curfew run` and `curfew timeout`. Launches the app,
/// waits for everything that concerns it, and enforces its policy.
///
/// One thread, one epoll. The files beside this one hold its parts: `+Launch`, `+Signals`, `+Senders`, `+Control`,
/// `+Delivery`, `+Notify`, `+Settings`, `+Resources`, `+Sleep`, `+Status`, `+Timeout`, `+Advance`, `+Ending`, `+Console`; `Report` has
/// `+Report`.
final class RunHost {
    /// The number of the one app.
    static let app = AppID(1)

    let manifest: Manifest
    let options: SupervisorOptions
    let page: SharedPage
    let front: Int32
    let callersMask: UInt64
    let report: ReportFile?
    let journal: Journal?
    /// The number that `CURFEW_FD` names.
    let channelNumber: Int32
    let kernel = LiveKernel()
    var reaper = Reaper()
    private(set) lazy var engine = Engine(kernel: kernel, host: self)

    var draft = Draft()
    var socket: NamedSocket?
    var loop = EventLoop.none
    var signals = Descriptor.none
    var timer = Descriptor.none
    var armedDeadline: Instant?
    /// When it was last seen that there is something to do.
    var turnBegan = Instant(nanoseconds: 0)
    /// Of ourselves alone, from when the app is started on.
    var descriptors = DescriptorLimit(count: 1024)
    var console: Console?
    var ignoredSignals = IgnoredSignals()
    var stops = SupervisorStops()
    /// Of what dead supervisors have left beside the app's cgroups; its turns come by the timer.
    var staleSweep = StaleSweep()
    var ending: Ending?

    /// Nil where the app has no lifecycle.
    var control: ControlServer?
    var notify: NotifyServer?
    /// What `NOTIFY_SOCKET` says.
    var notifyName = ""
    /// Tells when processes wait for memory; nil where nobody asked, or nothing tells.
    var pressure: Pressure?
    var hooks: HookRunner?
    var pendingAdvance: PendingAdvance?

    typealias Source = EventLoop.Source

    var epoll: Descriptor { loop.epoll }

    /// Nil before the program runs.
    var instance: Instance? { kernel.instances[Self.app] }

    /// What is made for an app before its program runs; undone where it never does.
    struct Draft {
        var name = ""
        var containment = Containment.tree
    }

    init(
        _ plan: RunPlan, page: SharedPage, front: Int32, callersMask: UInt64, report: ReportFile?, journal: Journal?,
        channelNumber: Int32
    ) {
        manifest = plan.manifest
        options = plan.options
        self.page = page
        self.front = front
        self.callersMask = callersMask
        self.report = report
        self.journal = journal
        self.channelNumber = channelNumber
    }

    func run() -> Never {
        do throws(LaunchError) {
            hooks = try HookRunner.start(manifest.eventHooks, callersMask: callersMask)
            leaveFrontsGroup()
            try launch()
        } catch {
            fail(error)
        }
        while ending == nil { waitOnce() }
        finish()
    }

    /// Out of reach of the terminal's signals; and told when the front goes.
    private func leaveFrontsGroup() {
        _ = curfew_set_parent_death_signal(Int32(CURFEW_FRONT_GONE_SIGNAL))
        if getppid() != front { curfew_exit(125) }
        _ = setpgid(0, 0)
        _ = curfew_set_subreaper()
        let name = manifest.hasLifecycle ? SupervisorName.ofApp : SupervisorName.withoutApp
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount) { _ = curfew_set_name($0) }
    }

    private func waitOnce() {
        let armed = armTimer()
        let milliseconds = pendingAdvance == nil ? armed : millisecondsToAdvance()
        withUnsafeTemporaryAllocation(of: curfew_ready.self, capacity: 16) { ready in
            let count = curfew_epoll_wait(epoll.number, ready.baseAddress, 16, milliseconds)
            turnBegan = kernel.now
            // Without a descriptor for a timer what is due is heeded whatever has come: once we are late our own waker
            // signals us each time.
            if armed == 0 || count <= 0 && milliseconds >= 0 { handleDeadline() }
            for index in 0..<max(0, Int(count)) where ending == nil { handle(ready[index]) }
            if ending == nil, pendingAdvance != nil { continueAdvance(isIdle: count <= 0) }
        }
    }

    private func handle(_ ready: curfew_ready) {
        guard let (source, number) = Source.of(ready.token) else { return }
        switch source {
        case .signals: readSignals()
        case .timer: handleDeadline()
        case .listener: control?.acceptSessions()
        case .outOfMemory: noteMemoryLimit(of: AppID(number))
        case .connection: control?.serve(ConnectionID(number), events: ready.events)
        case .owner: control?.ownerExited(OwnerID(number))
        case .notify: notify?.read()
        case .mainProcess: mainProcessEnded(Int32(number))
        case .settings: settingsChanged(of: AppID(number))
        case .memoryMark: memoryMarkReached(by: AppID(number))
        case .pressure: StallNews(host: self).told(ready.events)
        case .input: inputCame(for: AppID(number))
        }
    }

    private func handleDeadline() {
        guard let turn = staleSweep.nextTurn, turn <= turnBegan.nanoseconds else { return handleAppsDeadline() }
        // Not for the sweep alone: each would be a tick in the journal.
        if let deadline = appsDeadline, deadline <= kernel.now { handleAppsDeadline() }
        // Last: nobody waits for it.
        staleSweep.goOn()
    }

    private func handleAppsDeadline() {
        control?.timePassed()
        foreseeKill()
        engine.wake()
    }

    /// In nanoseconds; by then the timer has been heeded.
    private static let wakerDelay: Int64 = 50_000_000

    /// The timer is made when something is first due, and set only when that changes.
    ///
    /// Returns for how many milliseconds to wait where there is no descriptor for one; -1: until something comes.
    private func armTimer() -> Int32 {
        let deadline = timerDeadline
        guard deadline != armedDeadline || !timer.isOpen else { return -1 }
        armedDeadline = deadline
        if !timer.isOpen {
            guard let deadline else { return -1 }
            if !descriptors.isScarce { timer = Descriptor(curfew_timerfd()) }
            guard timer.isOpen else {
                arm(waker: deadline)
                return milliseconds(until: deadline)
            }
            loop.add(timer, Source.timer.token())
        }
        _ = curfew_timerfd_set(timer.number, deadline.map { max(1, $0.nanoseconds) } ?? 0)
        arm(waker: deadline)
        return -1
    }

    /// Somebody can stop us, and the front as well: then the kernel continues us. In vain once we are late anyway.
    private func arm(waker deadline: Instant?) {
        _ = curfew_set_waker(deadline.map { max(1, $0.nanoseconds) + Self.wakerDelay } ?? 0)
    }

    func milliseconds(until deadline: Instant) -> Int32 {
        let left = (deadline - kernel.now).nanoseconds
        return Int32(clamping: (max(0, left) + 999_999) / 1_000_000)
    }
}

extension RunHost: EngineHost {
    func record(_ record: EventRecord, of app: AppID) {
        guard let instance = kernel.instances[app] else { return }
        for record in instance.toldNow(record) {
            let entry = instance.log.append(record, at: kernel.now)
            control?.tell(entry, of: app)
        }
    }

    /// What concerns each app.
    func recordOfAll(_ record: EventRecord) {
        for instance in kernel.instances.all { self.record(record, of: instance.id) }
    }

    func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState) {
        // Not where it starts or ends: nothing changes hands then.
        if from != .notRunning, to != .notRunning { console?.handle(.stateChanged(from: from, to: to)) }
        // Asleep until it is opened: the shell gets its prompt, as at home.
        if from == .active, to == .suspended, engine.core.app(app)?.sleepsUntilOpened == true {
            console?.handle(.sentHome)
        }
    }

    func ended(_ app: AppID, _ ending: Ending) {
        self.ending = ending
        answerAdvance()
    }

    func pressureChanged(to level: PressureLevel, available: UInt64?) {
        recordOfAll(.pressure(level, available: available))
    }
}
