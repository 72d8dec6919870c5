import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What every supervisor does for its apps")
struct AppsHostWorkTests {
    private let journal = Journal()
    private let kernel: FakeKernel
    private let host: Host

    /// Nobody has such numbers.
    private let nobody = Int32.max - 30

    /// With a deadline of its own, and an app that is looked at before it is killed, where a test says so.
    private final class Host: AppsHost {
        var due: Instant?
        var looksAt: Instance?
        private(set) var dues = 0

        override var hostsDeadline: Instant? { due }
        override func hostsTimeCame() { dues += 1 }
        override var foreseen: Instance? { looksAt }
    }

    init() {
        kernel = FakeKernel(journal)
        host = Host(SupervisorOptions(), callersMask: 0, journal: nil, machine: kernel)
    }

    @discardableResult
    private func hold(
        _ id: AppID = .a, leader: Int32? = nil, _ change: (Manifest) -> Void = { _ in }
    ) -> Instance {
        let (leader, manifest) = (leader ?? nobody - Int32(id.rawValue), Manifest.sample())
        change(manifest)
        let tree = ProcessTree(
            containment: .tree, leader: leader, ownGroup: 0, method: .both, root: .descendants(of: leader))
        let instance = Instance(id, name: "app-\(id.letter)", manifest, tree, startedAt: host.kernel.now)
        host.kernel.instances.insert(instance)
        host.children.register(leader, of: id)
        host.begin(instance, manifest.launch)
        return instance
    }

    private func state(_ app: AppID = .a) -> LifecycleState? { host.engine.core.app(app)?.state }

    // MARK: What an app's reaper tells

    @Test(
        "An end that a reaper tells is the leader's; it is let go at once, and follows once all of that moment are known"
    )
    func leaderEnds() throws {
        let instance = hold()
        let reaper = try ReaperEnd()
        instance.subreaper = reaper.subreaper
        host.children.register(reaper.subreaper.pid, of: .a)
        reaper.tell(nobody - 1, code: 3)
        host.reaperTold(.a)
        #expect(instance.leaderOutcome == .exited(code: 3))
        #expect(reaper.letGo() == nobody - 1)
        #expect(host.children.app(of: nobody - 1) == nil)
        #expect(instance.hasEnds)
        #expect(state() == .active)
        kernel[.a].isAlive = false
        reaper.tell(-1)
        host.reaperTold(.a)
        #expect(!instance.hasEnds)
        #expect(state() == nil)
        #expect(reaper.letGo() == nil)
    }

    @Test("What a reaper tells of another app's number, or of itself, is forgotten of neither")
    func lyingReaper() throws {
        let instance = hold()
        hold(.b)
        let reaper = try ReaperEnd()
        instance.subreaper = reaper.subreaper
        host.children.register(reaper.subreaper.pid, of: .a)
        for pid in [nobody - 2, reaper.subreaper.pid] {
            reaper.tell(pid)
            host.reaperTold(.a)
        }
        #expect(host.children.app(of: nobody - 2) == .b)
        #expect(host.children.app(of: reaper.subreaper.pid) == .a)
        #expect(instance.livingLeader == nobody - 1)
    }

    @Test("Told that nothing is left, that is so")
    func empty() throws {
        let instance = hold()
        let reaper = try ReaperEnd()
        instance.subreaper = reaper.subreaper
        #expect(!instance.tree.isToldEmpty)
        reaper.tell(0)
        host.reaperTold(.a)
        #expect(instance.tree.isToldEmpty)
    }

    @Test("One that can't be relied on is ended, and nothing else is heard of it")
    func unreliable() throws {
        let instance = hold()
        let reaper = try ReaperEnd()
        instance.subreaper = reaper.subreaper
        reaper.close()
        host.reaperTold(.a)
        #expect(reaper.endingSignal() == SIGKILL)
        #expect(instance.subreaper?.channel.isOpen == false)
        #expect(instance.subreaper != nil)
        host.reaperTold(.a)
        #expect(state() == .active)
    }

    @Test("Of an app that has no reaper, or is none, nothing is told")
    func noReaper() {
        hold()
        host.reaperTold(.a)
        host.reaperTold(.c)
        #expect(state() == .active)
    }

    // MARK: The timer

    /// Undone with the test: it is this process's.
    private func endTimer() {
        _ = curfew_set_waker(0)
        var (timer, epoll) = (host.timer, host.epoll)
        timer.close()
        epoll.close()
    }

    private var isTimerOver: Bool { !host.loop.ready(within: 0).isEmpty }

    @Test("A timer is made when something is first due, and set where that changes")
    func timer() {
        defer { endTimer() }
        host.loop = EventLoop.make()
        #expect(host.armTimer() == -1)
        #expect(!host.timer.descriptor.isOpen)
        host.due = .distantFuture
        #expect(host.armTimer() == -1)
        #expect(host.timer.descriptor.isOpen)
        #expect(host.timer.armed == .distantFuture)
        #expect(!isTimerOver)
        host.due = Instant(nanoseconds: 1)
        #expect(host.armTimer() == -1)
        #expect(isTimerOver)
        let number = host.timer.descriptor.number
        host.due = nil
        #expect(host.armTimer() == -1)
        #expect(host.timer.armed == nil)
        #expect(host.timer.descriptor.number == number)
        #expect(!isTimerOver)
    }

    @Test("Where there is no descriptor for one it is said how long to wait")
    func noTimer() {
        defer { endTimer() }
        host.loop = EventLoop.make()
        host.descriptors = DescriptorLimit(count: 4)
        #expect(host.armTimer() == -1)
        host.due = Instant(nanoseconds: 1)
        #expect(host.armTimer() == 0)
        #expect(host.armTimer() == 0)
        #expect(!host.timer.descriptor.isOpen)
        host.due = host.kernel.now + .seconds(1000)
        #expect(host.armTimer() > 900_000)
        host.due = nil
        #expect(host.armTimer() == -1)
    }

    @Test("A wait that isn't over is never none")
    func milliseconds() {
        let now = Instant(nanoseconds: 1)
        #expect(DeadlineTimer.milliseconds(from: now, until: Instant(nanoseconds: 0)) == 0)
        #expect(DeadlineTimer.milliseconds(from: now, until: now + Span(nanoseconds: 1)) == 1)
        #expect(DeadlineTimer.milliseconds(from: now, until: now + .milliseconds(1)) == 1)
        #expect(DeadlineTimer.milliseconds(from: now, until: .distantFuture) == Int32.max)
    }

    // MARK: What is due

    @Test("The earliest counts: the engine's, the host's own, or a kill to be looked at before")
    func deadlines() {
        #expect(host.appsDeadline == nil)
        let instance = hold { $0.policy.timeLimit = .seconds(5) }
        let limit = kernel.clock + .seconds(5)
        #expect(host.appsDeadline == limit)
        host.due = limit + .seconds(1)
        #expect(host.appsDeadline == limit)
        host.due = limit - .seconds(1)
        #expect(host.appsDeadline == limit - .seconds(1))
        #expect(host.killToForesee(of: instance) == limit)
    }

    @Test("What time kills is looked at a moment before; what a command of timeout has left isn't")
    func foreseen() throws {
        kernel.clock = host.kernel.now + .seconds(1000)
        let instance = hold {
            $0.policy.timeout = TimeoutPolicy(signal: SIGKILL)
            $0.policy.timeLimit = .seconds(5)
            $0.hasLifecycle = false
        }
        let limit = kernel.clock + .seconds(5)
        #expect(host.killToForesee(of: instance) == limit)
        host.looksAt = instance
        let deadline = try #require(host.appsDeadline)
        #expect(deadline < limit)
        #expect(limit - deadline < .milliseconds(10))
        instance.reaped(ChildReport(pid: nobody - 1, change: .exited(code: 0), cpuMicroseconds: 0))
        #expect(host.killToForesee(of: instance) == nil)
        #expect(host.appsDeadline == limit)
    }

    @Test("What is due is done: the engine is woken, and the host's own time has come")
    func due() {
        hold { $0.policy.timeLimit = .seconds(5) }
        _ = journal.take()
        kernel.clock = kernel.clock + .seconds(6)
        host.handleDeadline()
        #expect(host.dues == 1)
        #expect(journal.take().contains("SIGKILL a"))
    }

    @Test("Where only what dead supervisors have left has its turn nobody else is woken")
    func sweepAlone() {
        let folder = ScratchFolder()
        defer { folder.remove() }
        #expect(mkdir(folder.path + "/x", 0o700) == 0)
        host.staleSweep.add(own: folder.path + "/x")
        #expect(host.timerDeadline == Instant(nanoseconds: 0))
        host.handleDeadline()
        #expect(host.dues == 0)
        #expect(host.timerDeadline != Instant(nanoseconds: 0))
        host.staleSweep.add(own: folder.path + "/x")
        host.due = Instant(nanoseconds: 1)
        #expect(host.timerDeadline?.nanoseconds ?? .max <= 1)
        host.handleDeadline()
        #expect(host.dues == 1)
    }

    // MARK: What is shown

    private func fields(_ app: AppID = .a) -> [String: String] {
        guard let app = host.engine.core.app(app) else { return [:] }
        return Dictionary(host.statusFields(of: app).map { ($0.key, $0.value) }) { first, _ in first }
    }

    @Test("An app's state, budget and place are shown; what it doesn't have isn't")
    func status() throws {
        let instance = hold()
        let fields = fields()
        #expect(fields["app"] == "app-a")
        #expect(fields["pid"] == "\(nobody - 1)")
        #expect(fields["supervisor"] == "\(getpid())")
        #expect(fields["state"] == "active")
        #expect(fields["budget"] == "600.000")
        #expect(fields["aware"] == "false")
        #expect(fields["open-tasks"] == "0")
        #expect(fields["containment"] == instance.tree.containment.description)
        #expect(fields["command"] == instance.manifest.commandLine.joined(separator: " "))
        let absent = ["front", "server", "clock", "throttled", "locks", "main-pid", "notify-status", "memory-limit"]
        for key in absent { #expect(fields[key] == nil, "\(key)") }
        #expect(fields["terminating"] == nil)
        let app = try #require(host.engine.core.app(.a))
        #expect(host.statusFields(of: app).last?.key == "command")
    }

    @Test("What has become of it since is shown")
    func laterStatus() {
        let instance = hold { $0.memory = MemoryLimits(fatal: 1 << 20, soft: 1 << 19) }
        instance.statusText = "counting"
        host.engine.feed(
            .app(.a, .beginTask(name: "x", owner: TaskOwners.leader, connection: nil, request: RequestID(1))))
        #expect(fields()["notify-status"] == "counting")
        #expect(fields()["memory-limit"] == "\(1 << 20)")
        #expect(fields()["memory-high"] == "\(1 << 19)")
        #expect(fields()["open-tasks"] == "1")
        kernel.clock = kernel.clock + .seconds(7)
        #expect(fields()["since"] == "7.000")
        #expect(fields()["running-for"] == "7.000")
        host.engine.feed(.app(.a, .quit(request: nil)))
        #expect(fields()["terminating"] == "true")
        host.engine.holdTime()
        #expect(fields()["clock"] == "manual")
    }

    @Test("Of an app that isn't held nothing is shown")
    func noStatus() throws {
        hold()
        let app = try #require(host.engine.core.app(.a))
        host.kernel.instances.remove(.a)
        #expect(host.statusFields(of: app).isEmpty)
    }

    @Test("A debugger is looked for when somebody asks, but for what is suspended")
    func tracer() {
        hold()
        #expect(host.engine.core.app(.a)?.isTraced == false)
        // Of nobody the real kernel tells of none.
        host.engine.feed(.app(.a, .tracerChecked(isTraced: true)))
        host.lookForTracer(of: .a)
        #expect(host.engine.core.app(.a)?.isTraced == false)
    }
}
