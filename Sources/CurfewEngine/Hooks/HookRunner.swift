import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// Runs the commands of `--exec-on` outside the app, one after the other, in a process of its own.
///
/// That process is a child of the front: were it the supervisor's, its hooks would count as processes of the app, and
/// could drive no supervisor.
final class HookRunner {
    private let hooks: [EventHook]
    private var descriptor: Descriptor

    /// Forks it; to be called before this process becomes a subreaper. Nil when there is nothing to run.
    static func start(_ hooks: [EventHook], callersMask: UInt64) throws(LaunchError) -> HookRunner? {
        if hooks.isEmpty { return nil }
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw LaunchError(125, "--exec-on: can't make a socket: \(String(cString: strerror(errno)))")
        }
        // Orphaned at once, it goes to the front.
        let middle = curfew_fork(SIGCHLD)
        if middle == 0 {
            close(ends[0])
            if curfew_fork(SIGCHLD) != 0 { curfew_exit(0) }
            HookProcess(hooks, socket: ends[1], callersMask: callersMask).serve()
        }
        close(ends[1])
        var info = curfew_wait_info()
        while curfew_waitid(Int32(P_PID.rawValue), middle, WEXITED, &info) == -EINTR {}
        return HookRunner(hooks, Descriptor(ends[0]))
    }

    private init(_ hooks: [EventHook], _ descriptor: Descriptor) {
        self.hooks = hooks
        self.descriptor = descriptor
    }

    /// Hands over the event; false when so many wait already that this one is dropped.
    func run(_ event: Message) -> Bool {
        let name = event["name"]
        var isTaken = true
        for (index, hook) in hooks.enumerated() where hook.event == name {
            var bytes: [UInt8] = []
            Message("hook", [Field("hook", String(index))] + event.fields).encodeWhole(into: &bytes)
            if send(descriptor.number, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 { isTaken = false }
        }
        return isTaken
    }

    /// Returns once all that was handed over has run, or its time is up.
    func finish() {
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
        var end = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        _ = poll(&end, 1, Int32(HookProcess.lastSeconds + 2) * 1000)
        descriptor.close()
    }
}
