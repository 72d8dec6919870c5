/// Every app of a server that has run and wasn't removed, by name; and who was removed, for until somebody opens it nothing
/// launches it in background.
///
/// Its order is asked for seldom and changes often, so that a change costs the same however long the list is.
public struct TaskList: Sendable, Hashable {
    /// Grows from use to use.
    private var uses: [String: Int] = [:]
    private var lastUse = 0
    private var removed: Set<String> = []

    public init() {}

    /// As it was kept. Who is in both counts as removed; of two equal names the first counts.
    public init(mostRecentFirst names: [String], removed: [String]) {
        self.removed = Set(removed)
        for name in names.reversed() where !self.removed.contains(name) { use(name) }
    }

    /// The most recent first.
    public var names: [String] { uses.sorted { $0.value > $1.value }.map(\.key) }

    public var count: Int { uses.count }

    public func contains(_ name: String) -> Bool { uses[name] != nil }

    /// Whether it may be launched without anybody opening it: by `restart`, a schedule, an event.
    public func mayLaunchInBackground(_ name: String) -> Bool { !removed.contains(name) }

    /// It is launched. In background it keeps the place it has: what runs again and again by itself isn't what somebody
    /// looks for.
    public mutating func launched(_ name: String, inBackground: Bool) {
        if inBackground, contains(name) { return }
        opened(name)
    }

    /// It comes to the front, launched or not.
    public mutating func opened(_ name: String) {
        removed.remove(name)
        use(name)
    }

    /// It is swiped away; returns whether it was in the list.
    @discardableResult
    public mutating func remove(_ name: String) -> Bool {
        guard uses.removeValue(forKey: name) != nil else { return false }
        removed.insert(name)
        return true
    }

    /// Nobody can launch it any more; that isn't being swiped away.
    public mutating func forget(_ name: String) { uses.removeValue(forKey: name) }

    private mutating func use(_ name: String) {
        lastUse += 1
        uses[name] = lastUse
    }
}
