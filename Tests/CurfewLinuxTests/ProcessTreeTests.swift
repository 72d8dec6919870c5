import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

/// Trees in a cgroup of version 2 only, whose supervisor is said to be the leader: a tree is all descendants of its
/// supervisor too, and of this process those are every test's children. The integration tests see to the rest.
// Skipped where no cgroup v2 hierarchy is mounted or this user may make no cgroup in it.
@Suite(
    "Stopping and ending a real tree", .serialized,
    .enabled(if: ScratchCgroup.hasUnified, "no cgroup v2 that this user may write to"))
struct ProcessTreeTests {
    /// A shell, a process below it, and one that has left group and session.
    private final class Fixture {
        let child: TestChild
        let tree: ProcessTree
        let inner: Int32
        let escaped: Int32
        var all: [Int32] { [child.pid, inner, escaped] }

        init(_ method: SuspensionMethod) throws {
            let number = nobody - Int32.random(in: 0..<1_000_000)
            let containment = try Containment.make(
                .cgroup2, name: "curfew.tree-\(getpid()).\(number)"
            ) {
                _, _ in
            }
            let script = """
                sh -c 'echo $$ >&8; exec sleep 1000' &
                read ready <&8
                setsid sh -c 'echo $$ >&8; exec sleep 1000' &
                read line <&8
                :
                """
            child = try TestChild(shell: script) { $0.cgroup = containment.unified?.directory.number ?? -1 }
            tree = ProcessTree(
                containment: containment, leader: child.pid, ownGroup: child.pid, method: method,
                root: .descendants(of: child.pid))
            inner = try #require(child.number())
            child.say("go on")
            escaped = try #require(child.number())
        }

        func end() {
            try? tree.containment.unified?.kill()
            child.end()
            _ = eventually { tree.containment.remove() }
        }

        /// Waits where the engine would come back after some milliseconds.
        func suspend(includingStopped: Bool = false) -> Bool {
            tree.suspend(includingStopped: includingStopped) || eventually { tree.confirmSuspension() }
        }
    }

    @Test("Stopped, every process shows T, the one that has left its session too; resumed, none does")
    func stopAndResume() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        #expect(Set(fixture.tree.processes()) == Set(fixture.all))
        for _ in 0..<3 {
            #expect(fixture.suspend())
            #expect(fixture.all.map { state($0) } == ["T", "T", "T"])
            #expect(fixture.tree.pendingSuspension() == [])
            fixture.tree.resume()
            #expect(eventually { !fixture.all.contains { isStopped($0) } })
        }
    }

    @Test("With the freezer alone nobody shows T, and all are frozen")
    func freezer() throws {
        let fixture = try Fixture(.freezer)
        defer { fixture.end() }
        #expect(fixture.suspend())
        #expect(asked { fixture.tree.containment.isFrozen() })
        #expect(!fixture.all.contains { isStopped($0) })
        #expect(fixture.tree.pendingSuspension() == [])
        fixture.tree.resume()
        #expect(eventually { !fixture.tree.containment.isFrozen() })
    }

    @Test("What was stopped before stays stopped")
    func stoppedBefore() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        signal(fixture.inner, SIGSTOP)
        #expect(eventually { isStopped(fixture.inner) })
        #expect(fixture.suspend())
        fixture.tree.resume()
        #expect(eventually { !isStopped(fixture.child.pid) && !isStopped(fixture.escaped) })
        #expect(isStopped(fixture.inner))
    }

    @Test("What a terminal has stopped, the leader's group, is continued with the rest; what is outside it isn't")
    func stoppedByTerminal() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        for pid in fixture.all { signal(pid, SIGSTOP) }
        #expect(eventually { fixture.all.allSatisfy { isStopped($0) } })
        #expect(fixture.suspend(includingStopped: true))
        fixture.tree.resume()
        #expect(eventually { !isStopped(fixture.child.pid) && !isStopped(fixture.inner) })
        #expect(isStopped(fixture.escaped))
    }

    @Test("One process alone is stopped and resumed as well")
    func lone() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        for pid in [fixture.inner, fixture.escaped] { signal(pid, SIGKILL) }
        // The leader, in its read, doesn't reap them; they are out of the cgroup's sight all the same.
        #expect(eventually { [fixture.inner, fixture.escaped].allSatisfy { Procfs.stat($0)?.isGone != false } })
        #expect(fixture.suspend())
        #expect(isStopped(fixture.child.pid))
        fixture.tree.resume()
        #expect(eventually { !isStopped(fixture.child.pid) })
    }

    @Test("Killed, nothing is left, stopped or not, and the cgroup can go", arguments: [false, true])
    func kill(isSuspended: Bool) throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        if isSuspended { #expect(fixture.suspend()) }
        fixture.tree.kill()
        #expect(fixture.child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(eventually { !fixture.tree.containment.isPopulated() })
        #expect(eventually { fixture.tree.containment.remove() })
    }

    @Test("What has left its cgroup is killed from the second round on, and by no question")
    func leftCgroup() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        let path = try #require(fixture.tree.containment.unified?.path)
        let outside = path[..<(try #require(path.lastIndex(of: "/")))] + "/cgroup.procs"
        for pid in [fixture.child.pid, fixture.escaped] {
            #expect(curfew_write_file_at(AT_FDCWD, String(outside), "\(pid)") >= 0)
        }
        fixture.tree.kill()
        #expect(eventually { !fixture.tree.containment.isPopulated() })
        #expect(!fixture.tree.isGone())
        #expect(Procfs.stat(fixture.escaped)?.isGone == false)
        fixture.tree.kill()
        #expect(eventually { Procfs.stat(fixture.escaped)?.isGone != false })
    }

    /// An app of several that one supervisor has: a shell, and a process that has left its group and session.
    private final class OneOfSeveral {
        let child: TestChild
        let tree: ProcessTree
        let escaped: Int32
        var all: Set<Int32> { [child.pid, escaped] }

        /// Below its leader where it has no cgroup.
        init(hasCgroup: Bool, method: SuspensionMethod = .both) throws {
            var containment = Containment.tree
            if hasCgroup {
                let name = "curfew.one-\(getpid()).\(nobody - Int32.random(in: 0..<1_000_000))"
                containment = try Containment.make(.cgroup2, name: name) { _, _ in }
            }
            child = try TestChild(shell: "setsid sh -c 'echo $$ >&8; exec sleep 1000' & read line <&8; :") {
                $0.cgroup = containment.unified?.directory.number ?? -1
            }
            tree = ProcessTree(
                containment: containment, leader: child.pid, ownGroup: child.pid, method: method,
                root: hasCgroup ? .cgroup : .descendants(of: child.pid))
            escaped = try #require(child.number())
        }

        func end() {
            for pid in all where Procfs.stat(pid)?.isGone == false { signal(pid, SIGKILL) }
            child.end()
            _ = eventually { tree.containment.remove() }
        }
    }

    @Test(
        "Of two apps below one supervisor each sees, stops and ends its own alone", arguments: SuspensionMethod.allCases
    )
    func cgroupAsRoot(method: SuspensionMethod) throws {
        let one = try OneOfSeveral(hasCgroup: true, method: method)
        defer { one.end() }
        let other = try OneOfSeveral(hasCgroup: true)
        defer { other.end() }
        let isHeld = { (pid: Int32) in
            method == .freezer ? one.tree.containment.isFrozen() : isStopped(pid)
        }
        #expect(Set(one.tree.processes()) == one.all)
        #expect(Set(one.tree.everyone()) == one.all)
        #expect(one.all.allSatisfy { one.tree.contains($0) })
        #expect(!other.all.contains { one.tree.contains($0) })
        #expect(other.all.allSatisfy { one.tree.ancestry(of: $0).isKnown })
        #expect(one.tree.suspend(includingStopped: false) || eventually { one.tree.confirmSuspension() })
        #expect(one.all.allSatisfy(isHeld))
        #expect(!other.all.contains { isStopped($0) })
        one.tree.resume()
        #expect(eventually { !one.all.contains(where: isHeld) })
        #expect(one.tree.signalOwnGroup(0))
        #expect(!one.tree.isGone())
        for _ in 0..<5 { one.tree.kill() }
        #expect(one.child.wait() == .killed(signal: SIGKILL, dumpedCore: false))
        #expect(eventually { one.tree.isGone() })
        #expect(!one.tree.signalOwnGroup(0))
        #expect(!other.tree.isGone())
        #expect(other.all.allSatisfy { Procfs.stat($0)?.isGone == false })
    }

    @Test("What has left the cgroup of one app isn't another's, nor its own any more")
    func leftCgroupAsRoot() throws {
        let one = try OneOfSeveral(hasCgroup: true)
        defer { one.end() }
        let other = try OneOfSeveral(hasCgroup: true)
        defer { other.end() }
        let path = try #require(one.tree.containment.unified?.path)
        let outside = path[..<(try #require(path.lastIndex(of: "/")))] + "/cgroup.procs"
        #expect(curfew_write_file_at(AT_FDCWD, String(outside), "\(one.escaped)") >= 0)
        for tree in [one.tree, other.tree] {
            #expect(!tree.contains(one.escaped))
            #expect(!tree.everyone().contains(one.escaped))
        }
        for _ in 0..<3 { other.tree.kill() }
        #expect(eventually { other.tree.isGone() })
        #expect(one.all.allSatisfy { Procfs.stat($0)?.isGone == false })
        one.tree.signalAll(SIGTERM)
        #expect(one.child.wait() == .killed(signal: SIGTERM, dumpedCore: false))
        #expect(eventually { one.tree.isGone() })
    }

    @Test("Without cgroups two apps are told by whom they are below")
    func ancestorsAsRoots() throws {
        let one = try OneOfSeveral(hasCgroup: false)
        defer { one.end() }
        let other = try OneOfSeveral(hasCgroup: false)
        defer { other.end() }
        #expect(one.tree.processes() == [one.escaped])
        #expect(one.tree.everyone() == [one.escaped])
        #expect(one.tree.contains(one.escaped))
        #expect(!other.all.contains { one.tree.contains($0) })
        #expect(one.tree.suspend(includingStopped: false) || eventually { one.tree.confirmSuspension() })
        #expect(isStopped(one.escaped))
        #expect(!isStopped(other.escaped))
        one.tree.resume()
        for _ in 0..<5 { one.tree.kill() }
        #expect(eventually { Procfs.stat(one.escaped)?.isGone != false })
        #expect(Procfs.stat(other.escaped)?.isGone == false)
    }

    @Test("Terminated, a process that a terminal has stopped ends too")
    func terminate() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        signal(fixture.child.pid, SIGSTOP)
        #expect(eventually { isStopped(fixture.child.pid) })
        fixture.tree.signalAll(SIGTERM)
        #expect(fixture.child.wait() == .killed(signal: SIGTERM, dumpedCore: false))
        #expect(eventually { !fixture.tree.containment.isPopulated() })
    }

    @Test("A signal that continues nobody pends with what is held until that goes on; others go on for it")
    func pendingUntilResumed() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        signal(fixture.escaped, SIGSTOP)
        #expect(eventually { isStopped(fixture.escaped) })
        #expect(fixture.suspend())
        fixture.tree.signalAll(SIGTERM, continuing: false)
        #expect(eventually { Procfs.stat(fixture.escaped)?.isGone != false })
        #expect([fixture.child.pid, fixture.inner].map { state($0) } == ["T", "T"])
        fixture.tree.resume()
        #expect(fixture.child.wait() == .killed(signal: SIGTERM, dumpedCore: false))
        #expect(eventually { !fixture.tree.containment.isPopulated() })
    }

    @Test("With the freezer alone too each has it")
    func pendingUntilThawed() throws {
        let fixture = try Fixture(.freezer)
        defer { fixture.end() }
        #expect(fixture.suspend())
        fixture.tree.signalAll(SIGTERM, continuing: false)
        fixture.tree.resume()
        #expect(fixture.child.wait() == .killed(signal: SIGTERM, dumpedCore: false))
        #expect(eventually { !fixture.tree.containment.isPopulated() })
    }

    /// So short that each process is another's.
    private static var shortest: Turn { Turn(fewest: 1, microseconds: 0) }

    @Test("A signal to all goes on in turns: first to those who are to have it first, then to each that was there")
    func signalInTurns() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        var turns = 1
        var firstAfter = 0
        fixture.tree.signalAll(SIGTERM, for: Self.shortest) {
            firstAfter = turns
            signal(fixture.escaped, SIGKILL)
            return SignalledFirst()
        }
        while fixture.tree.isSignalling, turns < 100 {
            if firstAfter == 0 { #expect(fixture.all.allSatisfy { Procfs.stat($0)?.isGone == false }) }
            turns += 1
            fixture.tree.goOnSignalling(for: Self.shortest)
        }
        #expect(firstAfter > 1)
        #expect(turns >= firstAfter + 2)
        #expect(fixture.child.wait() == .killed(signal: SIGTERM, dumpedCore: false))
        #expect(eventually { !fixture.tree.containment.isPopulated() })
    }

    @Test("What is stopped meanwhile has had its signal, and stays stopped; what is killed needs none")
    func signalOvertaken() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        fixture.tree.signalAll(SIGCONT, for: Self.shortest)
        #expect(fixture.tree.isSignalling)
        #expect(fixture.suspend())
        #expect(!fixture.tree.isSignalling)
        #expect(fixture.all.allSatisfy { isStopped($0) })
        fixture.tree.resume()
        fixture.tree.signalAll(SIGCONT, for: Self.shortest)
        fixture.tree.kill()
        #expect(!fixture.tree.isSignalling)
    }

    @Test("Stopped in turns, each is stopped in the end", arguments: [SuspensionMethod.both, .freezer])
    func stopInTurns(method: SuspensionMethod) throws {
        let fixture = try Fixture(method)
        defer { fixture.end() }
        signal(fixture.inner, SIGSTOP)
        #expect(eventually { isStopped(fixture.inner) })
        let isDone = fixture.tree.suspend(includingStopped: false, for: Self.shortest)
        if method == .both { #expect(!isDone && fixture.tree.isStopping) }
        #expect(isDone || eventually { fixture.tree.confirmSuspension(for: Self.shortest) })
        #expect(!fixture.tree.isStopping)
        #expect(asked { fixture.tree.containment.isFrozen() } == (method == .freezer))
        if method == .both { #expect(fixture.all.allSatisfy { state($0) == "T" }) }
        fixture.tree.resume()
        #expect(eventually { state(fixture.child.pid) != "T" && state(fixture.escaped) != "T" })
        #expect(state(fixture.inner) == "T")
    }

    @Test("The number of what has been reaped is nobody's: neither told to stop in a later turn, nor continued")
    func reapedMeanwhile() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        #expect(fixture.suspend())
        fixture.tree.forgetReaped(fixture.escaped)
        #expect(Set(fixture.tree.stopped.map(\.pid)) == Set(fixture.all).subtracting([fixture.escaped]))
        fixture.tree.resume()
        // Frozen already: what isn't in time is walked over once more, which finds who is alive in truth.
        try fixture.tree.containment.setFrozen(true)
        #expect(eventually { fixture.tree.containment.isFrozen() })
        _ = fixture.tree.suspend(includingStopped: false, for: Self.shortest)
        let late = try #require(fixture.all.last { !fixture.tree.known.contains($0) })
        fixture.tree.forgetReaped(late)
        #expect(
            eventually {
                if case .stopping = fixture.tree.stopPhase { fixture.tree.forgetReaped(late) }
                return fixture.tree.confirmSuspension(for: Self.shortest)
            })
        #expect(!fixture.tree.stopped.contains { $0.pid == late })
    }

    @Test(
        "Resumed or killed halfway, nothing is left stopped or frozen but what was before", arguments: 0...3,
        [false, true])
    func stopHalfway(told: Int, kills: Bool) throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        signal(fixture.inner, SIGSTOP)
        #expect(eventually { isStopped(fixture.inner) })
        _ = fixture.tree.suspend(includingStopped: false, for: Self.shortest)
        #expect(
            eventually {
                if !fixture.tree.isStopping || fixture.tree.known.count >= told { return true }
                return fixture.tree.confirmSuspension(for: Self.shortest)
            })
        if kills {
            fixture.tree.kill()
            #expect(!fixture.tree.isStopping)
            #expect(eventually { !fixture.tree.containment.isPopulated() })
            return
        }
        fixture.tree.resume()
        #expect(!fixture.tree.isStopping)
        #expect(eventually { !fixture.tree.containment.isFrozen() })
        #expect(eventually { !isStopped(fixture.child.pid) && !isStopped(fixture.escaped) })
        #expect(isStopped(fixture.inner))
    }

    @Test("Listed in turns they are the same, each once", arguments: [false, true])
    func walk(hasCgroup: Bool) throws {
        let one = try OneOfSeveral(hasCgroup: hasCgroup)
        defer { one.end() }
        for walk in [one.tree.walk(), one.tree.walkOfEveryone()] {
            var walk = walk
            var turns = 1
            while asked({
                var turn = Self.shortest
                return !walk.goOn(&turn)
            }), turns < 100 {
                turns += 1
            }
            #expect(walk.pids == one.tree.processes())
            #expect(turns == (hasCgroup ? 1 : 2))
        }
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        var whole = TreeWalk(below: getpid())
        var turn = Turn(fewest: 100_000)
        #expect(asked { whole.goOn(&turn) })
        #expect(Set(fixture.all).isSubset(of: whole.pids))
        #expect(Set(whole.pids).count == whole.pids.count)
    }

    @Test("It knows its own, measures them, and sees no debugger")
    func knows() throws {
        let fixture = try Fixture(.both)
        defer { fixture.end() }
        for pid in fixture.all { #expect(fixture.tree.contains(pid)) }
        #expect(!fixture.tree.contains(getpid()))
        #expect(!fixture.tree.contains(1))
        #expect(!fixture.tree.isTracedFromOutside())
        #expect(fixture.tree.footprint() > 0)
        #expect(fixture.tree.footprint() < 1 << 30)
        #expect(fixture.tree.footprint(limit: 1 << 40) > 0)
        #expect(fixture.tree.cpuMicroseconds > 0)
    }
}
