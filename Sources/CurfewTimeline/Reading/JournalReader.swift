import CurfewWire

/// Reads a journal, as docs/journal.md has it: what the core was told, what it decided, and what was measured meanwhile.
///
/// It is laid out by the app's own time; where that was held and never moved, by the real time that stands beside it.
struct JournalReader {
    /// How the first app is called, which a journal doesn't say.
    private let name: String
    /// iOS's codes by the reasons of kills, which it doesn't say either.
    private let codes: [String: String]
    private let clock: Timeline.Clock
    private var recorders: [(id: String, recorder: RunRecorder)] = []
    /// When the last input was told.
    private var now: Int64 = 0
    /// The app's own time at the first input and at the last, and whether the first tells the real time.
    private var own: (first: Int64, last: Int64, hasReal: Bool)?

    init(name: String, codes: [String: String], by clock: Timeline.Clock = .app) {
        self.name = name
        self.codes = codes
        self.clock = clock
    }

    static let header = "curfew-journal"

    /// Of a file's lines; what its writer didn't come to the end of is left out.
    static func read(_ lines: FileText, name: String, codes: [String: String]) throws(Unreadable) -> Timeline {
        var reader = JournalReader(name: name, codes: codes)
        try reader.take(lines)
        if reader.stoodStill {
            reader = JournalReader(name: name, codes: codes, by: .real)
            try reader.take(lines)
        }
        return try reader.timeline()
    }

    private mutating func take(_ lines: FileText) throws(Unreadable) {
        var hasHeader = false
        for (number, line) in lines.numbered {
            let message: Message?
            do throws(MalformedLine) { message = try Message.parse(line) } catch {
                if lines.isCut, number == lines.count { break }
                throw Unreadable("byte \(error.offset): \(error.problem)", line: number)
            }
            guard let message else { continue }
            if hasHeader {
                if lines.isCut, number == lines.count { break }
                try take(message, line: number)
            } else {
                try Self.checkHeader(message, line: number)
                hasHeader = true
            }
        }
    }

    /// Whether nothing passed by the app's own time, while something may have by the real one.
    private var stoodStill: Bool { own.map { $0.first == $0.last && $0.hasReal } ?? false }

    private static func checkHeader(_ message: Message, line: Int) throws(Unreadable) {
        guard message.verb == header, message["version"] == "1" else {
            throw Unreadable("its version is \(message["version"] ?? "none"); this curfew reads 1", line: line)
        }
    }

    private func timeline() throws(Unreadable) -> Timeline {
        let told = recorders.filter { !$0.recorder.isEmpty }
        if told.isEmpty { throw Unreadable("it tells of no app: nothing was started") }
        return Timeline(clock: clock, runs: told.map { $0.recorder.finished(at: now) })
    }

    private mutating func take(_ message: Message, line: Int) throws(Unreadable) {
        switch message.verb {
        case "input":
            let name = try Self.name(message, line)
            try move(to: message, line)
            if let app = message["app"] { input(name, message, of: app) }
        case "effect":
            let name = try Self.name(message, line)
            if let app = message["app"] { effect(name, message, of: app) }
        case "measured":
            try move(to: message, line)
            if let app = message["app"] { measured(message, of: app) }
        default: throw Unreadable("\"\(message.verb)\" is neither input nor effect", line: line)
        }
    }

    private static func name(_ message: Message, _ line: Int) throws(Unreadable) -> String {
        guard let name = message["name"] else { throw Unreadable("it has no name", line: line) }
        return name
    }

    private mutating func move(to message: Message, _ line: Int) throws(Unreadable) {
        guard let at = message["at"].flatMap({ Int64($0) }), at >= 0 else {
            throw Unreadable(
                message.verb == "input" ? "an input has no time" : "what was measured has no time", line: line)
        }
        let real = message["real"].flatMap { Int64($0) }
        own = (own?.first ?? at, max(own?.last ?? at, at), own?.hasReal ?? (real != nil))
        now = max(now, clock == .real ? real ?? 0 : at)
    }

    private mutating func with(_ app: String, _ body: (inout RunRecorder, Int64) -> Void) {
        let index = recorders.firstIndex { $0.id == app } ?? recorders.count
        if index == recorders.count {
            recorders.append((app, RunRecorder(app: index == 0 ? name : "\(name) \(app)")))
        }
        body(&recorders[index].recorder, now)
    }

    // MARK: Inputs

    private mutating func input(_ name: String, _ message: Message, of app: String) {
        let clock = clock
        func number(_ key: String) -> Int64? { message[key].flatMap { Int64($0) } }
        with(app) { recorder, now in
            switch name {
            case "launch":
                // By the real clock it didn't run.
                if let budget = number("budget"), clock == .app { recorder.budget(budget) }
                if let used = number("background-cpu"), let window = number("background-cpu-window") {
                    recorder.cpuLimit(used, in: window)
                }
            case "footprintMeasured", "memoryMarkReached":
                if let bytes = number("bytes") { recorder.memory(bytes, at: now) }
            case "cpuTimeMeasured": if let used = number("cpu") { recorder.cpu(used, at: now) }
            case "quit", "wake", "post", "warn":
                recorder.take(Happening(time: now, name: name, fields: Self.told(message)))
            default: break
            }
        }
    }

    /// Once it is there: what is measured before draws nothing.
    private mutating func measured(_ message: Message, of app: String) {
        guard recorders.contains(where: { $0.id == app }) else { return }
        with(app) { recorder, now in
            if let bytes = message["footprint"].flatMap({ Int64($0) }) { recorder.memory(bytes, at: now) }
            if let used = message["cpu"].flatMap({ Int64($0) }) { recorder.cpu(used, at: now) }
        }
    }

    /// What is left of a message without what it is by.
    private static func told(_ message: Message) -> [Field] {
        let common: Set = ["at", "real", "name", "app", "request", "note"]
        return message.fields.filter { !common.contains($0.key) }
    }

    // MARK: Effects

    private mutating func effect(_ name: String, _ message: Message, of app: String) {
        let codes = codes
        with(app) { recorder, now in
            func take(_ name: String, _ fields: [Field]) {
                recorder.take(Happening(time: now, name: name, fields: fields))
            }
            let fields = Self.told(message)
            switch name {
            case "stateChanged": take("stateDidChange", fields)
            case "note": take(message["note"] ?? "note", fields)
            case "deliver": take("didDeliver", fields.filter { ["event", "seq", "task", "level"].contains($0.key) })
            case "limitMemory": recorder.memoryLimit(message["fatal"].flatMap { Int64($0) }, at: now)
            case "terminate": recorder.beingEnded(at: now)
            case "kill":
                take("willKill", Self.kill(fields, codes))
                if message["reason"] == "cpu-limit", let used = message["cpu"].flatMap({ Int64($0) }),
                    let elapsed = message["elapsed"].flatMap({ Int64($0) })
                {
                    recorder.cpuExcess(used, in: elapsed)
                }
                if let footprint = message["footprint"].flatMap({ Int64($0) }) { recorder.memory(footprint, at: now) }
            case "expire": take("timeLimitDidPass", fields)
            case "ended": take("didEnd", fields.filter { $0.key != "state" })
            default: break
            }
        }
    }

    /// Durations in words: a journal has nanoseconds.
    private static func kill(_ fields: [Field], _ codes: [String: String]) -> [Field] {
        let spans: Set = ["limit", "elapsed", "cpu", "cpu-limit"]
        let worded = fields.map { field in
            guard spans.contains(field.key) || field.key.hasPrefix("age."), let span = Int64(field.value) else {
                return field
            }
            return Field(field.key, RunText.duration(span))
        }
        guard let reason = worded.first(where: { $0.key == "reason" })?.value, let code = codes[reason] else {
            return worded
        }
        return worded + [Field("code", code)]
    }
}
