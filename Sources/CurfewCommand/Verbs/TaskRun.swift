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
    private let task: String?
    private let child: Int32
    private let signals: Descriptor
    private let epoll: Descriptor

    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try TaskRunArguments.parse(reader)
        switch hold(arguments, socket: AppLookup.inheritedSocket()) {
        case .held(let client, let task): return start(arguments.command, client, task: task)
        case .outside(let why):
            StandardError.print("curfew: task run: \(why); running \(arguments.commandName) without a background task")
            return start(arguments.command, nil, task: nil)
        case .refused(let status): return status
        }
    }

    enum Hold {
        /// With the task's number.
        case held(ControlClient, task: String?)
        /// Nobody enforces anything here.
        case outside(String)
        case refused(Int32)
    }

    /// `socket`: that of the app this process is in; nil outside one.
    static func hold(_ arguments: TaskRunArguments, socket: String?) -> Hold {
        guard let path = socket else { return .outside("not inside an app") }
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: path)
            let answer = try client.request(Message("begin", [Field("id", "1"), Field("name", arguments.name)]))
            return .held(client, task: answer.final["task"])
        } catch .unavailable(ENOENT), .unavailable(ECONNREFUSED) {
            return .outside(AppTarget.inherited(path).absence)
        } catch {
            let consequence = "; \(arguments.commandName) wasn't run"
            return .refused(TaskVerbs.tell(error, verb: "task run", path: path, consequence: consequence))
        }
    }

    /// All signals but the terminal's stops: those stop this process as they do COMMAND, so that a shell sees it.
    private static let waitedSignals = [SIGTSTP, SIGTTIN, SIGTTOU].reduce(~UInt64(0)) { $0 & ~(1 << UInt64($1 - 1)) }

    private static func start(
        _ arguments: ArgumentReader.Arguments, _ client: ControlClient?, task: String?
    ) -> Int32 {
        var mask: UInt64 = 0
        _ = curfew_set_signal_mask(waitedSignals, &mask)
        var request = SpawnRequest(arguments: UnsafePointer(arguments), environment: UnsafePointer(environ))
        request.signalMask = mask
        // Children of whoever ignores it are never waited for; the command has what our caller had.
        if curfew_signal_default(SIGCHLD) == 1 { request.ignoredSignals = 1 << UInt64(SIGCHLD - 1) }
        do throws(SpawnError) {
            let (pid, pidfd) = try request.spawn()
            var unused = pidfd
            unused.close()
            var run = TaskRun(child: pid, client: client, task: task)
            let status = run.wait()
            run.end()
            return status
        } catch {
            let command = arguments[0].map { String(cString: $0) } ?? ""
            StandardError.print("curfew: task run: \(command): \(error.reason)")
            return status(of: error)
        }
    }

    /// As env(1) has it, where it is the command that is wrong.
    static func status(of error: SpawnError) -> Int32 {
        error.stage != .exec ? ExitStatus.curfewFailed : error.errno == ENOENT ? 127 : 126
    }

    /// Said and heard, so that the history tells of an end and not of an owner that died.
    private mutating func end() {
        guard let task else { return }
        _ = try? client?.request(Message("end", [Field("id", "2"), Field("task", task)]))
    }

    private init(child: Int32, client: ControlClient?, task: String?) {
        self.task = task
        self.child = child
        self.client = client
        signals = Descriptor(curfew_signalfd(Self.waitedSignals))
        epoll = Descriptor(curfew_epoll_create())
        _ = curfew_epoll_add(epoll.number, signals.number, 1, 0)
        if let client { _ = curfew_epoll_add(epoll.number, client.descriptor.number, 1, 1) }
    }

    /// Until the command has ended; its status is ours.
    private mutating func wait() -> Int32 {
        var ready = curfew_ready()
        // What came along with the answer to `begin` makes nothing ready any more.
        heedBuffered()
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
        heedBuffered()
    }

    private mutating func heedBuffered() {
        while let message = client?.nextBuffered() {
            if message.verb == "event", message["name"] == "backgroundTaskWillExpire" {
                _ = curfew_kill(child, SIGTERM)
            }
        }
    }

    /// Passes on what was sent by somebody; the terminal's signals the command gets itself.
    private func readSignals() -> Int32? {
        var info = curfew_signal_info()
        while curfew_signalfd_read(signals.number, &info) == 1 {
            if info.signal == SIGCHLD {
                if let status = exitStatus() { return status }
            } else if info.code != SI_KERNEL, info.signal != SIGCONT {
                _ = curfew_kill(child, info.signal)
            }
        }
        return nil
    }

    /// Reaps whatever has ended: what a shell had started before it became us is a child of ours too.
    private func exitStatus() -> Int32? {
        while case .report(let report) = Reaping.wait(.reapAny) {
            guard report.pid == child else { continue }
            switch report.change {
            case .exited(let code): return Int32(code)
            case .killed(let signal, _): return 128 + signal
            case .stopped, .continued: continue
            }
        }
        return nil
    }
}
