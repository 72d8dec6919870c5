import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// The process that runs one source: starts it by sh when it is told to, passes on what it writes, and leaves nothing of it
/// behind. It is no child of the server's: see `OutsideProcess`.
final class SourceProcess {
    static let name: StaticString = "curfew-source"
    /// What a source has to end by itself, when it is asked to or has closed its output.
    private static let patience: Int64 = 3_000_000_000
    /// POLLRDHUP, which Glibc's module hides. Source: poll(2), include/uapi/asm-generic/poll.h.
    private static let otherEndClosed: Int16 = 0x2000

    private let plan: SourcePlan
    private let server: String
    private let socket: Int32
    private let callersMask: UInt64
    private let noInput = curfew_open_at(AT_FDCWD, "/dev/null", O_RDONLY, 0)
    /// Whether the server orders nothing any more: the source is asked to end, and what it writes still passed on.
    private var isLast = false
    /// Whether the server has closed its end: nothing is passed on any more.
    private var isAlone = false

    init(_ plan: SourcePlan, server: String, socket: Int32, callersMask: UInt64) {
        self.plan = plan
        self.server = server
        self.socket = socket
        self.callersMask = callersMask
    }

    /// Until the server orders nothing any more.
    func serve() -> Never {
        // Out of reach of the terminal's keys, and in charge of whatever a source leaves behind.
        _ = setpgid(0, 0)
        _ = curfew_set_subreaper()
        var packet = [UInt8](repeating: 0, count: SourceRunner.maximumOrder)
        while !isAlone {
            let count = recv(socket, &packet, packet.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            guard let order = try? Message.parse(Array(packet[..<count])), order.verb == SourceRunner.startVerb else {
                continue
            }
            tell(.ended(run(order.fields)))
        }
        curfew_exit(0)
    }

    // MARK: One run

    private func run(_ variables: [Field]) -> SourceEnd {
        var ends: [Int32] = [-1, -1]
        let made = curfew_pipe(&ends)
        guard made == 0 else { return .notStarted("can't make a pipe: \(String(cString: strerror(-made)))") }
        var (output, written) = (Descriptor(ends[0]), Descriptor(ends[1]))
        defer { output.close() }
        do throws(SpawnError) {
            let (pid, pidfd) = try start(variables, output: written)
            written.close()
            tell(.started(pid: pid))
            return wait(for: pid, pidfd, output)
        } catch {
            written.close()
            return .notStarted("can't start sh: \(error.reason)")
        }
    }

    private func start(
        _ variables: [Field], output: Descriptor
    ) throws(SpawnError) -> (pid: Int32, pidfd: Descriptor) {
        let arguments = OwnedStrings(["/bin/sh", "-c", plan.command])
        let added = variables.filter { !$0.value.utf8.contains(0) } + [Field("CURFEW_SERVER", server)]
        let environment = OwnedStrings(ServerEnvironment.own().with(added.map { ($0.key, $0.value) }))
        defer { withExtendedLifetime((arguments, environment)) {} }
        var request = SpawnRequest(arguments: arguments.pointer, environment: environment.pointer)
        request.signalMask = callersMask
        request.hasOwnProcessGroup = true
        // As an app of the server: one that forks without end takes nobody's time.
        request.hasOwnSession = true
        request.parentDeathSignal = SIGKILL
        request.streams = (noInput, output.number, -1)
        return try request.spawn()
    }

    /// Passes on what it writes until it has ended, and all of that is told.
    private func wait(for pid: Int32, _ pidfd: Descriptor, _ output: Descriptor) -> SourceEnd {
        var pidfd = pidfd
        defer { pidfd.close() }
        var run = SourceRun(pid: pid)
        var unsent: [UInt8]?
        while run.end == nil || !run.isDrained || unsent != nil {
            let now = curfew_monotonic_nanoseconds()
            if run.isOverdue(at: now) { run.insist(at: now) }
            if isAlone {
                unsent = nil
                run.ask(at: now)
            }
            let readsMore = unsent == nil && !run.isDrained
            var ready = [
                pollfd(fd: run.end == nil ? pidfd.number : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: readsMore ? output.number : -1, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: isAlone ? -1 : socket,
                    events: (isLast ? 0 : Self.otherEndClosed) | (unsent == nil ? 0 : Int16(POLLOUT)), revents: 0),
            ]
            let left = run.due.map { Int32(clamping: max(0, $0 - now) / 1_000_000 + 1) } ?? -1
            // Nobody writes any more where it has ended: what isn't there now doesn't come.
            if poll(&ready, 3, run.end != nil && readsMore ? 0 : left) < 0 { continue }
            if ready[2].revents & ~Int16(POLLOUT) != 0 {
                isLast = true
                if ready[2].revents & Int16(POLLHUP | POLLERR) != 0 { isAlone = true }
                run.ask(at: now)
            }
            if let bytes = unsent, ready[2].revents & Int16(POLLOUT) != 0, send(bytes) { unsent = nil }
            if ready[0].revents != 0 { run.takeEnd() }
            guard readsMore else { continue }
            switch read(output) {
            case .some(let bytes) where bytes.isEmpty: run.outputClosed(at: now)
            case .some(let bytes):
                let packet = SourceNews.output(bytes).packet
                if !isAlone, !send(packet) { unsent = packet }
            case nil: if run.end != nil { run.isDrained = true }
            }
        }
        return run.end ?? .closedOutput
    }

    /// None where it has been closed; nil where there is nothing to read now.
    private func read(_ output: Descriptor) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: SourceNews.maximumOutput)
        let count = Glibc.read(output.number, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    // MARK: Telling

    /// False where there is no room for it now.
    private func send(_ packet: [UInt8]) -> Bool {
        Glibc.send(socket, packet, packet.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) >= 0 || errno != EAGAIN
    }

    /// Waits until there is room for it, or nobody to be told.
    private func tell(_ news: SourceNews) {
        let packet = news.packet
        while !isAlone, Glibc.send(socket, packet, packet.count, Int32(MSG_NOSIGNAL)) < 0 {
            if errno != EINTR { isAlone = true }
        }
    }

    /// One run of it, from its start until nothing of it is left.
    private struct SourceRun {
        let pid: Int32
        /// When it is asked, or made, to end; nil: not yet.
        private(set) var due: Int64?
        private var isAsked = false
        private var hasClosedOutput = false
        private(set) var end: SourceEnd?
        /// Whether nothing of its output is left to be read.
        var isDrained = false

        init(pid: Int32) { self.pid = pid }

        func isOverdue(at now: Int64) -> Bool { end == nil && due.map { $0 <= now } == true }

        mutating func outputClosed(at now: Int64) {
            isDrained = true
            hasClosedOutput = true
            if end == nil, due == nil { due = now + SourceProcess.patience }
        }

        /// To end by itself.
        mutating func ask(at now: Int64) {
            guard end == nil, !isAsked else { return }
            isAsked = true
            due = now + SourceProcess.patience
            for signal in [SIGTERM, SIGCONT] { _ = curfew_kill(-pid, signal) }
        }

        mutating func insist(at now: Int64) {
            if isAsked { finish(.killed(signal: SIGKILL)) } else { ask(at: now) }
        }

        /// It has ended by itself.
        mutating func takeEnd() {
            guard end == nil, case .report(let report) = Reaping.wait(.reap(pid)) else { return }
            switch report.change {
            case .killed(let signal, _): finish(.killed(signal: signal))
            case .exited(let code): finish(.exited(Int32(code)))
            case .stopped, .continued: break
            }
        }

        private mutating func finish(_ end: SourceEnd) {
            LeftProcesses.end()
            self.end = isAsked && hasClosedOutput ? .closedOutput : end
            due = nil
        }
    }
}
