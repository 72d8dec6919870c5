import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What hears from the notify socket's server: whoever holds the apps.
protocol NotifyHost: AnyObject {
    var now: Instant { get }
    /// Whether nothing more is to be read.
    var isOver: Bool { get }
    /// Whose process it is; nil for a stranger's, and for one that is gone. `deadline`: as `Ancestry` has it.
    func app(of pid: Int32, until deadline: Int64) -> AppID?
    func notified(_ app: AppID, _ notification: ServiceNotification)
    /// `STATUS=`, which may be the same as before.
    func statusTold(_ app: AppID, _ text: String)
    /// `MAINPID=`, which may be nobody.
    func mainProcessNamed(_ app: AppID, _ pid: Int32)
    /// Something came that isn't heeded; `app`: nil where it isn't any app's.
    func notificationIgnored(_ app: AppID?, _ why: String)
}

/// Where datagrams come from: the notify socket, but in tests.
protocol DatagramSource {
    var descriptor: Descriptor { get }
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> NotifySocket.Received
}

extension NotifySocket: DatagramSource {}

/// sd_notify: datagrams on `NOTIFY_SOCKET`, each heeded for the app that its sender is of.
///
/// Source: sd_notify(3); docs/protocol.md, "sd_notify".
final class NotifyServer {
    /// How many datagrams are dealt with before it is others' turn.
    static let datagramsPerTurn = 32
    /// How many turns a child's end is worth.
    static let turnsWhenDraining = 32
    /// How long strangers may keep it at that: each has to be told from the app's own.
    static let nanosecondsForStrangers: Int64 = 2_000_000

    private let socket: any DatagramSource
    private let loop: EventLoop
    private unowned let host: any NotifyHost
    private var strangers = OnceASecond()
    /// How many strangers' datagrams have been ignored since that was last told.
    private var untoldStrangers = 0

    init(_ socket: any DatagramSource, loop: EventLoop, host: any NotifyHost) {
        self.socket = socket
        self.loop = loop
        self.host = host
        loop.add(socket.descriptor, EventLoop.Kind.notify.token())
    }

    /// One turn's worth.
    func read() { _ = read(until: host.now.nanoseconds + Self.nanosecondsForStrangers) }

    /// What a child said before it ended; the kernel's queue is shorter than this, but refilled while it is read.
    func drain() {
        let deadline = host.now.nanoseconds + Self.nanosecondsForStrangers
        for _ in 0..<Self.turnsWhenDraining {
            if read(until: deadline) || host.now.nanoseconds >= deadline { return }
        }
    }

    /// False when there may be more that matters.
    private func read(until deadline: Int64) -> Bool {
        var isDrained = false
        withUnsafeTemporaryAllocation(byteCount: NotifyDatagram.maximumBytes, alignment: 1) { buffer in
            for _ in 0..<Self.datagramsPerTurn {
                if host.isOver {
                    isDrained = true
                    return
                }
                switch socket.receive(into: buffer) {
                case .datagram(let count, let sender):
                    if let app = app(of: sender, until: deadline) {
                        handle(UnsafeRawBufferPointer(rebasing: buffer[..<count]), from: app)
                    } else if host.now.nanoseconds >= deadline {
                        return
                    }
                case .tooLong(let sender):
                    if let app = app(of: sender, until: deadline) { ignore(NotifyProblem.tooLong.rawValue, from: app) }
                case .nothing:
                    isDrained = true
                    return
                case .failed(let error):
                    isDrained = true
                    // What can't be read would wake us for ever.
                    loop.remove(socket.descriptor)
                    return ignore(error.text, from: nil)
                }
            }
        }
        return isDrained
    }

    private func ignore(_ why: String, from app: AppID?) { host.notificationIgnored(app, why) }

    private func handle(_ bytes: UnsafeRawBufferPointer, from app: AppID) {
        for field in NotifyDatagram.parse(bytes) where !host.isOver { handle(field, from: app) }
    }

    private func handle(_ field: NotifyField, from app: AppID) {
        switch field {
        case .ready: host.notified(app, .ready)
        case .stopping: host.notified(app, .stopping)
        case .status(let text): host.statusTold(app, text)
        case .mainPid(let pid): host.mainProcessNamed(app, pid)
        case .extendTimeout(let nanoseconds): host.notified(app, .extendTimeout(Span(nanoseconds: nanoseconds)))
        case .watchdog: host.notified(app, .alive)
        case .watchdogTrigger: host.notified(app, .broken)
        case .watchdogInterval(let nanoseconds):
            host.notified(app, .watchdogInterval(nanoseconds == 0 ? nil : Span(nanoseconds: nanoseconds)))
        case .barrier, .unknown: break
        case .malformed(let problem): ignore(problem.rawValue, from: app)
        }
    }

    // MARK: Whose it is

    /// Anybody may send to an abstract address; one who was gone before its datagram was read can't be told from others.
    private func app(of sender: curfew_sender, until deadline: Int64) -> AppID? {
        if sender.pid > 0, Self.canBeOfApp(sender.uid), let app = host.app(of: sender.pid, until: deadline) {
            return app
        }
        noteStranger(sender.pid)
        return nil
    }

    /// Asked first, for it costs nothing: of an ordinary user's app no process is another ordinary user's.
    private static func canBeOfApp(_ uid: uid_t) -> Bool {
        let own = geteuid()
        return own == 0 || uid == own || uid == 0 || uid == getuid()
    }

    private func noteStranger(_ pid: Int32) {
        guard strangers.isTold(at: host.now) else {
            untoldStrangers += 1
            return
        }
        let more = untoldStrangers == 0 ? "" : "; \(untoldStrangers) more since the last such line"
        untoldStrangers = 0
        ignore("process \(pid) isn't one of the app's, or is gone\(more)", from: nil)
    }
}
