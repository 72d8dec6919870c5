/// Whether an app has been idle for long enough, by what it has done since a first look. By lifecycle time.
///
/// A window begins anew with whatever the app did; it is looked at several times, so that an app sleeps soon after its
/// time is over.
struct IdleMeter: Sendable, Hashable {
    /// For how long it is to be idle.
    let span: Span
    private(set) var nextLook: Instant?
    /// What kept it awake when last looked at; nil where nothing has.
    private(set) var lastReason: AwakeReason?
    private var window: Window?

    private struct Window: Sendable, Hashable {
        var start: Instant
        var sample: IdleSample
        /// Nothing was measured since.
        var isNew = true
    }

    static let looksPerWindow: Int64 = 4

    init(for span: Span, at now: Moment) {
        self.span = span
        nextLook = now.lifecycle + pause
    }

    /// Between two looks. The first isn't at once: what has just been woken shall not wait for it.
    private var pause: Span { Span(nanoseconds: max(1_000_000, span.nanoseconds / Self.looksPerWindow)) }

    mutating func isLookedAt() { nextLook = nil }

    /// Whether what is measured next is compared with the last sample, and not with an earlier one.
    var beginsAnew: Bool { window?.isNew == true }

    func isBusy(by sample: IdleSample, _ policy: SleepPolicy) -> Bool {
        window.map { reason(sample, since: $0, policy, elapsed: .zero) != nil } ?? false
    }

    /// Whether it has been idle for the whole span. `obstacle`: what keeps it awake whatever it does.
    mutating func judge(
        _ sample: IdleSample, _ policy: SleepPolicy, obstacle: AwakeReason?, at now: Moment
    ) -> Bool {
        guard let window else {
            begin(sample, at: now)
            return false
        }
        if let reason = obstacle ?? reason(sample, since: window, policy, elapsed: now.lifecycle - window.start) {
            lastReason = reason
            begin(sample, at: now)
            return false
        }
        if now.lifecycle >= window.start + span {
            lastReason = nil
            return true
        }
        self.window?.isNew = false
        schedule(until: window.start + span, at: now)
        return false
    }

    /// What somebody else has found out.
    /// It goes on; it is judged as ever.
    mutating func goesOn(for reason: AwakeReason) { lastReason = reason }

    mutating func keptAwake(by reason: AwakeReason, at now: Moment) {
        lastReason = reason
        window = nil
        nextLook = now.lifecycle + span
    }

    private func reason(
        _ sample: IdleSample, since window: Window, _ policy: SleepPolicy, elapsed: Span
    ) -> AwakeReason? {
        let used = max(.zero, sample.cpuTime - window.sample.cpuTime)
        let written = sample.written - min(sample.written, window.sample.written)
        if sample.processes != window.sample.processes { return .processes(newcomer: sample.newcomer) }
        if used > policy.allowed(in: span) {
            return .cpu(used: used, elapsed: elapsed, busiest: sample.busiest)
        }
        if written >= SleepPolicy.idleBytes { return .wrote(bytes: written, writer: sample.writer) }
        if sample.terminal != window.sample.terminal { return .terminal }
        if let obstacle = sample.obstacle, !policy.isForced { return .other(obstacle) }
        return nil
    }

    private mutating func begin(_ sample: IdleSample, at now: Moment) {
        window = Window(start: now.lifecycle, sample: sample)
        schedule(until: now.lifecycle + span, at: now)
    }

    private mutating func schedule(until end: Instant, at now: Moment) {
        nextLook = min(end, now.lifecycle + pause)
    }
}

/// What an app has done since its start, as far as idleness is judged by it.
public struct IdleSample: Sendable, Hashable {
    /// Of its whole tree.
    public var cpuTime: Span
    /// Bytes that its processes have written, to whatever it was.
    public var written: UInt64
    /// Another number when a process was born or has gone.
    public var processes: UInt64
    /// Another number when the terminal in front of it was read or written.
    public var terminal: UInt64
    /// What keeps it awake now, whatever it does; nil for nothing.
    public var obstacle: String?
    /// Who has used the most CPU time since the window began, and who has written the most; nil where nobody was seen to.
    public var busiest: ProcessShare<Span>?
    public var writer: ProcessShare<UInt64>?
    /// One that was born since, as `python3 (4711)`.
    public var newcomer: String?

    public init(cpuTime: Span, written: UInt64, processes: UInt64, terminal: UInt64 = 0, obstacle: String? = nil) {
        self.cpuTime = cpuTime
        self.written = written
        self.processes = processes
        self.terminal = terminal
        self.obstacle = obstacle
    }
}

/// What of something is one process's.
public struct ProcessShare<Amount: Sendable & Hashable>: Sendable, Hashable {
    /// For people: `python3 (4711)`.
    public var process: String
    public var amount: Amount

    public init(_ process: String, _ amount: Amount) {
        self.process = process
        self.amount = amount
    }
}

/// Why an app that is to sleep when idle is awake.
public enum AwakeReason: Sendable, Hashable {
    /// Within so long. `busiest`: who of it the most.
    case cpu(used: Span, elapsed: Span, busiest: ProcessShare<Span>? = nil)
    case wrote(bytes: UInt64, writer: ProcessShare<UInt64>? = nil)
    /// One was born, or has gone. `newcomer`: who was born, where that is known.
    case processes(newcomer: String? = nil)
    /// It was read or written.
    case terminal
    case holdsTask(TaskID)
    case owes(Event)
    case exitsOnSuspend
    /// Its footprint, over what it may have in background.
    case footprint(UInt64, limit: UInt64)
    /// In words: a process waits for a disk or a lock, a descriptor can't be waited for.
    case other(String)
}

/// Input that has come for an app that is stopped, in words.
public struct InputNews: Sendable, Hashable {
    /// What it is: `connection`, `data`, `terminal` …
    public var kind: String
    /// It ends the sentence "woken by …".
    public var text: String
    /// Where it comes from and goes to; nil where that isn't known.
    public var from: String?
    public var to: String?
    /// To which listening socket a connection has come.
    public var listener: ListeningSocket?

    public init(
        kind: String, text: String, from: String? = nil, to: String? = nil, listener: ListeningSocket? = nil
    ) {
        self.kind = kind
        self.text = text
        self.from = from
        self.to = to
        self.listener = listener
    }
}
