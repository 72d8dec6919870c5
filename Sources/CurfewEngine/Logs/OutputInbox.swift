import CCurfew
import CurfewLinux
import Glibc

/// What an output writer's owner and its thread tell each other; neither waits for the other.
final class OutputInbox: Sendable {
    enum Request: Sendable {
        case keep(LoggedRun, Descriptor)
        /// `handed`: to be told once nothing of it is left to read.
        case end(app: String, run: Int, handed: HandedOutput?)
        case finish
    }

    private struct State {
        var requests: [Request] = []
        var problem: KernelError?
    }

    private let state = Guarded(State())
    /// Readable while there are requests.
    let waker: Descriptor
    /// Readable once the thread has done its last.
    private let end: Descriptor

    init() throws(KernelError) {
        waker = try Self.eventDescriptor()
        do throws(KernelError) { end = try Self.eventDescriptor() } catch {
            var waker = waker
            waker.close()
            throw error
        }
    }

    deinit {
        for var descriptor in [waker, end] { descriptor.close() }
    }

    private static func eventDescriptor() throws(KernelError) -> Descriptor {
        let number = curfew_eventfd()
        if number < 0 { throw KernelError("make an eventfd", "", errno: -number) }
        return Descriptor(number)
    }

    func put(_ request: Request) {
        state.withLock { $0.requests.append(request) }
        Self.signal(waker)
    }

    func take() -> [Request] {
        var count: UInt64 = 0
        _ = curfew_read(waker.number, &count, MemoryLayout.size(ofValue: count))
        return state.withLock { state in
            defer { state.requests.removeAll() }
            return state.requests
        }
    }

    var problem: KernelError? {
        get { state.withLock { $0.problem } }
        set { state.withLock { $0.problem = newValue } }
    }

    func tellEnd() { Self.signal(end) }

    /// Whether the thread has done its last by then; `deadline`: nanoseconds of the monotonic clock.
    func waitForEnd(until deadline: Int64) -> Bool {
        var entry = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
        while true {
            let left = max(0, deadline - curfew_monotonic_nanoseconds())
            // A signal interrupts it. Source: poll(2), EINTR.
            if poll(&entry, 1, Int32(clamping: (left + 999_999) / 1_000_000)) > 0 { return true }
            if left == 0 { return false }
        }
    }

    private static func signal(_ descriptor: Descriptor) {
        var one: UInt64 = 1
        _ = curfew_write(descriptor.number, &one, MemoryLayout.size(ofValue: one))
    }
}
