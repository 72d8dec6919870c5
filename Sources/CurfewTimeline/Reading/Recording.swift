/// A run that is looked at while it goes on: what happens, and what is measured at an interval.
///
/// What is suspended uses nothing more: it is measured once, and then not before it goes on.
public struct Recording: Sendable {
    public private(set) var recorder: RunRecorder
    /// When it is to be measured next, nanoseconds of the caller's clock; nil: not before something happens.
    public private(set) var due: Int64?
    private let interval: Int64
    private var state: String

    /// `state`: the one it is in; `interval`: nanoseconds, above 0; `now`: by the caller's clock.
    public init(_ recorder: RunRecorder, state: String, every interval: Int64, at now: Int64) {
        self.recorder = recorder
        self.state = state
        self.interval = interval
        due = now
    }

    /// What was measured: bytes of memory and its limit, nanoseconds of CPU time; nil: not known, or no limit.
    public struct Measures: Equatable, Sendable {
        public var memory: Int64?
        public var memoryLimit: Int64?
        public var cpu: Int64?

        public init(memory: Int64?, memoryLimit: Int64?, cpu: Int64?) {
            self.memory = memory
            self.memoryLimit = memoryLimit
            self.cpu = cpu
        }
    }

    public mutating func take(_ happening: Happening, at now: Int64) {
        recorder.take(happening)
        guard happening.name == "stateDidChange", let next = happening["to"] else { return }
        state = next
        due = state == "notRunning" ? nil : now
    }

    /// It is ending: there is nobody left to say how much it uses.
    public mutating func cannotBeMeasured() { due = nil }

    /// `time`: nanoseconds of the timeline's clock; `now`: of the caller's.
    public mutating func take(_ measures: Measures, time: Int64, at now: Int64) {
        if let bytes = measures.memory { recorder.memory(bytes, at: time) }
        recorder.memoryLimit(measures.memoryLimit, at: time)
        if let used = measures.cpu { recorder.cpu(used, at: time) }
        due = ["suspended", "notRunning"].contains(state) ? nil : now + interval
    }
}
