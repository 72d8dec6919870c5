import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The composition for one app, which ends with it: the supervisor of `curfew run` and `curfew timeout`. Launches the app once,
/// has a proxy that waits for it and may have a terminal, and tells how it ended.
///
/// The files beside this one hold its parts: `+Launch`, `+News`, `+Console`, `+Joining`, `+Timeout`, `+Ending`.
final class RunHost: AppsHost {
    /// The number of the one app.
    static let app = AppID(1)

    let manifest: Manifest
    let page: SharedPage
    let proxy: Int32
    let report: ReportFile?
    /// The number that `CURFEW_FD` names.
    let channelNumber: Int32

    var draft = Draft()
    var socket: NamedSocket?
    var console: Console?
    var hooks: HookRunner?
    var ending: Ending?
    /// Nil without `--join`, and where no server was there.
    var membership: ServerMembership?
    var serverConnection = Descriptor.none
    /// What is said once the terminal isn't the app's.
    var lateWords: [String] = []

    /// Nil before the program runs.
    var instance: Instance? { kernel.instances[Self.app] }

    /// What is made for an app before its program runs; undone where it never does.
    struct Draft {
        var name = ""
        var containment = Containment.tree
    }

    init(
        _ plan: RunPlan, page: SharedPage, proxy: Int32, callersMask: UInt64, report: ReportFile?, journal: Journal?,
        channelNumber: Int32, machine: (any Kernel)? = nil
    ) {
        manifest = plan.manifest
        self.page = page
        self.proxy = proxy
        self.report = report
        self.channelNumber = channelNumber
        super.init(plan.options, callersMask: callersMask, journal: journal, machine: machine)
    }

    func run() -> Never {
        do throws(LaunchError) {
            hooks = try HookRunner.start(manifest.eventHooks, callersMask: callersMask)
            leaveProxyGroup(
                proxy, as: manifest.hasLifecycle ? SupervisorName.ofApp : SupervisorName.withoutApp)
            try launch()
        } catch {
            fail(error)
        }
        waitForAll()
        finish()
    }

    // MARK: The one app

    override func defaultApp(for verb: ControlVerb) -> AppID? { Self.app }

    override func place(of pid: Int32, until deadline: Int64 = .max) -> ProcessPlace? {
        guard let ancestry = instance?.tree.ancestry(of: pid, until: deadline) else { return nil }
        return ProcessPlace(ancestry, ancestry.isOurs ? Self.app : nil)
    }

    /// In its cgroup's list, too: that one tells where /proc doesn't.
    override func app(of pid: Int32, until deadline: Int64) -> AppID? {
        instance?.tree.contains(pid, until: deadline) == true ? Self.app : nil
    }

    /// Every orphan is the one app's, for there is no other.
    @discardableResult
    override func reapAll(_ willReap: (Instance) -> Void) -> [Instance] {
        if let instance { willReap(instance) }
        children.reap { [kernel] in kernel.instances[$1 ?? Self.app]?.reaped($0) }
        return kernel.instances.all
    }

    // MARK: What follows

    override func heard(_ signal: curfew_signal_info) { heardByProxy(signal) }

    override func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState) {
        // Not where it starts or ends: nothing changes hands then.
        if from != .notRunning, to != .notRunning { console?.handle(.stateChanged(from: from, to: to)) }
        // Asleep until it is opened: the shell gets its prompt, as at home.
        if from == .active, to == .suspended, engine.core.app(app)?.sleepsUntilOpened == true {
            console?.handle(.sentHome)
        }
        membership?.stateChanged(to: to)
        if !lateWords.isEmpty, !to.isForeground { sayLateWords() }
    }

    override func ended(_ app: AppID, _ ending: Ending) {
        self.ending = ending
        isOver = true
        super.ended(app, ending)
    }

    override func willSignal(_ app: AppID, _ signal: Int32) { tellSignal(app, signal) }

    /// The shell gets its prompt, as it does after Ctrl-Z.
    override func clientSentHome(_ app: AppID) { console?.handle(.sentHome) }

    override func mainProcessChanged(of instance: Instance, to pid: Int32) {
        page.mainPid = pid
        membership?.pidChanged(to: pid)
    }

    // MARK: The server that it takes part in

    override func serve(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        membership?.answer(request, verb) == true
    }

    override func took(_ answer: Message, from session: ControlSession) -> Bool {
        membership?.took(answer, from: session) == true
    }

    override func sessionClosed(_ session: ConnectionID) { membership?.closed(session) }

    override func waitOnce() {
        super.waitOnce()
        membership?.look()
    }

    override var joinedServer: String? { membership?.takesPart == true ? membership?.server : nil }

    // MARK: The terminal

    override var proxyPid: Int32? { proxy }

    /// Job control knows what a stop means; where it means nothing it isn't looked for.
    override func noteStop(of instance: Instance) {
        guard manifest.hasLifecycle, let console, console.hasTerminal,
            let signal = instance.stopSignal(orLeftIn: console.stoppableGroup)
        else { return }
        console.handle(.appStopped(by: signal))
    }

    override func getsKeys(_ app: AppID) -> Bool { console?.getsKeys(whileAsleep: isAsleep(app)) ?? true }

    override func terminalStamp(of app: AppID) -> UInt64 { console?.terminal?.stamp ?? 0 }

    // MARK: Reports

    override var isReported: Bool { report != nil }

    override var foreseen: Instance? { instance }

    override var hasReportFile: Bool { report != nil }

    override func write(_ report: JSON) { self.report?.write(report) }
}
