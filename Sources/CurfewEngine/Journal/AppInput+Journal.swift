import CurfewCore
import CurfewWire

extension AppInput {
    var journalFields: (name: String, fields: [Field]) {
        switch self {
        case .launch(let policy, let options): ("launch", policy.journalFields + options.journalFields)
        case .started: ("started", [])
        case .leaderExited(let outcome): ("leaderExited", outcome.journalFields)
        case .leftBehind: ("leftBehind", [])
        case .reaperLost: ("reaperLost", [])
        case .treeGone: ("treeGone", [])
        case .stillThere: ("stillThere", [])
        case .killIncomplete: ("killIncomplete", [])
        case .home(let stopped, let request): ("home", [Field("stopped", stopped)] + Field.request(request))
        case .open(let request): ("open", Field.request(request))
        case .stoppedByTerminal: ("stoppedByTerminal", [])
        case .quit(let request): ("quit", Field.request(request))
        case .sleep(let stays, let request): ("sleep", [Field("stays", stays)] + Field.request(request))
        case .inputWatched(let obstacle): ("inputWatched", obstacle.map { [Field("obstacle", $0)] } ?? [])
        case .ranOn: ("ranOn", [])
        case .inputCame(let news): ("inputCame", news.journalFields)
        case .connectionWaits(let socket): ("connectionWaits", socket.journalFields)
        case .connectionTaken(let socket): ("connectionTaken", socket.journalFields)
        case .idlenessMeasured(let sample): ("idlenessMeasured", sample.journalFields)
        case .reclaim(let request): ("reclaim", Field.request(request))
        case .signalled(let signal, let isHeard):
            ("signalled", [Field("signal", Int(signal)), Field("heard", isHeard)])
        case .abandoned: ("abandoned", [])
        case .interrupt(let request): ("interrupt", Field.request(request))
        case .dismiss(let request): ("dismiss", Field.request(request))
        case .post(let event, let request): ("post", Self.fields(of: event, request))
        case .wake(let event, let request): ("wake", Self.fields(of: event, request))
        case .expire: ("expire", [])
        case .hello(let connection): ("hello", [Field("connection", connection.rawValue)])
        case .disconnected(let connection): ("disconnected", [Field("connection", connection.rawValue)])
        case .acknowledge(let sequence): ("acknowledge", [Field("seq", sequence)])
        case .beginTask(let name, let owner, let connection, let request):
            (
                "beginTask",
                [Field("task-name", name), Field("owner", owner.rawValue), Field(request)]
                    + (connection.map { [Field("connection", $0.rawValue)] } ?? [])
            )
        case .endTask(let task, let request): ("endTask", [Field("task", task.rawValue), Field(request)])
        case .keepAlive(let interval, let request):
            ("keepAlive", (interval.map { [Field("span", $0)] } ?? []) + [Field(request)])
        case .ownerExited(let owner): ("ownerExited", [Field("owner", owner.rawValue)])
        case .notified(let notification): ("notified", notification.journalFields)
        case .suspensionConfirmed: ("suspensionConfirmed", [])
        case .suspensionPending: ("suspensionPending", [])
        case .suspensionIncomplete: ("suspensionIncomplete", [])
        case .footprintMeasured(let bytes): ("footprintMeasured", [Field("bytes", String(bytes))])
        case .pageOutPending: ("pageOutPending", [])
        case .memoryLimitHit(let bytes): ("memoryLimitHit", [Field("bytes", String(bytes))])
        case .tracerChecked(let isTraced): ("tracerChecked", [Field("traced", isTraced)])
        case .cpuTimeMeasured(let span): ("cpuTimeMeasured", [Field("cpu", span)])
        case .warn(let level, let request): ("warn", [Field("level", level.rawValue)] + Field.request(request))
        case .memoryMarkReached(let bytes): ("memoryMarkReached", [Field("bytes", String(bytes))])
        case .memoryMarkArmed(let isArmed): ("memoryMarkArmed", [Field("armed", isArmed)])
        case .locksChecked(let locks): ("locksChecked", locks.enumerated().flatMap { $1.journalFields($0) })
        }
    }

    private static func fields(of event: PostedEvent, _ request: RequestID?) -> [Field] {
        [Field("event", event.name)] + Field.request(request) + event.info.map { Field($0) }
    }

    init?(journal fields: JournalFields) {
        guard let input = Self.ofApp(fields) ?? Self.ofChannel(fields) else { return nil }
        self = input
    }

    /// What the engine and operators tell of an app.
    private static func ofApp(_ fields: JournalFields) -> AppInput? {
        switch fields.name {
        case "launch":
            launch(fields)
        case "started": .started
        case "leaderExited": ExitOutcome(journal: fields).map { .leaderExited($0) }
        case "leftBehind": .leftBehind
        case "reaperLost": .reaperLost
        case "treeGone": .treeGone
        case "stillThere": .stillThere
        case "killIncomplete": .killIncomplete
        case "home": fields.flag("stopped").map { .home(stopped: $0, request: fields.request) }
        case "open": .open(request: fields.request)
        case "stoppedByTerminal": .stoppedByTerminal
        case "quit": .quit(request: fields.request)
        case "sleep": fields.flag("stays").map { .sleep(stays: $0, request: fields.request) }
        case "inputWatched": .inputWatched(obstacle: fields.text("obstacle"))
        case "ranOn": .ranOn
        case "inputCame": InputNews(journal: fields).map { .inputCame($0) }
        case "connectionWaits": ListeningSocket(journal: fields).map { .connectionWaits($0) }
        case "connectionTaken": ListeningSocket(journal: fields).map { .connectionTaken($0) }
        case "idlenessMeasured": IdleSample(journal: fields).map { .idlenessMeasured($0) }
        case "reclaim": .reclaim(request: fields.request)
        case "signalled": signalled(fields)
        case "abandoned": .abandoned
        case "interrupt": .interrupt(request: fields.request)
        case "dismiss": .dismiss(request: fields.request)
        case "post": fields.posted("event").map { .post($0, request: fields.request) }
        case "wake": fields.posted("event").map { .wake($0, request: fields.request) }
        case "expire": .expire
        case "suspensionConfirmed": .suspensionConfirmed
        case "suspensionPending": .suspensionPending
        case "suspensionIncomplete": .suspensionIncomplete
        case "footprintMeasured": fields.bytes("bytes").map { .footprintMeasured(bytes: $0) }
        case "pageOutPending": .pageOutPending
        case "memoryLimitHit": fields.bytes("bytes").map { .memoryLimitHit(bytes: $0) }
        case "tracerChecked": fields.flag("traced").map { .tracerChecked(isTraced: $0) }
        case "warn":
            fields.text("level").flatMap { MemoryWarningLevel(rawValue: $0) }
                .map { .warn($0, request: fields.request) }
        case "memoryMarkReached": fields.bytes("bytes").map { .memoryMarkReached(bytes: $0) }
        case "memoryMarkArmed": fields.flag("armed").map { .memoryMarkArmed($0) }
        case "locksChecked": .locksChecked(FileLock.all(journal: fields))
        case "cpuTimeMeasured": fields.span("cpu").map { .cpuTimeMeasured($0) }
        default: nil
        }
    }

    private static func signalled(_ fields: JournalFields) -> AppInput? {
        guard let signal = fields.int("signal"), let isHeard = fields.flag("heard") else { return nil }
        return .signalled(Int32(truncatingIfNeeded: signal), isHeard: isHeard)
    }

    private static func launch(_ fields: JournalFields) -> AppInput? {
        guard let policy = Policy(journal: fields), let options = LaunchOptions(journal: fields) else { return nil }
        return .launch(policy, options)
    }

    /// What the app itself says.
    private static func ofChannel(_ fields: JournalFields) -> AppInput? {
        let connection = fields.int("connection").map { ConnectionID($0) }
        switch fields.name {
        case "hello": return connection.map { .hello($0) }
        case "disconnected": return connection.map { .disconnected($0) }
        case "acknowledge": return fields.int("seq").map { .acknowledge(sequence: $0) }
        case "beginTask":
            guard let name = fields.text("task-name"), let owner = fields.int("owner"), let request = fields.request
            else { return nil }
            return .beginTask(name: name, owner: OwnerID(owner), connection: connection, request: request)
        case "endTask":
            guard let task = fields.int("task"), let request = fields.request else { return nil }
            return .endTask(TaskID(task), request: request)
        case "keepAlive": return fields.request.map { .keepAlive(fields.span("span"), request: $0) }
        case "ownerExited": return fields.int("owner").map { .ownerExited(OwnerID($0)) }
        case "notified": return ServiceNotification(journal: fields).map { .notified($0) }
        default: return nil
        }
    }
}

extension FileLock {
    /// `lock.0=/db kind.0=POSIX write.0=true pid.0=7 waited.0=false`.
    func journalFields(_ index: Int) -> [Field] {
        [
            Field("lock.\(index)", path), Field("kind.\(index)", kind), Field("write.\(index)", isWrite),
            Field("pid.\(index)", Int(pid)), Field("waited.\(index)", isWaitedFor),
        ]
    }

    static func all(journal fields: JournalFields) -> [FileLock] {
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

extension ExitOutcome {
    var journalFields: [Field] {
        switch self {
        case .exited(let code): [Field("exited", Int(code))]
        case .signaled(let signal, let dumpedCore): [Field("signal", Int(signal)), Field("core", dumpedCore)]
        }
    }

    init?(journal fields: JournalFields) {
        if let code = fields.text("exited").flatMap({ UInt8($0) }) {
            self = .exited(code: code)
        } else if let signal = fields.text("signal").flatMap({ Int32($0) }), let core = fields.flag("core") {
            self = .signaled(signal: signal, dumpedCore: core)
        } else {
            return nil
        }
    }
}

extension ServiceNotification {
    var journalFields: [Field] {
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

    init?(journal fields: JournalFields) {
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
