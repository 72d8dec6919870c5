import CurfewCore
import CurfewWire

/// Inputs as a journal's fields, and back.
extension Input {
    var journalFields: (name: String, fields: [Field]) {
        switch self {
        case .launch(_, let policy, let options): ("launch", policy.journalFields + options.journalFields)
        case .started: ("started", [])
        case .leaderExited(_, let outcome): ("leaderExited", outcome.journalFields)
        case .treeGone: ("treeGone", [])
        case .home(_, let stopped, let request): ("home", [Field("stopped", stopped)] + Field.request(request))
        case .open(_, let request): ("open", Field.request(request))
        case .stoppedByTerminal: ("stoppedByTerminal", [])
        case .quit(_, let request): ("quit", Field.request(request))
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
        case .suspensionIncomplete: ("suspensionIncomplete", [])
        case .footprintMeasured(_, let bytes): ("footprintMeasured", [Field("bytes", String(bytes))])
        case .memoryLimitHit(_, let bytes): ("memoryLimitHit", [Field("bytes", String(bytes))])
        case .tracerChecked(_, let isTraced): ("tracerChecked", [Field("traced", isTraced)])
        case .cpuTimeMeasured(_, let span): ("cpuTimeMeasured", [Field("cpu", span)])
        case .tick: ("tick", [])
        }
    }

    private static func fields(of event: PostedEvent, _ request: RequestID?) -> [Field] {
        [Field("event", event.name)] + Field.request(request) + event.info.map { Field($0) }
    }

    init?(journal fields: JournalFields) {
        if fields.name == "tick" {
            self = .tick
            return
        }
        guard let app = fields.app, let input = Self.ofApp(app, fields) ?? Self.ofChannel(app, fields) else {
            return nil
        }
        self = input
    }

    /// What the engine and operators tell of an app.
    private static func ofApp(_ app: AppID, _ fields: JournalFields) -> Input? {
        switch fields.name {
        case "launch":
            launch(app, fields)
        case "started": .started(app)
        case "leaderExited": ExitOutcome(journal: fields).map { .leaderExited(app, $0) }
        case "treeGone": .treeGone(app)
        case "home": fields.flag("stopped").map { .home(app, stopped: $0, request: fields.request) }
        case "open": .open(app, request: fields.request)
        case "stoppedByTerminal": .stoppedByTerminal(app)
        case "quit": .quit(app, request: fields.request)
        case "interrupt": .interrupt(app, request: fields.request)
        case "dismiss": .dismiss(app, request: fields.request)
        case "post": fields.posted("event").map { .post(app, $0, request: fields.request) }
        case "wake": fields.posted("event").map { .wake(app, $0, request: fields.request) }
        case "suspensionConfirmed": .suspensionConfirmed(app)
        case "suspensionIncomplete": .suspensionIncomplete(app)
        case "footprintMeasured": fields.bytes("bytes").map { .footprintMeasured(app, bytes: $0) }
        case "memoryLimitHit": fields.bytes("bytes").map { .memoryLimitHit(app, bytes: $0) }
        case "tracerChecked": fields.flag("traced").map { .tracerChecked(app, isTraced: $0) }
        case "cpuTimeMeasured": fields.span("cpu").map { .cpuTimeMeasured(app, $0) }
        default: nil
        }
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
        if let grace { fields.append(Field("grace", grace)) }
        if let handlerGrace { fields.append(Field("handler-grace", handlerGrace)) }
        if let watchdogInterval { fields.append(Field("watchdog", watchdogInterval)) }
        if let memory {
            fields.append(Field("memory", String(memory.fatalLimit)))
            fields.append(Field("memory-by-kernel", memory.isEnforcedByKernel))
        }
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
        ]
    }

    fileprivate init?(journal fields: JournalFields) {
        self.init(profile: .ios4)
        for (key, path) in Self.spans {
            guard let span = fields.span(key) else { return nil }
            self[keyPath: path] = span
        }
        grace = fields.span("grace")
        handlerGrace = fields.span("handler-grace")
        watchdogInterval = fields.span("watchdog")
        if let limit = fields.bytes("memory"), let isByKernel = fields.flag("memory-by-kernel") {
            memory = MemoryPolicy(fatalLimit: limit, isEnforcedByKernel: isByKernel)
        }
        guard let hello = fields.flag("hello"), let exits = fields.flag("exits-on-suspend"),
            let announces = fields.flag("announces"), let waits = fields.flag("wait-all"),
            let suspended = fields.text("terminate-suspended").flatMap({ TerminateSuspended(rawValue: $0) }),
            let signal = fields.text("terminate-signal").flatMap({ Int32($0) })
        else { return nil }
        requiresHello = hello
        exitsOnSuspend = exits
        announcesEvents = announces
        waitsForTree = waits
        terminateSuspended = suspended
        terminateSignal = signal
    }
}
