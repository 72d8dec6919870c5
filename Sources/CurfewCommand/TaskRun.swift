import CCurfew
import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew task run NAME -- COMMAND`: holds a background task while COMMAND runs; on expiration COMMAND gets SIGTERM.
///
/// Outside an app there is nothing to hold: it says so and runs COMMAND all the same, so that a script works both ways.
struct TaskRun {
    private var client: ControlClient?
    private let child: Int32
    private let signals: Descriptor
    private let epoll: Descriptor

    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        var reader = reader
        guard case .operand(let name)? = try reader.next() else {
            throw reader.error("a name and a command are needed: curfew task run NAME -- COMMAND [ARG…]")
        }
        if case .option(let option)? = try reader.next() { throw reader.unknown(option) }
        reader.endOptions()
        let command = reader.rest
        guard command.count > 0, let word = command.arguments[0] else {
            throw reader.error("a command is needed: curfew task run NAME -- COMMAND [ARG…]")
        }
        let holding: ControlClient?
        switch hold(name) {
        case .held(let client): holding = client
        case .outside: holding = nil
            StandardError.print(
                "curfew: task run: not inside a Curfew app; running \(String(cString: word)) without a background task")
        case .refused(let status): return status
        }
        return start(command.arguments, holding)
    }

    private enum Hold {
        case held(ControlClient)
        case outside
        case refused(Int32)
    }

    private static func hold(_ name: String) -> Hold {
        guard let path = getenv("CURFEW_SOCKET") else { return .outside }
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: String(cString: path))
            _ = try client.request(Message("begin", [Field("id", "1"), Field("name", name)]))
            return .held(client)
        } catch .refused(let code, let message) {
            StandardError.print("curfew: task run: refused (\(code)): \(message)")
            return .refused(ExitStatus.temporaryFailure)
        } catch {
            StandardError.print(error.explained("task run", String(cString: path)).line)
            return .refused(ExitStatus.unavailable)
        }
    }

    private static func start(_ arguments: ArgumentReader.Arguments, _ client: ControlClient?) -> Int32 {
        var mask: UInt64 = 0
        _ = curfew_set_signal_mask(~0, &mask)
        var request = SpawnRequest(arguments: UnsafePointer(arguments), environment: UnsafePointer(environ))
        request.signalMask = mask
        do throws(SpawnError) {
            let (pid, pidfd) = try request.spawn()
            var unused = pidfd
            unused.close()
            var run = TaskRun(child: pid, client: client)
            return run.wait()
        } catch {
            let command = arguments[0].map { String(cString: $0) } ?? ""
            StandardError.print("curfew: task run: \(command): \(error.reason)")
            return error.stage != .exec ? ExitStatus.curfewFailed : error.errno == ENOENT ? 127 : 126
        }
    }

    private init(child: Int32, client: ControlClient?) {
        self.child = child
        self.client = client
        signals = Descriptor(curfew_signalfd(~0))
        epoll = Descriptor(curfew_epoll_create())
        _ = curfew_epoll_add(epoll.number, signals.number, 1, 0)
        if let client { _ = curfew_epoll_add(epoll.number, client.descriptor.number, 1, 1) }
    }

    /// Until the command has ended; its status is ours. The task ends with this process, its owner.
    private mutating func wait() -> Int32 {
        var ready = curfew_ready()
        while true {
            guard curfew_epoll_wait(epoll.number, &ready, 1, -1) > 0 else { continue }
            if ready.token == 1 {
                heedEvents()
            } else if let status = readSignals() {
                return status
            }
        }
    }

    private mutating func heedEvents() {
        guard client?.readAvailable() == true else {
            // The supervisor is gone; what it means for the command isn't ours to say.
            if let client { _ = curfew_epoll_remove(epoll.number, client.descriptor.number) }
            return
        }
        while let message = client?.nextBuffered() {
            if message.verb == "event", message["name"] == "backgroundTaskWillExpire" { _ = curfew_kill(child, SIGTERM) }
        }
    }

    /// Passes on what was sent by somebody; the terminal's signals the command gets itself.
    private func readSignals() -> Int32? {
        var info = curfew_signal_info()
        while curfew_signalfd_read(signals.number, &info) == 1 {
            if info.signal == SIGCHLD {
                if let status = exitStatus() { return status }
            } else if info.code != SI_KERNEL, info.signal != SIGCONT, info.signal != SIGTSTP {
                _ = curfew_kill(child, info.signal)
            }
        }
        return nil
    }

    private func exitStatus() -> Int32? {
        guard case .report(let report) = Reaping.reapAny(), report.pid == child else { return nil }
        switch report.change {
        case .exited(let code): return Int32(code)
        case .killed(let signal, _): return 128 + signal
        case .stopped, .continued: return nil
        }
    }
}
