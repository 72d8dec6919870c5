import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

/// A supervisor of one app in this process, on a machine that is a fake; the test is its proxy, by the shared pages, and the app's
/// leader a child that does nothing. As for a supervisor, all of its children are the app's.
final class RunScene {
    let journal = Journal()
    let kernel: FakeKernel
    let pages = SharedPages()
    let leader: Sleeper
    let proxy: Int32
    let host: RunHost
    let instance: Instance

    /// In front, its program started; what that brought about is taken already.
    ///
    /// `proxy`: nobody's parent, unless it is said, so that nobody is rung for.
    init(
        proxy: Int32 = .max - 3, leader: Sleeper = Sleeper(),
        _ change: (Manifest, SupervisorOptions) -> Void = { _, _ in }
    ) {
        self.proxy = proxy
        self.leader = leader
        kernel = FakeKernel(journal)
        let (manifest, options) = (Manifest.sample(), SupervisorOptions())
        change(manifest, options)
        host = RunHost(
            RunPlan(manifest, options), page: pages.page, proxy: proxy, callersMask: 0, report: nil, journal: nil,
            channelNumber: 8, machine: kernel)
        host.draft.name = "mail"
        let tree = ProcessTree(
            containment: .tree, leader: leader.pid, ownGroup: 0, method: .both, root: .descendants(of: getpid()))
        instance = Instance(RunHost.app, name: "mail", manifest, tree, startedAt: host.kernel.now)
        host.kernel.instances.insert(instance)
        host.children.register(leader.pid, of: RunHost.app)
        let signals = CommandSignals(callersMask: 0, callerIgnoredChild: false, timeout: manifest.policy.timeout)
        host.console = Console(
            manifest, options.onSupervisorExit, page: pages.page, proxy: proxy, signals: signals, terminal: nil,
            host: host)
        host.begin(instance, manifest.launch)
        _ = journal.take()
    }

    private var isLeaderOver = false

    deinit { if !isLeaderOver { leader.end() } }

    /// The signal that has ended the leader.
    func leadersEnd() -> Int32? {
        isLeaderOver = true
        return leader.endingSignal()
    }

    var state: LifecycleState? { host.engine.core.app(RunHost.app)?.state }
    var records: [String] { instance.log.entries.map(\.record.brief) }

    /// A signal to the supervisor itself; what came of it, of what is asked of the machine.
    @discardableResult
    func hears(_ signal: Int32, from sender: SignalSender = .kernel) -> [String] {
        let code = sender == .kernel ? Int32(SI_KERNEL) : Int32(SI_USER)
        var info = curfew_signal_info()
        info.signal = signal
        info.code = code
        info.pid = sender.pid ?? 0
        host.heard(info)
        return journal.take()
    }

    /// The proxy has something to tell, and rings.
    @discardableResult
    func isTold(_ signal: Int32, from sender: SignalSender = .kernel, number: UInt32 = 0) -> [String] {
        pages.put(signal, from: sender, number: number)
        return hears(Int32(CURFEW_DOORBELL))
    }

    /// Has these end, instead of children of this process.
    func setEnded(_ pids: Int32...) {
        var left = pids
        host.children = ChildRegistry { way in
            guard way == .reapAny, !left.isEmpty else { return .nothing }
            return .report(ChildReport(pid: left.removeFirst(), change: .exited(code: 3), cpuMicroseconds: 0))
        }
    }
}

extension RunScene {
    /// What is ready now is dealt with.
    func turn() {
        for ready in host.loop.ready(within: 0) { host.handle(ready) }
    }
}
