import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("A supervisor that holds several apps")
struct AppsHostTests {
    private let host = AppsHost(SupervisorOptions(), callersMask: 0, journal: nil)

    /// Nobody has such numbers.
    private let nobody = Int32.max - 30

    @discardableResult
    private func hold(_ id: AppID, named name: String, leader: Int32) -> Instance {
        let tree = ProcessTree(
            containment: .tree, leader: leader, ownGroup: 0, method: .both, root: .descendants(of: leader))
        let instance = Instance(id, name: name, .sample(), tree, startedAt: Instant(nanoseconds: 0))
        host.kernel.instances.insert(instance)
        host.children.register(leader, of: id)
        return instance
    }

    /// Has these end, instead of children of this process.
    private func setEnded(_ pids: Int32...) {
        let ended = Ended(pids)
        var children = ChildRegistry(wait: ended.wait)
        for instance in host.kernel.instances.all { children.register(instance.tree.leader, of: instance.id) }
        host.children = children
    }

    private final class Ended {
        private var pids: [Int32]

        init(_ pids: [Int32]) { self.pids = pids }

        func wait(_ way: Reaping.Way) -> Reaping.Result {
            let asked: Int32? = if case .reap(let pid) = way { pid } else { pids.first }
            guard let pid = asked, let index = pids.firstIndex(of: pid) else { return .nothing }
            if way != .look { pids.remove(at: index) }
            return .report(ChildReport(pid: pid, change: .exited(code: 0), cpuMicroseconds: 0))
        }
    }

    // MARK: Whose a process is

    @Test("A process is of the app whose leader it is, or is below; this one is of none")
    func places() {
        let (first, second) = (Sleeper(), Sleeper())
        defer {
            first.end()
            second.end()
        }
        hold(.a, named: "mail", leader: first.pid)
        hold(.b, named: "music", leader: second.pid)
        #expect(host.place(of: first.pid)?.app == .a)
        #expect(host.place(of: second.pid)?.app == .b)
        #expect(host.app(of: second.pid, until: .max) == .b)
        #expect(host.place(of: getpid())?.app == nil)
        #expect(host.place(of: getpid())?.ancestry.isKnown == true)
        #expect(host.app(of: nobody, until: .max) == nil)
    }

    @Test("A reaper is of no app, and what is below it is its app's")
    func belowReaper() {
        let (reaper, other) = (Sleeper(), Sleeper())
        defer {
            reaper.end()
            other.end()
        }
        let instance = hold(.a, named: "mail", leader: nobody)
        instance.subreaper = Subreaper(pid: reaper.pid, channel: .none)
        host.children.register(reaper.pid, of: .a)
        #expect(host.isSubreaper(reaper.pid))
        #expect(!host.isSubreaper(other.pid))
        #expect(!host.isSubreaper(nobody))
        #expect(host.place(of: reaper.pid)?.app == nil)
        #expect(host.app(named: String(reaper.pid)) == nil)
        // Whatever sends from below this process is no operator.
        #expect(host.side(of: reaper.pid) == .inside)
        #expect(host.side(of: other.pid) == .inside)
        #expect(host.side(of: getppid()) == .outside)
    }

    @Test("A reaper's end is its app's, and no process's of it")
    func reaperEnds() {
        let instance = hold(.a, named: "mail", leader: nobody)
        let other = hold(.b, named: "music", leader: nobody - 1)
        instance.subreaper = Subreaper(pid: nobody - 2, channel: .none)
        setEnded(nobody - 2)
        host.children.register(nobody - 2, of: .a)
        #expect(host.reapAll { _ in }.map(\.id) == [.a])
        #expect(instance.takeEnds() == Instance.Ends(hasLostReaper: true))
        #expect(instance.livingLeader == nobody)
        #expect(instance.tree.root == .strays)
        #expect(other.tree.root == .descendants(of: nobody - 1))
        #expect(host.children.app(of: nobody - 2) == nil)
    }

    @Test("A signal's sender is inside where it is in any of them, and what is ignored is told of that one")
    func ignoredSignals() {
        let (first, second) = (Sleeper(), Sleeper())
        defer {
            first.end()
            second.end()
        }
        let instances = [
            hold(.a, named: "mail", leader: first.pid), hold(.b, named: "music", leader: second.pid),
        ]
        #expect(host.side(of: second.pid) == .inside)
        host.noteIgnored(SIGTERM, .process(second.pid))
        host.noteIgnored(SIGTERM, .process(nobody))
        #expect(instances[0].log.entries.isEmpty)
        #expect(
            instances[1].log.entries.map(\.record.brief) == [EventRecord.signalIgnored(SIGTERM, from: second.pid).brief]
        )
    }

    @Test("An app is named by its name, or by the pid of any process of it")
    func names() {
        let first = Sleeper()
        defer { first.end() }
        hold(.a, named: "mail", leader: first.pid)
        hold(.b, named: "music", leader: nobody)
        #expect(host.app(named: "mail") == .a)
        #expect(host.app(named: "music") == .b)
        #expect(host.app(named: String(first.pid)) == .a)
        #expect(host.app(named: String(getpid())) == nil)
        for name in ["", "mai", "mail2", "-1", "0"] { #expect(host.app(named: name) == nil) }
    }

    @Test("None of them is meant where none is named", arguments: ControlVerb.allCases)
    func noDefault(verb: ControlVerb) {
        hold(.a, named: "mail", leader: nobody)
        #expect(host.defaultApp(for: verb) == nil)
    }

    // MARK: Whose end it was

    @Test("Each end is its app's, each app told of before its first one; what is nobody's is reaped all the same")
    func reaping() {
        let instances = [
            hold(.a, named: "mail", leader: nobody), hold(.b, named: "music", leader: nobody - 1),
            hold(.c, named: "news", leader: nobody - 2),
        ]
        setEnded(nobody - 1, nobody - 7, nobody)
        var told: [AppID] = []
        let concerned = host.reapAll {
            told.append($0.id)
            #expect($0.livingLeader != nil)
        }
        #expect(told == [.b, .a])
        #expect(concerned.map(\.id) == [.b, .a])
        #expect(instances.map(\.livingLeader) == [nil, nil, nobody - 2])
        #expect(instances[0].takeEnds() == Instance.Ends(leader: .exited(code: 0)))
        #expect(host.children.nextEnded == nil)
        let more = host.reapAll { Issue.record("told of \($0.id)") }
        #expect(more.isEmpty)
    }

    @Test("Of an app that is over neither the leader nor the main process is known, though a kill couldn't end them")
    func disowned() {
        let main = Sleeper()
        defer { main.end() }
        let instance = hold(.a, named: "mail", leader: nobody)
        instance.mainProcess = MainProcess(pid: main.pid, pidfd: .none)
        host.children.register(main.pid, of: .a)
        hold(.b, named: "music", leader: nobody - 1)
        host.disown(instance)
        #expect(host.children.app(of: nobody) == nil)
        #expect(host.children.app(of: main.pid) == nil)
        #expect(host.children.app(of: nobody - 1) == .b)
        #expect(instance.mainProcess == nil)
    }

    @Test("Of clients that go on and on the one whose last turn is over longest is next; others have no such turn")
    func turns() {
        let turns: [Int64?] = [nil, 30, 10, nil, 20]
        #expect(AppsHost.longestWaiting(of: turns.count) { turns[$0] } == 2)
        #expect(AppsHost.longestWaiting(of: 1) { turns[$0] } == nil)
        #expect(AppsHost.longestWaiting(of: 0) { _ in 1 } == nil)
    }

    @Test("A stranger's notification is told of no app")
    func strangersNotification() {
        let instance = hold(.a, named: "mail", leader: nobody)
        host.notificationIgnored(nil, "who is it?")
        #expect(instance.log.entries.isEmpty)
        host.notificationIgnored(.a, "what?")
        #expect(instance.log.entries.count == 1)
    }
}
