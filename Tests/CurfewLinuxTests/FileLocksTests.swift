import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite(
    "The file locks of real processes", .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath) to take them"))
struct FileLocksTests {
    /// A directory, and children that lock files in it.
    private final class Fixture {
        let scratch = ScratchDirectory()
        private var children: [TestChild] = []

        func path(_ name: String) -> String { scratch.path + "/" + name }

        /// A child that runs the script, whose `here` is the directory, and then stays.
        func child(_ script: String) throws -> TestChild {
            let child = try TestChild(python: script + "\nsay('ready')\nstay()", scratch.path)
            children.append(child)
            return child
        }

        /// The same, once it says that it is ready.
        func holder(_ script: String) throws -> Int32 {
            let child = try child(script)
            try #require(child.line() == "ready")
            return child.pid
        }

        /// One that asks for a lock that it won't get, so that it never stays.
        func waiter(_ script: String) throws -> Int32 {
            let child = try child("say('asking')\n" + script)
            try #require(child.line() == "asking")
            return child.pid
        }

        func end() {
            for child in children { child.end() }
            scratch.remove()
        }
    }

    private func withFixture(_ body: (Fixture) throws -> Void) throws {
        let fixture = Fixture()
        defer { fixture.end() }
        try body(fixture)
    }

    @Test("One to write counts, by each of the three ways to take it; stopped or not")
    func writes() throws {
        for (script, kind) in [
            ("f = opened(here + '/a'); posix(f, fcntl.LOCK_EX, 10, 5)", HeldLock.Kind.posix),
            ("f = opened(here + '/a'); fcntl.flock(f, fcntl.LOCK_EX)", .flock),
            ("f = opened(here + '/a'); ofd(f, fcntl.F_WRLCK, 5, 10)", .ofd),
        ] {
            try withFixture { fixture in
                let pid = try fixture.holder(script)
                let isPart = kind != .flock
                let expected = HeldLock(
                    path: fixture.path("a"), kind: kind, access: .write, pid: pid, start: isPart ? 5 : 0,
                    end: isPart ? 14 : nil)
                #expect(FileLocks.held(by: [pid]) == [expected])
                #expect(FileLocks.held(by: [pid], seeksWaiters: false) == [expected])
                signal(pid, SIGSTOP)
                #expect(eventually { isStopped(pid) })
                #expect(FileLocks.held(by: [pid]) == [expected])
            }
        }
    }

    @Test("One to read doesn't count, nor does a lease that nobody waits for; a report has them all")
    func reads() throws {
        try withFixture { fixture in
            let pid = try fixture.holder(
                """
                f = opened(here + '/a'); posix(f, fcntl.LOCK_SH)
                g = opened(here + '/b'); fcntl.flock(g, fcntl.LOCK_SH)
                h = opened(here + '/c'); ofd(h, fcntl.F_RDLCK)
                i = open(here + '/d', 'w'); fcntl.fcntl(i, fcntl.F_SETLEASE, fcntl.F_WRLCK)
                """)
            #expect(FileLocks.held(by: [pid]) == [])
            let all = FileLocks.all(of: pid)
            #expect(all.map(\.path) == ["a", "b", "c", "d"].map(fixture.path))
            #expect(all.map(\.kind) == [.posix, .flock, .ofd, .lease])
            #expect(all.map(\.access) == [.read, .read, .read, .write])
        }
    }

    @Test("flock's lock is its heir's, though the kernel's list names the one that took it and is dead")
    func inherited() throws {
        try withFixture { fixture in
            let taker = try fixture.child(
                """
                f = opened(here + '/a'); fcntl.flock(f, fcntl.LOCK_EX)
                if os.fork(): os._exit(0)
                say(os.getpid())
                """)
            let heir = try #require(taker.number())
            #expect(taker.wait() == .exited(code: 0))
            #expect(
                FileLocks.held(by: [heir])
                    == [HeldLock(path: fixture.path("a"), kind: .flock, access: .write, pid: heir)])
        }
    }

    @Test("A lock that two processes and three descriptors share is one")
    func shared() throws {
        try withFixture { fixture in
            let first = try fixture.child(
                """
                f = opened(here + '/a'); fcntl.flock(f, fcntl.LOCK_EX); g = os.dup(f.fileno())
                child = os.fork()
                if not child: say('child'); stay(); os._exit(0)
                say(child)
                """)
            let lines = [first.line(), first.line()]
            let second = try #require(lines.compactMap { $0.flatMap { Int32($0) } }.first)
            for pids in [[first.pid, second], [second, first.pid]] {
                let held = FileLocks.held(by: pids)
                #expect(held.map(\.pid) == [pids[0]])
            }
        }
    }

    @Test("Two files and two parts of one are three locks, in the order of their paths")
    func several() throws {
        try withFixture { fixture in
            let pid = try fixture.holder(
                """
                f = opened(here + '/b'); posix(f, fcntl.LOCK_EX, 1, 7); posix(f, fcntl.LOCK_EX, 1, 3)
                g = opened(here + '/a'); posix(g, fcntl.LOCK_EX)
                """)
            let held = FileLocks.held(by: [pid])
            #expect(held.map(\.path) == ["a", "b", "b"].map(fixture.path))
            #expect(held.map(\.start) == [0, 3, 7])
        }
    }

    @Test("Looked for in turns, they are found once each process had its own")
    func inTurns() throws {
        try withFixture { fixture in
            var pids: [Int32] = []
            for name in ["a", "b", "c"] {
                pids.append(try fixture.holder("f = opened(here + '/\(name)'); posix(f, fcntl.LOCK_EX)"))
            }
            var search = LockSearch(TreeWalk(pids, below: nil))
            for found in [nil, nil, FileLocks.held(by: pids)] {
                var turn = Turn(fewest: 1, microseconds: 0)
                #expect(asked { search.goOn(&turn) } == found)
            }
            #expect(FileLocks.held(by: pids).map(\.path) == ["a", "b", "c"].map(fixture.path))
        }
    }

    @Test("A deleted file, and one with blanks and newlines in its name, as the kernel names them")
    func names() throws {
        try withFixture { fixture in
            let pid = try fixture.holder(
                """
                f = opened(here + '/a'); posix(f, fcntl.LOCK_EX); os.unlink(here + '/a')
                g = opened(here + '/b \\nc'); posix(g, fcntl.LOCK_EX)
                """)
            #expect(
                FileLocks.held(by: [pid]).map(\.path) == [fixture.path("a") + " (deleted)", fixture.path("b \nc")])
        }
    }

    @Test(
        "One to read counts once a process outside waits for it, and not for one inside",
        arguments: [
            ("f = opened(here + '/a'); posix(f, fcntl.LOCK_SH)", "f = opened(here + '/a'); posix(f, fcntl.LOCK_EX)"),
            (
                "f = opened(here + '/a'); fcntl.flock(f, fcntl.LOCK_SH)",
                "f = opened(here + '/a'); fcntl.flock(f, fcntl.LOCK_EX)"
            ),
            ("f = opened(here + '/a'); ofd(f, fcntl.F_RDLCK)", "f = opened(here + '/a'); posix(f, fcntl.LOCK_EX)"),
        ])
    func waitedFor(holder: String, waiter: String) throws {
        try withFixture { fixture in
            let pid = try fixture.holder(holder)
            #expect(FileLocks.held(by: [pid]) == [])
            let other = try fixture.waiter(waiter)
            #expect(eventually { !FileLocks.held(by: [pid]).isEmpty })
            let held = FileLocks.held(by: [pid])
            #expect(held.map(\.isWaitedFor) == [true])
            #expect(held.map(\.access) == [.read])
            #expect(held.map(\.path) == [fixture.path("a")])
            #expect(FileLocks.held(by: [pid, other]) == [])
            #expect(FileLocks.held(by: [pid], seeksWaiters: false) == [])
        }
    }

    @Test("Who waits for an OFD lock has no pid; one of ours that is stopped waits no more")
    func stoppedWaiter() throws {
        try withFixture { fixture in
            let pid = try fixture.holder("f = opened(here + '/a'); ofd(f, fcntl.F_RDLCK)")
            let other = try fixture.waiter(
                """
                f = opened(here + '/a')
                fcntl.fcntl(f, fcntl.F_OFD_SETLKW, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
                """)
            #expect(eventually { FileLocks.held(by: [pid, other]).map(\.isWaitedFor) == [true] })
            signal(other, SIGSTOP)
            #expect(eventually { isStopped(other) })
            #expect(FileLocks.held(by: [pid, other]) == [])
        }
    }

    @Test("Of two parts locked to write, only the one that is waited for says so")
    func waitedForPart() throws {
        try withFixture { fixture in
            let pid = try fixture.holder(
                "f = opened(here + '/a'); posix(f, fcntl.LOCK_EX, 2, 0); posix(f, fcntl.LOCK_EX, 2, 8)")
            _ = try fixture.waiter("f = opened(here + '/a'); posix(f, fcntl.LOCK_SH, 1, 9)")
            #expect(eventually { FileLocks.held(by: [pid]).map(\.isWaitedFor) == [false, true] })
        }
    }

    @Test("A lease counts while a process outside waits for it to be given up")
    func lease() throws {
        try withFixture { fixture in
            let pid = try fixture.holder(
                """
                import signal; signal.signal(signal.SIGIO, signal.SIG_IGN)
                f = open(here + '/a', 'w'); fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)
                """)
            _ = try fixture.waiter("open(here + '/a')")
            #expect(eventually { FileLocks.held(by: [pid]).map(\.isWaitedFor) == [true] })
            #expect(FileLocks.held(by: [pid]).map(\.kind) == [.lease])
        }
    }

    // MARK: SQLite

    private static let database = "d = sqlite3.connect(here + '/db', isolation_level=None)\n"
    private static let table = "d.execute('create table t (x)'); d.execute('insert into t values (1)')\n"

    @Test("An SQLite connection in WAL mode counts while it writes, not while it is idle")
    func walMode() throws {
        try withFixture { fixture in
            let child = try fixture.child(
                Self.database + "d.execute('pragma journal_mode=wal')\n" + Self.table
                    + "say('idle'); os.read(8, 1); d.execute('begin immediate')")
            #expect(child.line() == "idle")
            #expect(FileLocks.all(of: child.pid).map(\.access).contains(.read))
            #expect(FileLocks.held(by: [child.pid]) == [])
            child.say("")
            #expect(child.line() == "ready")
            let held = FileLocks.held(by: [child.pid])
            #expect(!held.isEmpty)
            #expect(held.allSatisfy { $0.path == fixture.path("db-shm") && $0.access == .write }, "\(held)")
        }
    }

    @Test("One with a rollback journal counts in a transaction that writes", arguments: ["immediate", "exclusive"])
    func rollbackMode(transaction: String) throws {
        try withFixture { fixture in
            let child = try fixture.child(
                Self.database + Self.table + "say('idle'); os.read(8, 1); d.execute('begin \(transaction)')")
            #expect(child.line() == "idle")
            #expect(FileLocks.held(by: [child.pid]) == [])
            child.say("")
            #expect(child.line() == "ready")
            let held = FileLocks.held(by: [child.pid])
            #expect(!held.isEmpty)
            #expect(held.allSatisfy { $0.path == fixture.path("db") && $0.kind == .posix }, "\(held)")
        }
    }

    // MARK: What can't be looked at

    @Test("Processes that are gone are passed over, and so is time that is over")
    func gone() throws {
        try withFixture { fixture in
            let pid = try fixture.holder("f = opened(here + '/a'); posix(f, fcntl.LOCK_EX)")
            let zombie = try TestChild(["/bin/true"])
            defer { zombie.end() }
            #expect(eventually { Procfs.stat(zombie.pid)?.isGone == true })
            #expect(FileLocks.held(by: [nobody, zombie.pid, pid]).map(\.pid) == [pid])
            #expect(FileLocks.held(by: [nobody, zombie.pid]) == [])
            #expect(FileLocks.held(by: []) == [])
            #expect(FileLocks.all(of: pid, until: 0) == [])
        }
    }
}
