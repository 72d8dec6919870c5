import CurfewCore
import CurfewWire

/// Inputs as a journal's fields, and back.
extension Input {
    var journalFields: (name: String, fields: [Field]) {
        switch self {
        case .launch(_, let policy, let options): ("launch", policy.journalFields + options.journalFields)
        case .started: ("started", [])
        case .leaderExited(_, let outcome): ("leaderExited", outcome.journalFields)
        case .leftBehind: ("leftBehind", [])
        case .treeGone: ("treeGone", [])
        case .stillThere: ("stillThere", [])
        case .killIncomplete: ("killIncomplete", [])
        case .home(_, let stopped, let request): ("home", [Field("stopped", stopped)] + Field.request(request))
        case .open(_, let request): ("open", Field.request(request))
        case .stoppedByTerminal: ("stoppedByTerminal", [])
        case .quit(_, let request): ("quit", Field.request(request))
        case .signalled(_, let signal, let isHeard):
            ("signalled", [Field("signal", Int(signal)), Field("heard", isHeard)])
        case .abandoned: ("abandoned", [])
        case .interrupt(_, let request): ("interrupt", Field.request(request))
        case .dismiss(_, let request): ("dismiss", Field.request(request))
        case .post(_, let event, let request): ("post", Self.fields(of: event, request))
        case .wake(_, let event, let request): ("wake", Self.fields(of: event, request))
        case .hello(_, let connection): ("hello", [Field("connection", connection.rawValue)])
        case .disconnected(_, let connection): ("disconnected", [Field("connection", connection.rawValue)])
        case .acknowledge(_, let sequence): ("acknowledge", [Field("seq", sequence)])
        case .beginTask(_, let name, let owner, let connection, let request):
            (
                "beginTask",
                [Field("task-name", name), Field("owner", owner.rawValue), Field(request)]
                    + (connection.map { [Field("connection", $0.rawValue)] } ?? [])
            )
        case .endTask(_, let task, let request): ("endTask", [Field("task", task.rawValue), Field(request)])
        case .ownerExited(_, let owner): ("ownerExited", [Field("owner", owner.rawValue)])
        case .notified(_, let notification): ("notified", notification.journalFields)
        case .suspensionConfirmed: ("suspensionConfirmed", [])
        case .suspensionPending: ("suspensionPending", [])
        case .suspensionIncomplete: ("suspensionIncomplete", [])
        case .footprintMeasured(_, let bytes): ("footprintMeasured", [Field("bytes", String(bytes))])
        case .pageOutPending: ("pageOutPending", [])
        case .memoryLimitHit(_, let bytes): ("memoryLimitHit", [Field("bytes", String(bytes))])
        case .tracerChecked(_, let isTraced): ("tracerChecked", [Field("traced", isTraced)])
        case .cpuTimeMeasured(_, let span): ("cpuTimeMeasured", [Field("cpu", span)])
        case .warn(_, let level, let request): ("warn", [Field("level", level.rawValue)] + Field.request(request))
        case .memoryMarkReached(_, let bytes): ("memoryMarkReached", [Field("bytes", String(bytes))])
        case .memoryMarkArmed(_, let isArmed): ("memoryMarkArmed", [Field("armed", isArmed)])
        case .locksChecked(_, let locks): ("locksChecked", locks.enumerated().flatMap { $1.journalFields($0) })
        case .watchMemory(let low, let sustained, let isToldOfStalls):
            (
                "watchMemory",
                [Field("low", String(low)), Field("sustained", sustained), Field("told", isToldOfStalls)]
            )
        case .availableMemoryMeasured(let bytes, let isStalling):
            ("availableMemoryMeasured", [Field("bytes", String(bytes)), Field("stalling", isStalling)])
        case .watchDisk(let low): ("watchDisk", [Field("low", String(low))])
        case .freeDiskMeasured(let bytes): ("freeDiskMeasured", [Field("bytes", String(bytes))])
        case .tick: ("tick", [])
        }
    }

    private static func fields(of event: PostedEvent, _ request: RequestID?) -> [Field] {
        [Field("event", event.name)] + Field.request(request) + event.info.map { Field($0) }
    }

    init?(journal fields: JournalFields) {
        if let input = Self.ofMachine(fields) {
            self = input
            return
        }
        guard let app = fields.app, let input = Self.ofApp(app, fields) ?? Self.ofChannel(app, fields) else {
            return nil
        }
        self = input
    }

    /// What concerns no app.
    private static func ofMachine(_ fields: JournalFields) -> Input? {
        switch fields.name {
        case "tick": return .tick
        case "watchMemory":
            guard let low = fields.bytes("low"), let sustained = fields.span("sustained"),
                let told = fields.flag("told")
            else { return nil }
            return .watchMemory(low: low, sustained: sustained, isToldOfStalls: told)
        case "availableMemoryMeasured":
            guard let bytes = fields.bytes("bytes"), let isStalling = fields.flag("stalling") else { return nil }
            return .availableMemoryMeasured(bytes, isStalling: isStalling)
        case "watchDisk": return fields.bytes("low").map { .watchDisk(low: $0) }
        case "freeDiskMeasured": return fields.bytes("bytes").map { .freeDiskMeasured($0) }
        default: return nil
        }
    }

    /// What the engine and operators tell of an app.
    private static func ofApp(_ app: AppID, _ fields: JournalFields) -> Input? {
        switch fields.name {
        case "launch":
            launch(app, fields)
        case "started": .started(app)
        case "leaderExited": ExitOutcome(journal: fields).map { .leaderExited(app, $0) }
        case "leftBehind": .leftBehind(app)
        case "treeGone": .treeGone(app)
        case "stillThere": .stillThere(app)
        case "killIncomplete": .killIncomplete(app)
        case "home": fields.flag("stopped").map { .home(app, stopped: $0, request: fields.request) }
        case "open": .open(app, request: fields.request)
        case "stoppedByTerminal": .stoppedByTerminal(app)
        case "quit": .quit(app, request: fields.request)
        case "signalled": signalled(app, fields)
        case "abandoned": .abandoned(app)
        case "interrupt": .interrupt(app, request: fields.request)
        case "dismiss": .dismiss(app, request: fields.request)
        case "post": fields.posted("event").map { .post(app, $0, request: fields.request) }
        case "wake": fields.posted("event").map { .wake(app, $0, request: fields.request) }
        case "suspensionConfirmed": .suspensionConfirmed(app)
        case "suspensionPending": .suspensionPending(app)
        case "suspensionIncomplete": .suspensionIncomplete(app)
        case "footprintMeasured": fields.bytes("bytes").map { .footprintMeasured(app, bytes: $0) }
        case "pageOutPending": .pageOutPending(app)
        case "memoryLimitHit": fields.bytes("bytes").map { .memoryLimitHit(app, bytes: $0) }
        case "tracerChecked": fields.flag("traced").map { .tracerChecked(app, isTraced: $0) }
        case "warn":
            fields.text("level").flatMap { MemoryWarningLevel(rawValue: $0) }
                .map { .warn(app, $0, request: fields.request) }
        case "memoryMarkReached": fields.bytes("bytes").map { .memoryMarkReached(app, bytes: $0) }
        case "memoryMarkArmed": fields.flag("armed").map { .memoryMarkArmed(app, $0) }
        case "locksChecked": .locksChecked(app, FileLock.all(journal: fields))
        case "cpuTimeMeasured": fields.span("cpu").map { .cpuTimeMeasured(app, $0) }
        default: nil
        }
    }

    private static func signalled(_ app: AppID, _ fields: JournalFields) -> Input? {
        guard let signal = fields.int("signal"), let isHeard = fields.flag("heard") else { return nil }
        return .signalled(app, Int32(truncatingIfNeeded: signal), isHeard: isHeard)
    }

    private static func launch(_ app: AppID, _ fields: JournalFields) -> Input? {
        guard let policy = Policy(journal: fields), let options = LaunchOptions(journal: fields) else { return nil }
        return .launch(app, policy, options)
    }

    /// What the app itself says.
    private static func ofChannel(_ app: AppID, _ fields: JournalFields) -> Input? {
        let connection = fields.int("connection").map { ConnectionID($0) }
        switch fields.name {
        case "hello": return connection.map { .hello(app, $0) }
        case "disconnected": return connection.map { .disconnected(app, $0) }
        case "acknowledge": return fields.int("seq").map { .acknowledge(app, sequence: $0) }
        case "beginTask":
            guard let name = fields.text("task-name"), let owner = fields.int("owner"), let request = fields.request
            else { return nil }
            return .beginTask(app, name: name, owner: OwnerID(owner), connection: connection, request: request)
        case "endTask":
            guard let task = fields.int("task"), let request = fields.request else { return nil }
            return .endTask(app, TaskID(task), request: request)
        case "ownerExited": return fields.int("owner").map { .ownerExited(app, OwnerID($0)) }
        case "notified": return Notification(journal: fields).map { .notified(app, $0) }
        default: return nil
        }
    }
}

extension FileLock {
    /// `lock.0=/db kind.0=POSIX write.0=true pid.0=7 waited.0=false`.
    fileprivate func journalFields(_ index: Int) -> [Field] {
        [
            Field("lock.\(index)", path), Field("kind.\(index)", kind), Field("write.\(index)", isWrite),
            Field("pid.\(index)", Int(pid)), Field("waited.\(index)", isWaitedFor),
        ]
    }

    fileprivate static func all(journal fields: JournalFields) -> [FileLock] {
        var locks: [FileLock] = []
        while let path = fields.text("lock.\(locks.count)"), let kind = fields.text("kind.\(locks.count)"),
            let isWrite = fields.flag("write.\(locks.count)"), let pid = fields.int("pid.\(locks.count)"),
            let isWaitedFor = fields.flag("waited.\(locks.count)")
        {
            let pid = Int32(truncatingIfNeeded: pid)
            locks.append(FileLock(path: path, kind: kind, isWrite: isWrite, pid: pid, isWaitedFor: isWaitedFor))
        }
        return locks
    }
}

extension MemoryLimits {
    fileprivate func journalFields(_ prefix: String) -> [Field] {
        (fatal.map { [Field(prefix, String($0))] } ?? []) + (soft.map { [Field(prefix + "-high", String($0))] } ?? [])
    }

    fileprivate init(journal fields: JournalFields, _ prefix: String) {
        self.init(fatal: fields.bytes(prefix), soft: fields.bytes(prefix + "-high"))
    }
}

extension TimeoutPolicy {
    fileprivate var journalFields: [Field] {
        let fields = [
            Field("timeout-signal", Int(signal)), Field("spares-descendants", sparesDescendants),
            Field("preserves-status", preservesStatus),
        ]
        return fields + (killAfter.map { [Field("kill-after", $0)] } ?? [])
    }

    fileprivate init?(journal fields: JournalFields) {
        guard let signal = fields.int("timeout-signal"), let spares = fields.flag("spares-descendants"),
            let preserves = fields.flag("preserves-status")
        else { return nil }
        self.init(
            signal: Int32(truncatingIfNeeded: signal), killAfter: fields.span("kill-after"), sparesDescendants: spares,
            preservesStatus: preserves)
    }
}

extension CPUPolicy {
    fileprivate var journalFields: [Field] {
        [
            Field("background-cpu", limit), Field("background-cpu-window", window),
            Field("cpu-limit-action", action.rawValue), Field("processors", processors),
        ]
    }

    fileprivate init?(journal fields: JournalFields) {
        guard let limit = fields.span("background-cpu"), let window = fields.span("background-cpu-window"),
            let action = fields.text("cpu-limit-action").flatMap({ CPULimitAction(rawValue: $0) }),
            let processors = fields.int("processors")
        else { return nil }
        self.init(limit: limit, window: window, action: action, processors: processors)
    }
}

extension ExitOutcome {
    fileprivate var journalFields: [Field] {
        switch self {
        case .exited(let code): [Field("exited", Int(code))]
        case .signaled(let signal, let dumpedCore): [Field("signal", Int(signal)), Field("core", dumpedCore)]
        }
    }

    fileprivate init?(journal fields: JournalFields) {
        if let code = fields.text("exited").flatMap({ UInt8($0) }) {
            self = .exited(code: code)
        } else if let signal = fields.text("signal").flatMap({ Int32($0) }), let core = fields.flag("core") {
            self = .signaled(signal: signal, dumpedCore: core)
        } else {
            return nil
        }
    }
}

extension Notification {
    fileprivate var journalFields: [Field] {
        switch self {
        case .ready: [Field("what", "ready")]
        case .stopping: [Field("what", "stopping")]
        case .extendTimeout(let span): [Field("what", "extendTimeout"), Field("span", span)]
        case .alive: [Field("what", "alive")]
        case .broken: [Field("what", "broken")]
        case .watchdogInterval(let span):
            [Field("what", "watchdogInterval")] + (span.map { [Field("span", $0)] } ?? [])
        }
    }

    fileprivate init?(journal fields: JournalFields) {
        switch fields.text("what") {
        case "ready": self = .ready
        case "stopping": self = .stopping
        case "extendTimeout":
            guard let span = fields.span("span") else { return nil }
            self = .extendTimeout(span)
        case "alive": self = .alive
        case "broken": self = .broken
        case "watchdogInterval": self = .watchdogInterval(fields.span("span"))
        default: return nil
        }
    }
}

extension LaunchOptions {
    fileprivate var journalFields: [Field] {
        [Field("background", inBackground)] + (wakingEvent.map { [Field("wake", $0.name)] } ?? [])
            + info.map { Field($0) }
    }

    /// A launch's waking event carries nothing of its own.
    fileprivate init?(journal fields: JournalFields) {
        guard let inBackground = fields.flag("background") else { return nil }
        self.init(
            inBackground: inBackground,
            wakingEvent: fields.text("wake").map { PostedEvent($0) }, info: fields.message.info)
    }
}

extension Policy {
    fileprivate var journalFields: [Field] {
        var fields = Self.spans.map { Field($0.key, self[keyPath: $0.path]) }
        if let timeout { fields += timeout.journalFields }
        if let grace { fields.append(Field("grace", grace)) }
        if let handlerGrace { fields.append(Field("handler-grace", handlerGrace)) }
        if let watchdogInterval { fields.append(Field("watchdog", watchdogInterval)) }
        if let memory {
            fields += memory.foreground.journalFields("memory")
            fields += memory.background.journalFields("background-memory")
            fields.append(Field("memory-by-kernel", memory.isEnforcedByKernel))
        }
        if let backgroundCPU { fields += backgroundCPU.journalFields }
        fields.append(Field("locks", locks.rawValue))
        if let pageOut {
            fields.append(Field("page-out", pageOut.delay))
            fields.append(Field("page-out-above", String(pageOut.threshold)))
        }
        if let resumeLimit { fields.append(Field("resume-limit", resumeLimit)) }
        fields.append(Field("yields", yieldsInBackground))
        fields.append(Field("hello", requiresHello))
        fields.append(Field("terminate-suspended", terminateSuspended.rawValue))
        fields.append(Field("terminate-signal", Int(terminateSignal)))
        fields.append(Field("exits-on-suspend", exitsOnSuspend))
        fields.append(Field("announces", announcesEvents))
        fields.append(Field("wait-all", waitsForTree))
        return fields
    }

    private static var spans: [(key: String, path: WritableKeyPath<Policy, Span>)] {
        [
            ("budget", \.backgroundBudget), ("expiration-lead", \.expirationLead),
            ("enter-background-limit", \.enterBackgroundLimit), ("terminate-limit", \.terminateLimit),
            ("launch-limit", \.launchLimit), ("wake-limit", \.wakeLimit), ("time-limit", \.timeLimit),
            ("lock-wait", \.lockWait), ("resume-window", \.resumeWindow),
        ]
    }

    fileprivate init?(journal fields: JournalFields) {
        self.init(profile: .ios4)
        for (key, path) in Self.spans {
            guard let span = fields.span(key) else { return nil }
            self[keyPath: path] = span
        }
        timeout = TimeoutPolicy(journal: fields)
        grace = fields.span("grace")
        handlerGrace = fields.span("handler-grace")
        watchdogInterval = fields.span("watchdog")
        if let isByKernel = fields.flag("memory-by-kernel") {
            memory = MemoryPolicy(
                foreground: MemoryLimits(journal: fields, "memory"),
                background: MemoryLimits(journal: fields, "background-memory"), isEnforcedByKernel: isByKernel)
        }
        backgroundCPU = CPUPolicy(journal: fields)
        pageOut = fields.span("page-out").map {
            PageOutPolicy(delay: $0, threshold: fields.bytes("page-out-above") ?? PageOutPolicy.defaultThreshold)
        }
        resumeLimit = fields.int("resume-limit")
        guard let hello = fields.flag("hello"), let exits = fields.flag("exits-on-suspend"),
            let announces = fields.flag("announces"), let waits = fields.flag("wait-all"),
            let locks = fields.text("locks").flatMap({ LockPolicy(rawValue: $0) }), let yields = fields.flag("yields"),
            let suspended = fields.text("terminate-suspended").flatMap({ TerminateSuspended(rawValue: $0) }),
            let signal = fields.text("terminate-signal").flatMap({ Int32($0) })
        else { return nil }
        requiresHello = hello
        self.locks = locks
        yieldsInBackground = yields
        exitsOnSuspend = exits
        announcesEvents = announces
        waitsForTree = waits
        terminateSuspended = suspended
        terminateSignal = signal
    }
}
