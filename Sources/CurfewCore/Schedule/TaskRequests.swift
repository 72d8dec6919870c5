/// The requests of one app that wait to be launched for: each is one-shot, and one of the same id takes its place.
public struct TaskRequests: Sendable, Hashable {
    /// In the order of their submission.
    public private(set) var pending: [TaskRequest] = []
    /// When it is looked next whether one can be launched for; nil where none waits.
    public private(set) var due: WallTime?
    /// What of the app was in the way when that was looked at last; nil: nothing, or it was the machine.
    public private(set) var obstacle: ScheduleObstacle?

    /// So long after something was in the way it is looked at again.
    public static let pause = FetchSchedule.pause

    public init() {}

    public subscript(id: String) -> TaskRequest? { pending.first { $0.id == id } }

    /// False where as many of its kind wait as may; nothing is changed then.
    public mutating func submit(_ request: TaskRequest) -> Bool {
        let others = pending.filter { $0.id != request.id }
        guard others.count(where: { $0.kind == request.kind }) < request.kind.maximumPending else { return false }
        pending = others + [request]
        return true
    }

    /// Returns it, where there is one: it waits no more.
    @discardableResult
    public mutating func take(_ id: String) -> TaskRequest? {
        guard let index = pending.firstIndex(where: { $0.id == id }) else { return nil }
        return pending.remove(at: index)
    }

    public mutating func cancelAll() { pending.removeAll() }

    /// The first that nothing keeps waiting.
    public func ready(at now: WallTime, _ machine: MachineCondition) -> TaskRequest? {
        pending.first { $0.obstacle(at: now, machine) == nil }
    }

    /// When the next one may be too early no more; nil where none waits for that.
    public func nextEarliest(after now: WallTime) -> WallTime? {
        pending.compactMap(\.earliest).filter { $0 > now }.min()
    }

    // MARK: Looking

    /// What waits has changed, or the clock was set: it is looked at as soon as one isn't too early.
    public mutating func plan(at now: WallTime) {
        obstacle = nil
        due = pending.map { max($0.earliest ?? now, now) }.min()
    }

    /// Something is in the way of all that aren't too early: it is looked at again in a while.
    public mutating func postpone(because obstacle: ScheduleObstacle?, at now: WallTime) {
        self.obstacle = obstacle
        guard !pending.isEmpty else { return due = nil }
        let later = now + Self.pause
        due = pending.allSatisfy { $0.earliest ?? now > now } ? nextEarliest(after: now) : later
        if let due, let next = nextEarliest(after: now) { self.due = min(due, next) }
    }

    /// What that one waits for; nil: nothing, it comes as soon as it is looked at.
    public func obstacle(to request: TaskRequest, at now: WallTime, _ machine: MachineCondition) -> ScheduleObstacle? {
        if let earliest = request.earliest, now < earliest { return .tooEarly(until: earliest) }
        return obstacle ?? request.obstacle(at: now, machine)
    }

    /// When that one is looked at next.
    public func due(of request: TaskRequest) -> WallTime {
        max(due ?? .distantPast, request.earliest ?? .distantPast)
    }
}
