import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What children's ends bring about")
struct ChildEndsTests {
    /// Has children end, and writes down what follows.
    private final class Host: ChildEndsHost {
        let instances: [Instance]
        var instance: Instance { instances[0] }
        /// Not reaped yet.
        var ended: [ChildReport] = []
        /// Done when what they have said is read.
        var whenRead: () -> Void = {}
        private(set) var lines: [String] = []
        /// What was noted of CPU time when the run's end was told; nil before.
        private(set) var notedAtEnd: UInt64?

        init(_ instances: Instance...) { self.instances = instances }

        func drainNotifications() {
            lines.append("read")
            whenRead()
        }

        func noteMemoryLimit(of app: AppID) { lines.append("memory \(app.letter)") }

        /// One that nobody leads is the first app's.
        func reapAll(_ willReap: (Instance) -> Void) -> [Instance] {
            for instance in instances { willReap(instance) }
            lines.append("reap")
            for report in ended {
                (instances.first { $0.tree.leader == report.pid } ?? instance).reaped(report)
            }
            ended = []
            return instances
        }

        func forgetMainProcess(of instance: Instance) {
            lines.append("forget main")
            instance.forgetMainProcess()
        }

        func feed(_ input: Input) {
            switch input {
            case .app(let app, .leaderExited(let outcome)):
                lines.append("\(app.letter) ended: \(outcome)")
                notedAtEnd = instance.reporter.measures.cpuMicroseconds
            case .app(let app, .ownerExited(TaskOwners.leader)): lines.append("tasks of \(app.letter)'s leader")
            default: lines.append("\(input)")
            }
        }

        func noteStop(of instance: Instance) { lines.append("stop") }
        func lookWhoIsGone() { lines.append("gone?") }
        func lookWhetherGone(_ app: AppID) { lines.append("\(app.letter) gone?") }
    }

    // Nobody has such numbers.
    private let leader = Int32.max - 20
    private let worker = Int32.max - 21
    private let manifest = Manifest.sample()
    private let instance: Instance
    private let host: Host

    init() {
        instance = Instance.sample(.a, leader: leader, manifest: manifest)
        host = Host(instance)
    }

    private var ends: ChildEnds { ChildEnds(isReported: false, host: host) }

    private func end(_ pid: Int32, code: UInt8 = 0, cpu: Int64 = 0) -> ChildReport {
        ChildReport(pid: pid, change: .exited(code: code), cpuMicroseconds: cpu)
    }

    /// What follows when these have ended.
    private func lines(_ ended: ChildReport...) -> [String] {
        host.ended = ended
        ends.handle()
        return host.lines
    }

    private func told(_ code: UInt8) -> String { "a ended: \(ExitOutcome.exited(code: code))" }

    private func nameMain() { instance.mainProcess = MainProcess(pid: worker, pidfd: .none) }

    // MARK: The leader

    @Test("What they have said is read before they are reaped, and the kernel's kill told before the leader's end")
    func leaderEnds() {
        #expect(lines(end(leader, code: 3)) == ["read", "reap", "memory a", told(3), "gone?"])
    }

    @Test("Where memory is limited the kernel's kill is told while who was killed is still there")
    func limited() {
        manifest.memory.fatal = 10
        #expect(lines(end(leader)) == ["read", "memory a", "reap", "memory a", told(0), "gone?"])
    }

    @Test("Where all is waited for, the leader's tasks are released after its end")
    func waitsForTree() {
        manifest.policy.waitsForTree = true
        #expect(lines(end(leader)) == ["read", "reap", "memory a", told(0), "tasks of a's leader", "gone?"])
    }

    @Test("What it has used is noted before its end is told, where that is reported")
    func measures() {
        let child = Sleeper()
        defer { child.end() }
        for isReported in [true, false] {
            let instance = Instance.sample(.a, leader: leader, below: child.pid)
            let host = Host(instance)
            host.ended = [end(leader, cpu: 500)]
            ChildEnds(isReported: isReported, host: host).handle()
            #expect(host.notedAtEnd == (isReported ? 500 : 0))
        }
    }

    // MARK: A main process

    @Test("Where another process was named the leader's end is not the run's: its tasks are released")
    func leaderOfMain() {
        nameMain()
        #expect(lines(end(leader)) == ["read", "reap", "tasks of a's leader", "gone?"])
    }

    @Test("One that is named as its leader ends takes its place")
    func namedAtTheEnd() {
        host.whenRead = nameMain
        #expect(lines(end(leader)) == ["read", "reap", "tasks of a's leader", "gone?"])
    }

    @Test("The main process's end is the run's, with its status where we are its parent")
    func mainEnds() {
        nameMain()
        #expect(lines(end(worker, code: 4)) == ["read", "reap", "forget main", "memory a", told(4), "gone?"])
    }

    @Test("Both at once: the leader's tasks are released, and the run has ended as the main process has")
    func bothEnd() {
        nameMain()
        let expected = ["read", "reap", "tasks of a's leader", "forget main", "memory a", told(4), "gone?"]
        #expect(lines(end(worker, code: 4), end(leader, code: 3)) == expected)
    }

    @Test("Told by its pidfd, one that isn't our child has ended well, as far as is known")
    func othersChild() {
        nameMain()
        ends.mainProcessEnded(worker, of: instance)
        #expect(host.lines == ["read", "reap", "stop", "gone?", "forget main", "memory a", told(0)])
    }

    @Test("Told by its pidfd, a child of ours is reaped first, and its end told once")
    func ownChild() {
        nameMain()
        host.ended = [end(worker, code: 4)]
        ends.mainProcessEnded(worker, of: instance)
        #expect(host.lines == ["read", "reap", "forget main", "memory a", told(4), "gone?"])
    }

    @Test("Who has named another before its end leaves the run to that one")
    func namedAnother() {
        nameMain()
        let other = worker - 1
        host.whenRead = { [instance] in instance.mainProcess = MainProcess(pid: other, pidfd: .none) }
        ends.mainProcessEnded(worker, of: instance)
        #expect(host.lines == ["read", "reap", "stop", "gone?"])
        #expect(instance.mainProcess?.pid == other)
    }

    // MARK: Told by a reaper

    @Test("What they have said is read before one is let go, and the kernel's kill told while it is there")
    func beforeLetGo() {
        ends.willEnd(instance)
        #expect(host.lines == ["read"])
        manifest.memory.fatal = 10
        ends.willEnd(instance)
        #expect(host.lines == ["read", "read", "memory a"])
    }

    @Test("Once all of one moment are known, what follows is the app's alone")
    func allKnown() {
        instance.reaped(end(worker))
        instance.reaped(end(leader, code: 3))
        ends.handle(instance)
        #expect(host.lines == ["memory a", told(3), "a gone?"])
        ends.handle(instance)
        #expect(host.lines.dropFirst(3) == ["a gone?"])
    }

    @Test("A main process whose reaper has yet to tell how it ended isn't over by its pidfd")
    func toldLater() {
        let child = Sleeper()
        defer { child.end() }
        instance.mainProcess = MainProcess(pid: child.pid, pidfd: .none)
        instance.subreaper = Subreaper(pid: getpid(), channel: .none)
        ends.mainProcessEnded(child.pid, of: instance)
        #expect(host.lines == ["read", "reap", "stop", "gone?"])
        instance.reaped(end(child.pid, code: 4))
        ends.handle(instance)
        #expect(host.lines.dropFirst(4) == ["forget main", "memory a", told(4), "a gone?"])
        instance.subreaper = nil
    }

    @Test("Its reaper's end is told before its leader's: that is why")
    func reaperLost() {
        instance.reaped(end(leader, code: 3))
        instance.subreaperEnded { _ in true }
        #expect(instance.tree.root == .strays)
        #expect(instance.subreaper == nil)
        ends.handle(instance)
        let lost = Input.app(.a, .reaperLost)
        #expect(host.lines == ["\(lost)", "memory a", told(3), "a gone?"])
    }

    // MARK: Others

    @Test("Another's end, or a stop, may be one of the terminal's")
    func another() { #expect(lines(end(worker)) == ["read", "reap", "stop", "gone?"]) }

    @Test("Of what has outlived its leader the kernel's kill for memory is asked for")
    func outlived() {
        manifest.memory.fatal = 10
        #expect(lines(end(worker)) == ["read", "memory a", "reap", "stop", "gone?"])
        let before = lines(end(leader)).count
        #expect(lines(end(worker))[before...] == ["read", "memory a", "reap", "memory a", "stop", "gone?"])
    }

    // MARK: Several apps

    @Test("Of several apps what follows is each one's own, and who is gone is looked for once")
    func severalApps() {
        let other = Instance.sample(.b, leader: leader - 5, manifest: .sample())
        other.manifest.memory.fatal = 10
        let host = Host(instance, other)
        host.ended = [end(other.tree.leader, code: 5), end(leader, code: 3)]
        ChildEnds(isReported: false, host: host).handle()
        #expect(
            host.lines == [
                "read", "memory b", "reap", "memory a", told(3), "memory b", "b ended: \(ExitOutcome.exited(code: 5))",
                "gone?",
            ])
    }

    @Test("What ends of one app is no end of another's")
    func oneOfSeveral() {
        let other = Instance.sample(.b, leader: leader - 5)
        let host = Host(instance, other)
        host.ended = [end(leader, code: 3)]
        ChildEnds(isReported: false, host: host).handle()
        #expect(host.lines == ["read", "reap", "memory a", told(3), "stop", "gone?"])
        #expect(other.livingLeader == leader - 5)
    }
}
