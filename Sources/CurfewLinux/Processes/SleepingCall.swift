import CCurfew
import Glibc

/// The system call that a thread waits in.
struct SleepingCall: Sendable, Hashable {
    var number: Int
    /// Six of them.
    var arguments: [UInt64]
    var stackPointer: UInt64
    var programCounter: UInt64

    /// Nil for one that runs, that waits elsewhere, or may not be looked at.
    init?(of thread: Int32, in pid: Int32) {
        guard let call = Procfs.withSystemCall(of: thread, in: pid, { SleepingCall($0) }) else { return nil }
        self = call
    }

    /// `NUMBER 0xARGUMENT… 0xSTACKPOINTER 0xPROGRAMCOUNTER`; elsewhere `running`, or `-1` and the last two. Programs of 32 bits
    /// number their calls otherwise; their stack tells. Source: proc_pid_syscall(5).
    init?(_ text: UnsafeRawBufferPointer) {
        var index = 0
        guard let number = text.number(at: &index) else { return nil }
        var values: [UInt64] = []
        for _ in 0..<8 {
            text.skip(32, at: &index)
            guard index + 2 <= text.count, text[index] == 48, text[index + 1] == 120 else { return nil }
            index += 2
            guard let value = text.hexadecimal(at: &index) else { return nil }
            values.append(value)
        }
        guard values[6] > UInt64(UInt32.max) else { return nil }
        self.number = Int(truncatingIfNeeded: number)
        arguments = Array(values[..<6])
        stackPointer = values[6]
        programCounter = values[7]
    }

    /// Whether it is the same, though a signal has interrupted it: that keeps its place.
    func isAtSamePlace(as other: SleepingCall) -> Bool {
        stackPointer == other.stackPointer && programCounter == other.programCounter
    }
}
