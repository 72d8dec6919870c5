import CurfewWire

/// One app's run as far as it is known; times are nanoseconds of the timeline's clock.
public struct AppRun: Equatable, Sendable {
    /// A time in one state, such as `background`; `unknown` where nothing tells.
    public struct Band: Equatable, Sendable {
        public var state: String
        public var from: Int64
        public var to: Int64
    }

    /// Something that happened at one moment, named as docs/json.md names events.
    public struct Mark: Equatable, Sendable {
        public var time: Int64
        public var name: String
        public var fields: [Field]
    }

    /// A background task from its begin to its end.
    public struct TaskBar: Equatable, Sendable {
        public enum Outcome: String, Sendable {
            case ended
            /// Its owner has died.
            case released
            /// It was open when what is known ends.
            case open
        }

        public var number: Int
        public var name: String
        public var from: Int64
        public var to: Int64
        public var outcome: Outcome
        /// Its begin lies before what is known.
        public var wasBegunBefore = false
    }

    /// What was measured: bytes of memory, nanoseconds of CPU time or of budget.
    public struct Sample: Equatable, Sendable {
        public var time: Int64
        public var value: Int64

        public init(time: Int64, value: Int64) {
            self.time = time
            self.value = value
        }
    }

    /// A limit from some moment on; nil: none holds.
    public struct Limit: Equatable, Sendable {
        public var time: Int64
        public var value: Int64?
    }

    /// CPU time, nanoseconds, in so long a time.
    public struct CPUShare: Equatable, Sendable {
        public var used: Int64
        public var elapsed: Int64
    }

    /// How it ended.
    public struct End: Equatable, Sendable {
        public var time: Int64
        /// Such as `124`, or `signal 9`; empty where that isn't known.
        public var status = ""
        /// Why it was killed, such as `background-task-timeout`; empty where it wasn't.
        public var reason = ""
        /// iOS's code, such as `0x2182bad2`.
        public var code = ""
        /// A sentence for people.
        public var why = ""
    }

    /// A line more of it, such as `command` and its words.
    public struct Fact: Equatable, Sendable {
        public var label: String
        public var text: String
    }

    public var name: String
    public var from: Int64 = 0
    public var to: Int64 = 0
    /// One after the other, from `from` to `to` without a gap.
    public var bands: [Band] = []
    public var marks: [Mark] = []
    /// In the order of their begins.
    public var tasks: [TaskBar] = []
    /// What was left of the background budget: a line for each stay in background.
    public var budget: [[Sample]] = []
    /// The whole budget of a stay, nanoseconds; nil where it isn't known, or without end.
    public var budgetSpan: Int64?
    public var memory: [Sample] = []
    public var memoryLimits: [Limit] = []
    public var cpu: [Sample] = []
    /// What it may use in background; nil where it isn't known, or without end.
    public var cpuLimit: CPUShare?
    /// What it was killed for using.
    public var cpuExcess: CPUShare?
    /// Nil while it runs, and where nothing tells of its end.
    public var end: End?
    public var facts: [Fact] = []

    public init(name: String) { self.name = name }

    /// Those that are seen: that nothing runs any more at the end is said by the end.
    var drawnBands: ArraySlice<Band> {
        guard let last = bands.last, last.state == "notRunning", last.from == last.to, bands.count > 1 else {
            return bands[...]
        }
        return bands.dropLast()
    }
}

extension AppRun.Mark {
    /// What is written beside it: an event's own name, where it is about one.
    public var label: String {
        let event = fields.first { $0.key == "event" }?.value
        switch (name, event) {
        case ("didDeliver", let event?): return event
        case ("didAcknowledge", let event?): return "ack " + event
        case (_, let event?): return "\(name) \(event)"
        case (_, nil): return name
        }
    }

    /// How much it matters where there isn't room for all: the most first.
    enum Rank: Int, CaseIterable, Comparable {
        case fatal, warning, plain, minor

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    var rank: Rank {
        switch name {
        case "willKill", "timeLimitDidPass": .fatal
        // An end of its own accord is no accident.
        case "didEnd" where fields.contains { $0.key == "reason" }: .fatal
        case "backgroundTasksWillExpire", "memoryWarning", "memoryPressureDidChange", "suspendedWithLockedFiles",
            "cpuLimitPassed", "suspensionIncomplete", "supervisorDidStop", "channelDidDrop", "hookDropped",
            "settingsLost":
            .warning
        case "didAcknowledge", "unknownAcknowledgement", "didBecomeAware", "didBecomePlain", "stillRunning",
            "notificationIgnored", "nothingToExtend", "signalIgnored":
            .minor
        default: .plain
        }
    }

    /// All of it in a line.
    public var detail: String {
        ([name] + fields.map { "\($0.key)=\($0.value)" }).joined(separator: "  ")
    }
}
