import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("A reaper: the parent of an app that no cgroup holds", .serialized)
struct SubreaperTests {
    /// A shell below a reaper, and what it has orphaned in a session of its own.
    private final class Fixture {
        private var image: SubreaperImage
        var subreaper: Subreaper
        let child: TestChild
        let orphan: Int32
        let tree: ProcessTree
        var leader: Int32 { child.pid }

        init() throws {
            let image = try SubreaperImage.make()
            self.image = image
            var ends = try Subreaper.makeChannel()
            defer { ends.reapers.close() }
            let script = "(setsid sh -c 'echo $$ >&8; exec sleep 1000' &); read line <&8; exit 3"
            let reapersEnd = ends.reapers.number
            child = try TestChild(shell: script) { $0.reaper = (image.file.number, reapersEnd) }
            let reaper = try #require(Procfs.stat(child.pid)?.parent)
            subreaper = Subreaper(pid: reaper, channel: ends.ours)
            let orphan = try #require(child.number())
            self.orphan = orphan
            tree = ProcessTree(
                containment: .tree, leader: child.pid, ownGroup: child.pid, method: .both, root: .reaper(reaper))
            // The leader lets go of the subshell it waits for: that would be the reaper's, were the leader killed before.
            let onlyThese: Set<Int32> = [child.pid, orphan]
            #expect(eventually { Set(ProcessTree.descendants(of: reaper)) == onlyThese })
            #expect(Procfs.stat(orphan)?.parent == reaper)
        }

        func news() -> Subreaper.News {
            #expect(isReadable(subreaper.channel.number))
            return subreaper.news()
        }

        /// Lets go of whatever ends, until nothing is left.
        func letGoOfAll() {
            while true {
                switch news() {
                case .ended(let report): subreaper.letGo(report.pid)
                case .noOther: continue
                case .empty: tree.isToldEmpty = true
                case .nothing, .gone: Issue.record("nothing was told")
                }
                if tree.isToldEmpty { return }
            }
        }

        func reapReaper() {
            signal(subreaper.pid, SIGKILL)
            var end = curfew_wait_info()
            #expect(curfew_waitid(Int32(P_PID.rawValue), subreaper.pid, WEXITED, &end) == 0)
        }

        func end() {
            for pid in [orphan, leader] where Procfs.stat(pid)?.parent == subreaper.pid { signal(pid, SIGKILL) }
            child.letGo()
            if Procfs.stat(subreaper.pid)?.parent == getpid() { reapReaper() }
            subreaper.closeChannel()
            image.close()
        }
    }

    @Test("It is the app's parent, and no part of the app")
    func parent() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        #expect(Procfs.stat(fixture.leader)?.parent == fixture.subreaper.pid)
        #expect(Procfs.stat(fixture.subreaper.pid)?.parent == getpid())
        #expect(Set(fixture.tree.processes()) == [fixture.leader, fixture.orphan])
        #expect(Set(fixture.tree.everyone()) == [fixture.leader, fixture.orphan])
        #expect(fixture.tree.contains(fixture.orphan))
        #expect(!fixture.tree.contains(fixture.subreaper.pid))
        #expect(!fixture.tree.contains(getpid()))
        #expect(eventually { Procfs.commandName(fixture.subreaper.pid) == "curfew-reaper" })
    }

    @Test("As long as something lives below it, it is needed; whoever kills all leaves it for last")
    func isNeeded() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        #expect(eventually { Procfs.stat(fixture.subreaper.pid)?.isReaper == true })
        let needed = { ProcessTree.neededReapers(of: ProcessTree.members(below: getpid()), below: getpid()) }
        #expect(needed().contains(fixture.subreaper.pid))
        signal(fixture.leader, SIGKILL)
        #expect(eventually { Procfs.stat(fixture.leader)?.isGone == true })
        #expect(needed().contains(fixture.subreaper.pid))
        signal(fixture.orphan, SIGKILL)
        #expect(eventually { Procfs.stat(fixture.orphan)?.isGone == true })
        // They are there still, unreaped.
        #expect(Set(ProcessTree.descendants(of: fixture.subreaper.pid)) == [fixture.leader, fixture.orphan])
        #expect(!needed().contains(fixture.subreaper.pid))
    }

    @Test("Killed with all else, it ends once nothing lives below it")
    func isKilledLast() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        let reaper = fixture.subreaper.pid
        #expect(eventually { Procfs.stat(reaper)?.isReaper == true })
        let others = { (pid: Int32) in pid != reaper }
        var isAlone = false
        let isEnded = eventually {
            ProcessTree.killDescendants(of: getpid(), reapersLast: true, sparing: others)
            guard Procfs.stat(reaper)?.isGone == true else { return false }
            isAlone = [fixture.leader, fixture.orphan].allSatisfy { Procfs.stat($0)?.isGone != false }
            return true
        }
        #expect(isEnded)
        #expect(isAlone)
    }

    @Test("Stopped, every process of the app shows T, and it doesn't")
    func suspends() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        #expect(fixture.tree.suspend(includingStopped: false) || eventually { fixture.tree.confirmSuspension() })
        #expect([fixture.leader, fixture.orphan].map { state($0) } == ["T", "T"])
        #expect(!isStopped(fixture.subreaper.pid))
        fixture.tree.resume()
        #expect(eventually { ![fixture.leader, fixture.orphan].contains { isStopped($0) } })
    }

    @Test("An end is told with its status, and stays until it is let go")
    func tells() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        #expect(fixture.subreaper.news() == .nothing)
        fixture.child.say("end")
        guard case .ended(let report) = fixture.news() else {
            Issue.record("no end was told")
            return
        }
        #expect(report.pid == fixture.leader)
        #expect(report.change == .exited(code: 3))
        #expect(Procfs.stat(fixture.leader)?.isGone == true)
        fixture.subreaper.letGo(report.pid)
        #expect(fixture.news() == .noOther)
        #expect(Procfs.stat(fixture.leader) == nil)
        #expect(!fixture.tree.isGone())
    }

    @Test("A signal goes to all of it, and it is gone once that was told")
    func ends() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        fixture.tree.signalAll(SIGTERM)
        fixture.letGoOfAll()
        #expect(fixture.tree.isGone())
        #expect(Procfs.stat(fixture.orphan) == nil)
    }

    @Test("Killed, all of it is, and it isn't gone before that was told")
    func kills() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        #expect(fixture.tree.suspend(includingStopped: false) || eventually { fixture.tree.confirmSuspension() })
        fixture.tree.kill()
        #expect(eventually { [fixture.leader, fixture.orphan].allSatisfy { Procfs.stat($0)?.isGone != false } })
        #expect(!fixture.tree.isGone())
        fixture.letGoOfAll()
        #expect(fixture.tree.isGone())
    }

    @Test("What is told empty and isn't, or has lost its reaper, isn't gone")
    func lies() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        fixture.tree.isToldEmpty = true
        #expect(!fixture.tree.isGone())
        signal(fixture.subreaper.pid, SIGKILL)
        #expect(eventually { Procfs.stat(fixture.subreaper.pid)?.isGone == true })
        #expect(!fixture.tree.isGone())
        #expect(fixture.news() == .gone)
        for pid in [fixture.leader, fixture.orphan] { signal(pid, SIGKILL) }
    }

    @Test("Once its reaper has ended, what is left of it are our children but those that are spared")
    func strays() throws {
        let (stray, other) = (try TestChild(shell: TestChild.stay), try TestChild(shell: TestChild.stay))
        defer {
            stray.end()
            other.end()
        }
        let tree = ProcessTree(
            containment: .tree, leader: nobody, ownGroup: 0, method: .both, root: .reaper(nobody - 1))
        #expect(stray.line() == "ready" && other.line() == "ready")
        tree.reaperEnded { $0 != stray.pid }
        #expect(tree.processes() == [stray.pid])
        #expect(!tree.ancestry(of: stray.pid).isOurs)
        #expect(!tree.isGone())
        tree.kill()
        #expect(stray.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(tree.isGone())
        #expect(!isReadable(other.pidfdNumber, within: 0))
    }

    @Test("Where there is none a signal to all reaches what is below the app's first process too")
    func line() throws {
        let child = try TestChild(shell: "sh -c 'echo $$ >&8; exec sleep 1000' & wait; echo ended >&8; read line <&8")
        defer { child.end() }
        let inner = try #require(child.number())
        let tree = ProcessTree(
            containment: .tree, leader: child.pid, ownGroup: child.pid, method: .both, root: .line(of: child.pid))
        #expect(Set(tree.processes()) == [child.pid, inner])
        tree.signalAll(SIGUSR1) { SignalledFirst(leader: child.pid) }
        #expect(child.line() == "ended")
    }

    @Test("A stop of it is found among all children's")
    func stops() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        while Reaping.nextStopped() != nil {}
        signal(fixture.subreaper.pid, SIGSTOP)
        var stopped: Int32?
        #expect(
            eventually {
                stopped = Reaping.nextStopped()
                return stopped != nil
            })
        #expect(stopped == fixture.subreaper.pid)
        #expect(Reaping.nextStopped() == nil)
        signal(fixture.subreaper.pid, SIGCONT)
        #expect(eventually { !isStopped(fixture.subreaper.pid) })
    }

    @Test("A process below us is below this supervisor, in whichever app; we aren't, and neither is who is above us")
    func below() throws {
        let fixture = try Fixture()
        defer { fixture.end() }
        func isBelow(_ pid: Int32) -> Bool {
            Ancestry(of: pid, supervisor: getpid(), ownsCgroup: { _ in false }, ownsTreeOf: { _ in false })
                .isBelowSupervisor
        }
        #expect([fixture.leader, fixture.orphan, fixture.subreaper.pid].allSatisfy { isBelow($0) })
        #expect(![getpid(), getppid(), 1].contains { isBelow($0) })
    }
}
