import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// The process that runs hooks: takes one event at a time, runs sh for it, and kills what that leaves behind.
struct HookProcess {
    /// What hooks still get in all once the app is gone.
    static let lastSeconds: Int64 = 5
    static let name: StaticString = "curfew-hooks"
    /// POLLRDHUP, which Glibc's module hides. Source: poll(2), include/uapi/asm-generic/poll.h.
    private static let otherEndClosed: Int16 = 0x2000

    private let hooks: [EventHook]
    private let socket: Int32
    private let callersMask: UInt64
    private let noInput = curfew_open_at(AT_FDCWD, "/dev/null", O_RDONLY, 0)

    init(_ hooks: [EventHook], socket: Int32, callersMask: UInt64) {
        self.hooks = hooks
        self.socket = socket
        self.callersMask = callersMask
    }

    /// Until the supervisor closes its end.
    func serve() -> Never {
        // Out of reach of the terminal's keys, and in charge of whatever a hook leaves behind.
        _ = setpgid(0, 0)
        _ = curfew_set_subreaper()
        _ = dup2(noInput, 0)
        var packet = [UInt8](repeating: 0, count: 2 * LineReader.maximumLineBytes)
        var lastInstant: Int64?
        while true {
            let count = recv(socket, &packet, packet.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { curfew_exit(0) }
            guard let event = try? Message.parse(Array(packet[..<count])) else { continue }
            run(event, &lastInstant)
        }
    }

    private func run(_ event: Message, _ lastInstant: inout Int64?) {
        guard let index = event["hook"].flatMap({ Int($0) }), hooks.indices.contains(index) else { return }
        if let lastInstant, curfew_monotonic_nanoseconds() >= lastInstant { return }
        let arguments = OwnedStrings(["/bin/sh", "-c", hooks[index].command])
        let environment = OwnedStrings(HookEnvironment(event).entries)
        defer { withExtendedLifetime((arguments, environment)) {} }
        var request = SpawnRequest(arguments: arguments.pointer, environment: environment.pointer)
        request.signalMask = callersMask
        request.hasOwnProcessGroup = true
        request.parentDeathSignal = SIGKILL
        do throws(SpawnError) {
            let (_, pidfd) = try request.spawn()
            wait(pidfd, &lastInstant)
        } catch {
            StandardError.print("curfew: --exec-on \(hooks[index].event): can't start sh: \(error.reason)")
        }
        LeftProcesses.end()
    }

    /// For the hook's end; once the supervisor has closed its end, only for so long.
    private func wait(_ pidfd: Descriptor, _ lastInstant: inout Int64?) {
        var pidfd = pidfd
        defer { pidfd.close() }
        while true {
            var ready = [
                pollfd(fd: pidfd.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: lastInstant == nil ? socket : -1, events: Self.otherEndClosed, revents: 0),
            ]
            let left = lastInstant.map { max(0, ($0 - curfew_monotonic_nanoseconds()) / 1_000_000) }
            let count = poll(&ready, 2, left.map { Int32($0) } ?? -1)
            if count == 0 || ready[0].revents != 0 { return }
            if count > 0, ready[1].revents != 0 {
                lastInstant = curfew_monotonic_nanoseconds() + Self.lastSeconds * 1_000_000_000
            }
        }
    }
}
