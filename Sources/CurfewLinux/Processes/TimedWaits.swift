import CCurfew
import Glibc

/// A system call in which a thread waits, and which would end by itself: `poll` with a timeout, `nanosleep`.
public struct TimedWait: Sendable, Hashable {
    public var pid: Int32
    /// The command's.
    public var name: String
    public var call: String
    /// How long it lasts; of one that lasts until some moment, what was left of it. Above 0.
    public var nanoseconds: Int64
}

/// Finds the shortest wait of a program that is about to be stopped.
///
/// Before that: a stop writes into some calls how much of their time is left, and of one that goes on afterwards the kernel
/// tells no more than that, so it is known again by its place. Source: proc_pid_syscall(5); restart_syscall(2); select(2).
public struct TimedWaits: Sendable {
    /// Of very many the first.
    static let mostThreads = 64

    private struct Seen {
        let call: SleepingCall
        let name: String
        let nanoseconds: Int64
    }

    /// By thread, as of the last look.
    private var seen: [Int32: Seen] = [:]

    public init() {}

    /// Nil where no thread waits so. Threads that may not be looked at don't count, nor do programs of 32 bits.
    public mutating func shortest(of pids: [Int32]) -> TimedWait? {
        var found: [Int32: Seen] = [:]
        var shortest: (pid: Int32, wait: Seen)?
        var left = Self.mostThreads
        for pid in pids where left > 0 {
            var memory = ResidentMemory(of: pid)
            defer { memory.close() }
            Procfs.forEachThread(of: pid) { thread in
                guard left > 0 else { return }
                left -= 1
                guard let call = SleepingCall(of: thread, in: pid), let wait = look(at: call, of: thread, &memory)
                else { return }
                found[thread] = wait
                if shortest.map({ wait.nanoseconds < $0.wait.nanoseconds }) ?? true { shortest = (pid, wait) }
            }
        }
        seen = found
        return shortest.map { pid, wait in
            TimedWait(
                pid: pid, name: Procfs.commandName(pid) ?? "?", call: wait.name, nanoseconds: wait.nanoseconds)
        }
    }

    private func look(at call: SleepingCall, of thread: Int32, _ memory: inout ResidentMemory) -> Seen? {
        if curfew_is_restarted_call(call.number) {
            guard let before = seen[thread], before.call.isAtSamePlace(as: call) else { return nil }
            return before
        }
        var wait = curfew_wait()
        guard curfew_timed_wait(call.number, call.arguments, &wait) == 0,
            let nanoseconds = Self.length(of: wait, &memory)
        else { return nil }
        return Seen(call: call, name: String(cString: wait.name), nanoseconds: nanoseconds)
    }

    /// Nil for what is no wait, or for ever.
    private static func length(of wait: curfew_wait, _ memory: inout ResidentMemory) -> Int64? {
        if wait.unit == CURFEW_WAIT_MILLISECONDS {
            return Int64(Int32(truncatingIfNeeded: wait.value)) * 1_000_000
        }
        let unit: Int64 = wait.unit == CURFEW_WAIT_TIMEVAL ? 1000 : 1
        guard let (seconds, rest) = memory.numbers(at: wait.value),
            let time = nanoseconds(seconds, rest, unit: unit)
        else { return nil }
        if wait.clock < 0 { return time > 0 ? time : nil }
        var now = timespec()
        guard clock_gettime(wait.clock, &now) == 0, let passed = nanoseconds(Int64(now.tv_sec), Int64(now.tv_nsec))
        else { return nil }
        return max(1, time - passed)
    }

    /// More than some hundred years, and nonsense, are none: whoever waits so long waits for something else.
    private static func nanoseconds(_ seconds: Int64, _ rest: Int64, unit: Int64 = 1) -> Int64? {
        guard 0..<4_000_000_000 ~= seconds, 0..<1_000_000_000 / unit ~= rest else { return nil }
        return seconds * 1_000_000_000 + rest * unit
    }
}
