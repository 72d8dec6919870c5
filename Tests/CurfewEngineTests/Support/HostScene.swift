import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

/// A supervisor of several apps in this process, on a machine that is a fake; which children end, a test says.
final class HostScene {
    let journal = Journal()
    let kernel: FakeKernel
    let host: Host
    private let ended = Ended()

    /// What each supervisor knows for itself, as a test has it.
    final class Host: AppsHost {
        var due: Instant?
        var isToldOfKills = true
        var hasReapers = false
        var takesKeys = true
        /// Called at every deadline, and when a source or the records have something to tell.
        var onTime: () -> Void = {}
        var onSource: (Int) -> Void = { _ in }
        var onRecords: () -> Void = {}
        private(set) var mainProcesses: [Int32] = []

        override var hostsDeadline: Instant? { due }
        override func hostsTimeCame() { onTime() }
        override func sourceTold(_ number: Int) { onSource(number) }
        override func recordsAnswered() { onRecords() }
        override func isTold(_ report: KillReport) -> Bool { isToldOfKills }
        override var hasSubreapers: Bool { hasReapers }
        override func getsKeys(_ app: AppID) -> Bool { takesKeys }
        override func mainProcessChanged(of instance: Instance, to pid: Int32) { mainProcesses.append(pid) }
    }

    private final class Ended {
        var reports: [ChildReport] = []

        func wait(_ way: Reaping.Way) -> Reaping.Result {
            guard let report = reports.first else { return .nothing }
            if way != .look { reports.removeFirst() }
            return .report(report)
        }
    }

    init(_ options: SupervisorOptions = SupervisorOptions()) {
        kernel = FakeKernel(journal)
        host = Host(options, callersMask: 0, journal: nil, machine: kernel)
        host.loop = EventLoop.make()
        host.children = ChildRegistry { [ended] in ended.wait($0) }
    }

    /// The waker is this process's.
    deinit {
        _ = curfew_set_waker(0)
        var (timer, epoll, pressure) = (host.timer, host.epoll, host.pressure?.descriptor ?? .none)
        timer.close()
        epoll.close()
        pressure.close()
    }

    /// Nobody has such a number, nor those below.
    static let nobody = Int32.max - 30

    /// In front, its program started. `leader`: nobody, unless it is said; `below`: whose descendants its processes are, the
    /// leader's own unless it is said.
    @discardableResult
    func hold(
        _ id: AppID = .a, leader: Int32? = nil, below supervisor: Int32? = nil, _ change: (Manifest) -> Void = { _ in }
    ) -> Instance {
        let leader = leader ?? Self.nobody - Int32(id.rawValue)
        let manifest = Manifest.sample()
        change(manifest)
        let tree = ProcessTree(
            containment: .tree, leader: leader, ownGroup: 0, method: .both, root: .descendants(of: supervisor ?? leader)
        )
        let instance = Instance(id, name: "app-\(id.letter)", manifest, tree, startedAt: host.kernel.now)
        host.kernel.instances.insert(instance)
        host.children.register(leader, of: id)
        host.begin(instance, manifest.launch)
        _ = journal.take()
        return instance
    }

    /// Found at the next look at children.
    func setEnded(_ pid: Int32, code: UInt8 = 0) {
        ended.reports.append(ChildReport(pid: pid, change: .exited(code: code), cpuMicroseconds: 0))
    }

    func state(_ app: AppID = .a) -> LifecycleState? { host.engine.core.app(app)?.state }

    func records(of app: AppID = .a) -> [String] {
        host.kernel.instances[app]?.log.entries.map(\.record.brief) ?? []
    }

    /// What came of an input, of what is asked of the machine.
    @discardableResult
    func feed(_ input: AppInput, to app: AppID = .a) -> [String] {
        host.engine.feed(.app(app, input))
        return journal.take()
    }

    /// A client by the app's own pipe, which is served from now on.
    func client(of app: AppID = .a) throws -> (client: ControlClient, session: ControlSession) {
        let control = host.control ?? ControlServer(listening: .none, loop: host.loop, host: host)
        host.control = control
        var pair: [Int32] = [-1, -1]
        _ = pair.withUnsafeMutableBufferPointer { curfew_socketpair($0.baseAddress) }
        let id = control.addPipe(Descriptor(pair[0]), childsEnd: .none, of: app)
        return (ControlClient(Descriptor(pair[1])), try #require(control.session(id)))
    }
}

/// What is ready from the moment that it is made, for whoever waits by a loop.
final class ReadyEvent {
    private(set) var descriptor = Descriptor(curfew_eventfd())

    init() {
        var one: UInt64 = 1
        _ = curfew_write(descriptor.number, &one, 8)
    }

    deinit { descriptor.close() }

    /// False once it was read.
    var isReady: Bool {
        var ready = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) == 1
    }
}
