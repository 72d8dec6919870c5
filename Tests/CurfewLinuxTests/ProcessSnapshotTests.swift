import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("What a process was doing")
struct ProcessSnapshotTests {
    @Test("A sleeping child")
    func sleeping() throws {
        let child = try TestChild(["/bin/sleep", "1000"])
        defer { child.end() }
        #expect(eventually { state(child.pid) == "S" })
        let snapshot = try #require(ProcessSnapshot(of: child.pid))
        #expect(snapshot.pid == child.pid)
        #expect(snapshot.parent == getpid())
        #expect(snapshot.name == "sleep")
        #expect(snapshot.commandLine == ["/bin/sleep", "1000"])
        #expect(snapshot.state == UInt8(ascii: "S"))
        #expect(snapshot.locks == [])
        #expect(try #require(snapshot.footprint) > 0)
        #expect(try #require(snapshot.footprint) < 8 << 20)
        #expect(try #require(snapshot.descriptors) >= 1)
    }

    @Test("A stopped child is seen as stopped")
    func stopped() throws {
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        signal(child.pid, SIGSTOP)
        #expect(eventually { ProcessSnapshot(of: child.pid)?.state == UInt8(ascii: "T") })
    }

    @Test(
        "Memory, descriptors, time on a processor and locks of a child that has some of each",
        .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath)"))
    func possessions() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let child = try TestChild(
            python: """
                def count(): return len(os.listdir("/proc/self/fd")) - 1
                before = count()
                files = [open("/dev/null") for _ in range(20)]
                memory = b"x" * (30 << 20)
                lock = opened(here + "/a"); posix(lock, fcntl.LOCK_SH)
                other = opened(here + "/b"); posix(other, fcntl.LOCK_EX)
                while os.times().user + os.times().system < 0.1: pass
                assert count() == before + 22
                say(count())
                stay()
                """, scratch.path)
        defer { child.end() }
        let count = try #require(child.number())
        let taken = ProcessSnapshot.take(of: [child.pid], within: .max)
        #expect(taken.omitted == 0)
        let snapshot = try #require(taken.processes.first)
        #expect(snapshot.descriptors == Int(count))
        let footprint = try #require(snapshot.footprint)
        #expect(footprint >= 30 << 20)
        #expect(footprint < 80 << 20)
        #expect(snapshot.cpuMicroseconds >= 90_000)
        #expect(snapshot.cpuMicroseconds < 60_000_000)
        #expect(snapshot.locks.map(\.path) == [scratch.path + "/a", scratch.path + "/b"])
        #expect(snapshot.locks.map(\.access) == [.read, .write])
        #expect(snapshot.commandLine.last == scratch.path)
    }

    @Test("A long command line is cut at 4,096 bytes")
    func longCommandLine() throws {
        let long = String(repeating: "x", count: 10_000)
        let child = try TestChild(["/bin/sh", "-c", TestChild.stay, "name", long])
        defer { child.end() }
        #expect(child.line() == "ready")
        let words = try #require(ProcessSnapshot(of: child.pid)).commandLine
        #expect(words.prefix(4) == ["/bin/sh", "-c", TestChild.stay, "name"])
        #expect(words.reduce(0) { $0 + $1.utf8.count + 1 } == 4_097)
    }

    @Test("Of what SIGKILL has ended its name can be had, until it is reaped")
    func killed() throws {
        let child = try TestChild(["/bin/sleep", "100"])
        defer { child.end() }
        #expect(eventually { Procfs.commandName(child.pid) == "sleep" })
        _ = curfew_kill(child.pid, SIGKILL)
        #expect(eventually { Procfs.stat(child.pid)?.isGone == true })
        #expect(ProcessSnapshot(of: child.pid) == nil)
        let snapshot = try #require(ProcessSnapshot(of: child.pid, includingKilled: true))
        #expect(snapshot.name == "sleep")
        #expect(snapshot.footprint == nil)
        let zombie = try TestChild(["/bin/true"])
        defer { zombie.end() }
        #expect(eventually { Procfs.stat(zombie.pid)?.isGone == true })
        #expect(ProcessSnapshot(of: zombie.pid, includingKilled: true) == nil)
    }

    @Test("What is gone has none: a zombie, a pid that nobody has, one that can't be")
    func gone() throws {
        let zombie = try TestChild(["/bin/true"])
        defer { zombie.end() }
        #expect(eventually { Procfs.stat(zombie.pid)?.isGone == true })
        for pid in [zombie.pid, nobody, 0] { #expect(ProcessSnapshot(of: pid) == nil, "\(pid)") }
        let taken = ProcessSnapshot.take(of: [nobody, getpid(), zombie.pid], within: .max)
        #expect(taken.processes.map(\.pid) == [getpid()])
        #expect(taken.omitted == 0)
    }

    @Test("Without time one is looked at, and with all the time in the world each", arguments: [0, -1, Int64.min])
    func noTime(microseconds: Int64) {
        let pids = [getpid(), getppid()]
        let taken = ProcessSnapshot.take(of: pids, within: microseconds)
        #expect(taken.processes.map(\.pid) == [getpid()])
        #expect(taken.omitted == 1)
        let all = ProcessSnapshot.take(of: pids, within: .max)
        #expect(all.processes.map(\.pid) == pids)
        #expect(all.omitted == 0)
        #expect(ProcessSnapshot.take(of: [], within: 0).omitted == 0)
    }

    @Test("When the time is over in the midst of it, what was looked at and what wasn't are all of them")
    func someTime() {
        var now: Int64 = 0
        // A millisecond passes with each look at the clock.
        let taken = ProcessSnapshot.take(of: [Int32](repeating: getpid(), count: 20), within: 5_000) {
            now += 1_000_000
            return now
        }
        #expect(taken.processes.count == 5)
        #expect(taken.omitted == 15)
    }

    @Test(
        "The largest comes first, the others stay in order; of many only the first hundred are put in order",
        .enabled(if: TestChild.hasPython, "needs \(TestChild.pythonPath)"))
    func largest() throws {
        let child = try TestChild(
            python: """
                memory = b"x" * (30 << 20)
                say(1)
                stay()
                """)
        defer { child.end() }
        _ = try #require(child.number())
        let nobody = Int32.max
        #expect(ProcessSnapshot.largestFirst([nobody, 0, child.pid]) == [child.pid, nobody, 0])
        let others = [Int32](repeating: nobody, count: 100)
        #expect(ProcessSnapshot.largestFirst(others + [child.pid]) == others + [child.pid])
        #expect(ProcessSnapshot.largestFirst([]) == [])
    }

    @Test("Arguments are parted at each NUL; padding at the end is none")
    func words() {
        let words = { (text: String) in Array(text.utf8).withUnsafeBytes { Procfs.words(in: $0) } }
        #expect(words("") == [])
        #expect(words("\0") == [])
        #expect(words("a\0b c\0") == ["a", "b c"])
        #expect(words("a\0\0b\0") == ["a", "", "b"])
        #expect(words("\0a") == ["", "a"])
        #expect(words("nginx: worker") == ["nginx: worker"])
        #expect(words("title\0\0\0\0\0") == ["title"])
    }

    @Test("The footprint is what the kernel can't drop; without all three figures it isn't told")
    func footprint() {
        let footprint = { (text: String) in Array(text.utf8).withUnsafeBytes { Procfs.footprint(inStatus: $0)?.total } }
        let status = """
            Name:\tRssAnon: 7
            VmRSS:\t    9000 kB
            RssAnon:\t    1024 kB
            RssFile:\t    7000 kB
            RssShmem:\t       2 kB
            VmSwap:\t       1 kB
            """
        #expect(footprint(status) == 1027 * 1024)
        #expect(footprint("Name:\tkthreadd\nThreads:\t1\n") == nil)
        #expect(footprint(String(status.dropLast("VmSwap:\t       1 kB".count))) == nil)
        #expect(footprint("") == nil)
    }

    @Test(
        "A kernel thread has no arguments and no memory",
        .enabled(if: Procfs.commandName(2) == "kthreadd", "none is seen in this pid namespace"))
    func kernelThread() throws {
        let snapshot = try #require(ProcessSnapshot(of: 2))
        #expect(snapshot.commandLine == [])
        #expect(snapshot.footprint == nil)
    }
}
