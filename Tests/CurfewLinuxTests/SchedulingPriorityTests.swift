import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("Putting an app last in the queues, and back")
struct SchedulingPriorityTests {
    private static let idle: Int32 = 3 << 13
    private static let bestEffort: Int32 = 2 << 13

    private func nice(_ thread: Int32) -> Int32? {
        var nice: Int32 = 0
        return curfew_get_nice(thread, &nice) == 0 ? nice : nil
    }

    private func io(_ thread: Int32) -> Int32 { curfew_get_io_priority(thread) >> 13 }

    @Test("The I/O class goes down and comes back, for everybody")
    func ioClass() throws {
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        let before = curfew_get_io_priority(child.pid)
        var priority = SchedulingPriority()
        priority.restore([child.pid])
        #expect(curfew_get_io_priority(child.pid) == before)
        priority.lower([child.pid])
        #expect(io(child.pid) == 3)
        priority.lower([child.pid])
        priority.restore([child.pid])
        #expect(io(child.pid) == before >> 13)
        // It is forgotten then.
        #expect(curfew_set_io_priority(child.pid, Self.idle) == 0)
        priority.restore([child.pid])
        #expect(io(child.pid) == 3)
    }

    // Skipped where the kernel doesn't share between sessions, or what is set can't be undone.
    @Test(
        "The share of a session of its own goes down and comes back; one that isn't its own isn't touched",
        .enabled(if: Autogroup.canBeSetAtAnyTime, "needs CAP_SYS_ADMIN, and sched_autogroup_enabled"))
    func session() throws {
        let own = try TestChild(shell: TestChild.stay) { $0.hasOwnSession = true }
        defer { own.end() }
        let other = try TestChild(shell: TestChild.stay)
        defer { other.end() }
        #expect(own.line() == "ready")
        #expect(other.line() == "ready")
        let others = Autogroup.nice(ofSessionOf: other.pid)
        #expect(Autogroup.setNice(3, ofSessionOf: own.pid))
        var priority = SchedulingPriority()
        priority.lower([nobody, other.pid, own.pid], session: own.pid)
        #expect(Autogroup.nice(ofSessionOf: own.pid) == 19)
        #expect(Autogroup.nice(ofSessionOf: other.pid) == others)
        priority.lower([own.pid], session: own.pid)
        priority.restore([nobody, other.pid, own.pid], session: own.pid)
        #expect(Autogroup.nice(ofSessionOf: own.pid) == 3)
        // What it has changed itself meanwhile stays.
        priority.lower([own.pid], session: own.pid)
        #expect(Autogroup.setNice(7, ofSessionOf: own.pid))
        priority.restore([own.pid], session: own.pid)
        #expect(Autogroup.nice(ofSessionOf: own.pid) == 7)
        // Without one of its own nothing is touched.
        priority.lower([own.pid, other.pid])
        #expect(Autogroup.nice(ofSessionOf: own.pid) == 7)
        priority.restore([own.pid, other.pid])
    }

    @Test("What the kernel tells of a session's share")
    func sessionText() {
        #expect(Autogroup.nice(in: "/autogroup-25 nice 0\n") == 0)
        #expect(Autogroup.nice(in: "/autogroup-901597 nice -20\n") == -20)
        #expect(Autogroup.nice(in: "") == nil)
        #expect(Autogroup.nice(in: "/autogroup-25 nice \n") == nil)
    }

    // Skipped where a nice value can't be given back.
    @Test(
        "The nice value goes down and comes back, each to its own",
        .enabled(if: SchedulingPriority.canRestoreNice(), "needs CAP_SYS_NICE or RLIMIT_NICE"))
    func niceValue() throws {
        let first = try TestChild(shell: TestChild.stay)
        defer { first.end() }
        let second = try TestChild(shell: TestChild.stay)
        defer { second.end() }
        #expect(first.line() == "ready")
        #expect(second.line() == "ready")
        let before = try #require(nice(first.pid))
        #expect(curfew_set_nice(second.pid, before + 3) == 0)
        #expect(curfew_set_io_priority(second.pid, Self.bestEffort | 6) == 0)
        var priority = SchedulingPriority()
        priority.lower([first.pid, second.pid, nobody])
        #expect(nice(first.pid) == 19)
        #expect(nice(second.pid) == 19)
        #expect(io(second.pid) == 3)
        priority.restore([second.pid, first.pid, nobody])
        #expect(nice(first.pid) == before)
        #expect(nice(second.pid) == before + 3)
        #expect(curfew_get_io_priority(second.pid) == Self.bestEffort | 6)
    }

    // Skipped where a nice value can't be given back.
    @Test(
        "What is born meanwhile comes back with its parent; what the app has changed stays",
        .enabled(if: SchedulingPriority.canRestoreNice(), "needs CAP_SYS_NICE or RLIMIT_NICE"))
    func born() throws {
        // Starts another at each line it reads.
        let child = try TestChild(
            shell: "echo ready >&8; while read line <&8; do sh -c 'echo $$ >&8; exec sleep 1000' & done")
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(curfew_set_nice(child.pid, 4) == 0)
        let before = io(child.pid)
        var priority = SchedulingPriority()
        priority.lower([child.pid])
        child.say("")
        let late = try #require(child.number())
        #expect(nice(late) == 19)
        // Seen by a second look, it isn't taken for one that was so low before.
        priority.lower([child.pid, late])
        child.say("")
        let later = try #require(child.number())
        child.say("")
        let changed = try #require(child.number())
        #expect(curfew_set_nice(changed, 11) == 0)
        #expect(curfew_set_io_priority(changed, Self.bestEffort | 1) == 0)
        priority.restore([child.pid, late, later, changed])
        for pid in [child.pid, late, later] {
            #expect(nice(pid) == 4)
            #expect(io(pid) == before)
        }
        #expect(nice(changed) == 11)
        #expect(curfew_get_io_priority(changed) == Self.bestEffort | 1)
    }

    // Skipped where there is no Python.
    @Test("Every thread is lowered, not the first alone", .enabled(if: hasPython, "no python3 in the PATH"))
    func everyThread() throws {
        let child = try TestChild([
            "python3", "-c",
            """
            import os, threading
            threading.Thread(target=os.read, args=(8, 1), daemon=True).start()
            os.write(8, b"ready\\n")
            os.read(8, 1)
            """,
        ])
        defer { child.end() }
        #expect(child.line() == "ready")
        let threads = (Directory.names(of: "/proc/\(child.pid)/task") ?? []).compactMap { Int32($0) }
        #expect(threads.count == 2)
        let before = threads.map { io($0) }
        var priority = SchedulingPriority()
        priority.lower([child.pid])
        #expect(threads.map { io($0) } == [3, 3])
        priority.restore([child.pid])
        #expect(threads.map { io($0) } == before)
    }

    private static let hasPython: Bool = {
        guard let child = try? TestChild(["python3", "--version"]) else { return false }
        defer { child.end() }
        return child.wait() == .exited(code: 0)
    }()

    /// Down to which anybody may go here; 20: nobody below his own.
    private static let ceiling: Int32 = {
        var ceiling: Int32 = 0
        return curfew_nice_ceiling(&ceiling) == 0 ? ceiling : 20
    }()

    // A thread has capabilities of its own; what it gives up, the others keep.
    @Test("An ordinary user can give back as much as RLIMIT_NICE lets him")
    func ordinaryUser() throws {
        try onThreadOfItsOwn {
            var keepsKill: Int32 = 5
            #expect(curfew_capabilities_keep(&keepsKill, 1) == 0)
            let own = try #require(nice(0))
            #expect(SchedulingPriority.canRestoreNice() == (own >= Self.ceiling))
            #expect(nice(0) == own)
        }
    }

    // Skipped where RLIMIT_NICE lets an ordinary user raise a nice value.
    @Test(
        "An ordinary user's nice value isn't touched, for it couldn't be given back",
        .enabled(if: ceiling == 20, "RLIMIT_NICE lets anybody go back to a nice value of \(ceiling)"))
    func untouched() throws {
        let child = try TestChild(shell: TestChild.stay) { $0.dropsCapabilities = true }
        defer { child.end() }
        #expect(child.line() == "ready")
        let before = (nice: nice(child.pid), io: io(child.pid))
        try onThreadOfItsOwn {
            var keepsKill: Int32 = 5
            #expect(curfew_capabilities_keep(&keepsKill, 1) == 0)
            var priority = SchedulingPriority()
            priority.lower([child.pid])
            #expect(nice(child.pid) == before.nice)
            #expect(io(child.pid) == 3)
            priority.restore([child.pid])
            #expect(io(child.pid) == before.io)
        }
    }

    @Test("To find out changes nothing")
    func probe() {
        let before = nice(0)
        _ = SchedulingPriority.canRestoreNice()
        #expect(nice(0) == before)
    }
}
