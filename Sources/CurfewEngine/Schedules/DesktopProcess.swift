import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The process that shows notifications: starts `notify-send` for each, and tells what became of it.
struct DesktopProcess {
    static let name: StaticString = "curfew-notify"
    /// One of an older libnotify knows no `--action`, and says so at once.
    private static let refusalNanoseconds: Int64 = 5_000_000_000
    /// In which it has told the desktop what it has to.
    private static let beginNanoseconds: Int64 = 2_000_000_000

    private let socket: Int32
    private let callersMask: UInt64
    /// In nanoseconds, as `Shown.began` is.
    private let now: () -> Int64
    private let nothing = curfew_open_at(AT_FDCWD, "/dev/null", O_RDWR, 0)
    private var shown: [Shown] = []
    private var environment: ServerEnvironment

    private struct Shown {
        let notice: DesktopNotice
        let hasAction: Bool
        let pid: Int32
        var pidfd: Descriptor
        var output: Descriptor
        let began: Int64
    }

    init(
        socket: Int32, callersMask: UInt64, now: @escaping () -> Int64 = { curfew_monotonic_nanoseconds() }
    ) {
        self.socket = socket
        self.callersMask = callersMask
        self.now = now
        environment = .own()
    }

    /// Until the server closes its end.
    func serve() -> Never {
        // Out of reach of the terminal's keys.
        _ = setpgid(0, 0)
        _ = dup2(nothing, 0)
        var process = self
        while process.waitOnce() {}
        process.letBegin()
        for shown in process.shown { _ = kill(-shown.pid, SIGKILL) }
        curfew_exit(0)
    }

    /// What was started just now comes to the desktop before it is ended.
    private mutating func letBegin() {
        while let youngest = shown.map(\.began).max() {
            let left = youngest + Self.beginNanoseconds - now()
            if left <= 0 { return }
            var ready = shown.map { pollfd(fd: $0.pidfd.number, events: Int16(POLLIN), revents: 0) }
            if poll(&ready, nfds_t(ready.count), Int32(left / 1_000_000 + 1)) <= 0 { continue }
            for index in shown.indices.reversed() where ready[index].revents != 0 { ended(at: index) }
        }
    }

    /// Until something comes, or the time of one is over. False once the server has closed its end.
    mutating func waitOnce() -> Bool {
        var ready = [pollfd(fd: socket, events: Int16(POLLIN), revents: 0)]
        ready += shown.map { pollfd(fd: $0.pidfd.number, events: Int16(POLLIN), revents: 0) }
        let count = poll(&ready, nfds_t(ready.count), millisecondsToPatiencesEnd)
        if count < 0, errno != EINTR { return false }
        for index in shown.indices.reversed() where ready[index + 1].revents != 0 { ended(at: index) }
        endPatience()
        return ready[0].revents == 0 || read()
    }

    // MARK: What is to be shown

    private mutating func read() -> Bool {
        var packet = [UInt8](repeating: 0, count: 8 * LineReader.maximumLineBytes)
        let count = recv(socket, &packet, packet.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EINTR || errno == EAGAIN { return true }
        guard count > 0 else { return false }
        guard let message = try? Message.parse(Array(packet[..<count])), let notice = DesktopNotice(message) else {
            return true
        }
        let prefix = "environment."
        for field in message.fields where field.key.hasPrefix(prefix) {
            environment.set(String(field.key.dropFirst(prefix.count)), field.value)
        }
        show(notice, withAction: notice.action != nil)
        return true
    }

    private mutating func show(_ notice: DesktopNotice, withAction: Bool) {
        var pipe: [Int32] = [-1, -1]
        guard curfew_pipe(&pipe) == 0 else { return tell(.failed(notice.number, reason: "no pipe for notify-send")) }
        var (output, programsEnd) = (Descriptor(pipe[0]), Descriptor(pipe[1]))
        defer { programsEnd.close() }
        let arguments = OwnedStrings(notice.words(withAction: withAction))
        let variables = OwnedStrings(environment.with([]))
        defer { withExtendedLifetime((arguments, variables)) {} }
        var request = SpawnRequest(arguments: arguments.pointer, environment: variables.pointer)
        request.signalMask = callersMask
        request.hasOwnProcessGroup = true
        request.parentDeathSignal = SIGKILL
        request.streams = (nothing, programsEnd.number, nothing)
        do throws(SpawnError) {
            let (pid, pidfd) = try request.spawn()
            shown.append(
                Shown(
                    notice: notice, hasAction: withAction, pid: pid, pidfd: pidfd, output: output,
                    began: now()))
        } catch {
            output.close()
            tell(.failed(notice.number, reason: "notify-send can't be started: \(error.reason)"))
        }
    }

    // MARK: What became of it

    private mutating func ended(at index: Int) {
        var last = shown.remove(at: index)
        defer {
            last.pidfd.close()
            last.output.close()
        }
        // Whatever it has left behind.
        _ = kill(-last.pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(last.pid, &status, 0) < 0 && errno == EINTR {}
        let number = last.notice.number
        if Self.firstLine(of: last.output) == DesktopNotice.actionKey { return tell(.chosen(number)) }
        let age = now() - last.began
        let (code, signal) = (status >> 8, status & 0x7f)
        // Ours is the only signal that comes in time.
        if status == 0 || age >= ShownNotifications.patience.nanoseconds { return tell(.closed(number)) }
        if signal != 0 { return tell(.failed(number, reason: "notify-send was killed by signal \(signal)")) }
        let isRefusal = age < Self.refusalNanoseconds
        if last.hasAction, isRefusal { return show(last.notice, withAction: false) }
        tell(.failed(number, reason: "notify-send has failed (exit status \(code))"))
    }

    private static func firstLine(of output: Descriptor) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = curfew_read(output.number, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, Int(count))).prefix { $0 != 10 }, as: UTF8.self)
    }

    /// Nobody has answered for so long: it stays where it is shown, and its button does nothing more.
    private func endPatience() {
        let now = now()
        for shown in shown where now - shown.began >= ShownNotifications.patience.nanoseconds {
            _ = kill(-shown.pid, SIGKILL)
        }
    }

    /// Below 0 where nothing is shown.
    var millisecondsToPatiencesEnd: Int32 {
        guard let first = shown.map(\.began).min() else { return -1 }
        let left = first + ShownNotifications.patience.nanoseconds - now()
        return Int32(clamping: max(0, left) / 1_000_000 + 1)
    }

    /// The server may be slow: what it doesn't take now is waited for.
    private func tell(_ answer: DesktopAnswer) {
        var bytes: [UInt8] = []
        answer.message.encode(into: &bytes)
        while send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 && errno == EINTR {}
    }
}
