import CurfewCore

/// Whoever has started the server and wants to know how it is, as systemd does: what it is told, and when.
///
/// Source: sd_notify(3), "Well-known assignments"; sd_watchdog_enabled(3).
struct ServiceManager {
    /// Half of what it waits for a sign of life; nil: it waits for none.
    private let signInterval: Span?
    /// False where its socket is full.
    private let send: (String) -> Bool
    /// What its socket had no room for, in order; tried again at `nextTry`.
    private var unsent: [String] = []
    private var nextTry: Instant?
    private var nextSign: Instant?
    private var nextStatus: Instant?
    private var lastStatus: Instant?
    private var isStopping = false

    private static let pause = Span.milliseconds(100)
    /// Of who has read nothing for so long that more waits, the oldest is let go.
    private static let mostUnsent = 16

    /// `environment`: of a variable, nil where it isn't set; `pids`: whose signs of life are ours; `send`: false where the socket
    /// is full.
    ///
    /// Nil where nobody wants to be told.
    init?(environment: (String) -> String?, pids: [Int32], send: @escaping (_ socket: String, _ text: String) -> Bool) {
        guard let socket = environment("NOTIFY_SOCKET"), !socket.isEmpty else { return nil }
        signInterval = Self.signInterval(environment, pids)
        self.send = { send(socket, $0) }
    }

    private static func signInterval(_ environment: (String) -> String?, _ pids: [Int32]) -> Span? {
        guard let whole = environment("WATCHDOG_USEC").flatMap(Int64.init), whole > 0 else { return nil }
        if let pid = environment("WATCHDOG_PID"), !pids.contains(where: { String($0) == pid }) { return nil }
        let (nanoseconds, isTooLong) = whole.multipliedReportingOverflow(by: 1000 / 2)
        // Who waits for less than this can't be meant.
        return isTooLong ? nil : Span(nanoseconds: max(1_000_000, nanoseconds))
    }

    // MARK: What happens

    /// It serves; from now on it gives signs of life.
    mutating func ready(status: String, at now: Instant) {
        tell("READY=1\nSTATUS=\(status)", at: now)
        lastStatus = now
        nextSign = signInterval.map { now + $0 }
    }

    /// It reads its definitions again from now on, until `reloaded`.
    mutating func reloading(at now: Instant) {
        // Source: sd_notify(3): MONOTONIC_USEC tells it from a reload before.
        tell("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)", at: now)
    }

    mutating func reloaded(at now: Instant) { tell("READY=1", at: now) }

    /// `limit`: after which everything has ended, if need be by SIGKILL; what is granted by default may be less.
    mutating func stopping(status: String, within limit: Span, at now: Instant) {
        let microseconds = limit.isInfinite ? UInt64.max : UInt64(max(0, limit.nanoseconds / 1000))
        tell("STOPPING=1\nSTATUS=\(status)\nEXTEND_TIMEOUT_USEC=\(microseconds)", at: now)
        isStopping = true
        nextStatus = nil
    }

    /// It is told once all that has changed with it is through, and once a second at most.
    mutating func statusChanged(at now: Instant) {
        guard !isStopping, nextStatus == nil, let lastStatus else { return }
        nextStatus = max(now, lastStatus + .seconds(1))
    }

    // MARK: Time

    /// When `timeCame` has to be called.
    var nextDue: Instant? {
        let soonest = [nextSign, nextStatus, nextTry].reduce(Instant.distantFuture) { min($0, $1 ?? .distantFuture) }
        return soonest == .distantFuture ? nil : soonest
    }

    mutating func timeCame(at now: Instant, status: () -> String) {
        if let due = nextTry, due <= now { sendUnsent(at: now) }
        if let due = nextSign, due <= now, let signInterval {
            // A sign that comes late is none; the next one comes soon.
            if unsent.isEmpty { _ = send("WATCHDOG=1") }
            nextSign = now + signInterval
        }
        if let due = nextStatus, due <= now {
            tell("STATUS=\(status())", at: now)
            lastStatus = now
            nextStatus = nil
        }
    }

    // MARK: Sending

    /// In order, be it later: who isn't told READY=1 waits for it, and ends the server then.
    private mutating func tell(_ text: String, at now: Instant) {
        unsent.append(text)
        if unsent.count > Self.mostUnsent { unsent.removeFirst() }
        if nextTry == nil { sendUnsent(at: now) }
    }

    private mutating func sendUnsent(at now: Instant) {
        while let first = unsent.first, send(first) { unsent.removeFirst() }
        nextTry = unsent.isEmpty ? nil : now + Self.pause
    }
}
