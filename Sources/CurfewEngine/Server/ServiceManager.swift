import CurfewCore

/// Whoever has started the server and wants to know how it is, as systemd does: what it is told, and when.
///
/// Source: sd_notify(3), "Well-known assignments"; sd_watchdog_enabled(3).
struct ServiceManager {
    /// Half of what it waits for a sign of life; nil: it waits for none.
    private let signInterval: Span?
    private let send: (String) -> Void
    private var nextSign: Instant?
    private var nextStatus: Instant?
    private var lastStatus: Instant?
    private var isStopping = false

    /// `environment`: of a variable, nil where it isn't set; `pids`: whose signs of life are ours.
    ///
    /// Nil where nobody wants to be told.
    init?(environment: (String) -> String?, pids: [Int32], send: @escaping (_ socket: String, _ text: String) -> Void) {
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
        send("READY=1\nSTATUS=\(status)")
        lastStatus = now
        nextSign = signInterval.map { now + $0 }
    }

    /// `reread` is what it does meanwhile.
    func reloading<Result>(at now: Instant, _ reread: () -> Result) -> Result {
        // Source: sd_notify(3): MONOTONIC_USEC tells it from a reload before.
        send("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)")
        defer { send("READY=1") }
        return reread()
    }

    /// `limit`: after which everything has ended, if need be by SIGKILL; what is granted by default may be less.
    mutating func stopping(status: String, within limit: Span) {
        let microseconds = limit.isInfinite ? UInt64.max : UInt64(max(0, limit.nanoseconds / 1000))
        send("STOPPING=1\nSTATUS=\(status)\nEXTEND_TIMEOUT_USEC=\(microseconds)")
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
        guard let nextSign, let nextStatus else { return nextSign ?? nextStatus }
        return min(nextSign, nextStatus)
    }

    mutating func timeCame(at now: Instant, status: () -> String) {
        if let due = nextSign, due <= now, let signInterval {
            send("WATCHDOG=1")
            nextSign = now + signInterval
        }
        if let due = nextStatus, due <= now {
            send("STATUS=\(status())")
            lastStatus = now
            nextStatus = nil
        }
    }
}
