/// The requests of one app that wait to be launched for: each is one-shot, and one of the same id takes its place.
public struct TaskRequests: Sendable, Hashable {
    /// In the order of their submission.
    public private(set) var pending: [TaskRequest] = []

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
}
