import CurfewCore
import CurfewWire

extension Policy {
    var journalFields: [Field] {
        var fields = Self.spans.map { Field($0.key, self[keyPath: $0.path]) }
        if processingLimit != Profile.ios4.processingLimit { fields.append(Field("processing-limit", processingLimit)) }
        if let timeout { fields += timeout.journalFields }
        if let keepAliveMinimum { fields.append(Field("keep-alive", keepAliveMinimum)) }
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
        if let sleep { fields += sleep.journalFields }
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

    init?(journal fields: JournalFields) {
        self.init(profile: .ios4)
        for (key, path) in Self.spans {
            guard let span = fields.span(key) else { return nil }
            self[keyPath: path] = span
        }
        // As every profile has it, and in journals of earlier versions, it isn't there.
        if let span = fields.span("processing-limit") { processingLimit = span }
        timeout = TimeoutPolicy(journal: fields)
        keepAliveMinimum = fields.span("keep-alive")
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
        sleep = SleepPolicy(journal: fields)
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

extension MemoryLimits {
    func journalFields(_ prefix: String) -> [Field] {
        (fatal.map { [Field(prefix, String($0))] } ?? []) + (soft.map { [Field(prefix + "-high", String($0))] } ?? [])
    }

    init(journal fields: JournalFields, _ prefix: String) {
        self.init(fatal: fields.bytes(prefix), soft: fields.bytes(prefix + "-high"))
    }
}

extension CPUPolicy {
    var journalFields: [Field] {
        [
            Field("background-cpu", limit), Field("background-cpu-window", window),
            Field("cpu-limit-action", action.rawValue), Field("processors", processors),
        ]
    }

    init?(journal fields: JournalFields) {
        guard let limit = fields.span("background-cpu"), let window = fields.span("background-cpu-window"),
            let action = fields.text("cpu-limit-action").flatMap({ CPULimitAction(rawValue: $0) }),
            let processors = fields.int("processors")
        else { return nil }
        self.init(limit: limit, window: window, action: action, processors: processors)
    }
}

extension TimeoutPolicy {
    var journalFields: [Field] {
        let fields = [
            Field("timeout-signal", Int(signal)), Field("spares-descendants", sparesDescendants),
            Field("preserves-status", preservesStatus),
        ]
        return fields + (killAfter.map { [Field("kill-after", $0)] } ?? [])
    }

    init?(journal fields: JournalFields) {
        guard let signal = fields.int("timeout-signal"), let spares = fields.flag("spares-descendants"),
            let preserves = fields.flag("preserves-status")
        else { return nil }
        self.init(
            signal: Int32(truncatingIfNeeded: signal), killAfter: fields.span("kill-after"), sparesDescendants: spares,
            preservesStatus: preserves)
    }
}

extension LaunchOptions {
    var journalFields: [Field] {
        [Field("background", inBackground)] + (wakingEvent.map { [Field("wake", $0.name)] } ?? [])
            + info.map { Field($0) }
    }

    /// A launch's waking event carries nothing of its own.
    init?(journal fields: JournalFields) {
        guard let inBackground = fields.flag("background") else { return nil }
        self.init(
            inBackground: inBackground,
            wakingEvent: fields.text("wake").map { PostedEvent($0) }, info: fields.message.info)
    }
}
