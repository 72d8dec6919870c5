import CurfewWire

/// What is known of one app: as its supervisor told it last, and what has happened since.
public struct TopApp: Sendable, Equatable {
    public struct Task: Sendable, Equatable {
        public let number: String
        public let name: String
        /// When it was begun, on the clock of the one who looks, nanoseconds.
        public let begun: Int64
    }

    /// Whether it was put to sleep, and whether input wakes it.
    public enum Sleep: Sendable { case none, untilInput, untilOpened }

    public let name: String
    /// Nil until something was told of it.
    public internal(set) var state: AppState?
    /// When it came into that state.
    public internal(set) var stateBegan: Int64 = 0
    public internal(set) var budget: BudgetClock?
    public internal(set) var tasks: [Task] = []
    /// Bytes.
    public internal(set) var footprint: UInt64 = 0
    public internal(set) var memoryLimit: UInt64?
    public internal(set) var cpu = ProcessorShare()
    public internal(set) var sleep = Sleep.none
    /// What wakes it while it is stopped, as `--wake-on` takes it; empty where nothing does.
    public internal(set) var wakeOn = ""
    /// The machine's level of memory pressure as its supervisor sees it; empty where it doesn't look.
    public internal(set) var pressure = ""
    /// What its supervisor said of it last, by key.
    public internal(set) var status = Message("", [])
    /// How it ended, as it goes on behind "has ended"; empty while it runs.
    public internal(set) var ended = ""
    /// Why nothing is known of it, or no more.
    public internal(set) var problem: String?

    // What decides when it is asked again.
    var asked: Int64?
    var isAwaited = false
    var isStale = true

    init(_ name: String) { self.name = name }

    public subscript(key: String) -> String { status[key] ?? "" }

    public var isAsleep: Bool { sleep != .none && state == .suspended }

    /// Its state, or that it is asleep.
    public var stateWord: String { isAsleep ? "asleep" : state?.rawValue ?? "" }
}

extension TopApp {
    /// What `status` was answered.
    mutating func take(status answer: Message, tasks answered: [Message], at now: Int64) {
        status = answer
        problem = nil
        if let told = AppState(rawValue: self["state"]) {
            if told != state { cpu = ProcessorShare() }
            state = told
        }
        stateBegan = now - (Seconds.parse(self["since"]) ?? 0)
        tasks = answered.map { task in
            Task(
                number: task["task"] ?? "", name: task["name"] ?? "",
                begun: now - (Seconds.parse(task["age"] ?? "") ?? 0))
        }
        if let whole = Seconds.parse(self["budget"]), let left = Seconds.parse(self["remaining"]) {
            budget = BudgetClock(whole: whole, told: left, at: now, runs: runsDown)
        }
        footprint = UInt64(self["footprint"]) ?? 0
        memoryLimit = UInt64(self["memory-limit"])
        if let used = Seconds.parse(self["cpu"]) { cpu.take(used: used, at: now) }
        wakeOn = self["wake-on"]
        pressure = self["memory-pressure"]
        switch self["asleep"] {
        case "": sleep = .none
        case "until-opened": sleep = .untilOpened
        default: sleep = .untilInput
        }
    }

    /// Whether it is never suspended.
    var isContinuous: Bool { self["background-modes"].split(separator: ",").contains("continuous") }

    /// A debugger's app, one that is never suspended, and held time stand still.
    private var runsDown: Bool { state == .background && self["traced"] != "true" && !isHeld }

    private var isHeld: Bool { self["clock"] == "manual" || isContinuous }

    /// What happened to it; its supervisor is asked for the rest, while it runs.
    mutating func take(event: Message, at now: Int64) {
        defer { isStale = state != .notRunning }
        switch event["name"] {
        case "stateDidChange":
            guard let to = AppState(rawValue: event["to"] ?? ""), to != state else { return }
            change(to: to, at: now)
        case "taskDidBegin":
            let number = event["task"] ?? ""
            guard !tasks.contains(where: { $0.number == number }) else { return }
            tasks.append(Task(number: number, name: event["title"] ?? "", begun: now))
        case "taskDidEnd", "taskDidRelease": tasks.removeAll { $0.number == event["task"] }
        case "memoryPressureDidChange": pressure = event["level"] ?? ""
        case "didWake": sleep = .none
        case "didEnd": if ended.isEmpty { ended = TopApp.ending(event) }
        case "willKill": ended = ", killed: \(event["why"] ?? event["reason"] ?? "")"
        default: break
        }
    }

    /// Every way out of the foreground refills the budget. Source: README.md, "Ask for time".
    private mutating func change(to next: AppState, at now: Int64) {
        if let budget {
            let isRefilled = state?.isForeground ?? true
            let left = next.isForeground ? Int64.max : isRefilled ? budget.whole : budget.left(at: now)
            let runs = next == .background && !isHeld
            self.budget = BudgetClock(whole: budget.whole, told: left, at: now, runs: runs)
        }
        if next != .suspended { sleep = .none }
        if next.isRunning { ended = "" }
        state = next
        stateBegan = now
        cpu = ProcessorShare()
    }

    /// As it goes on behind "has ended": ` with status 0`, `, killed: memory-limit`.
    private static func ending(_ event: Message) -> String {
        if let reason = event["reason"] { return ", killed: \(reason)" }
        if let status = event["status"] { return " with status \(status)" }
        return event["signal"].map { " by signal \($0)" } ?? ""
    }
}
