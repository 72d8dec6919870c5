/// An app's open background tasks.
struct BackgroundTasks: Sendable, Hashable {
    /// In the order of `begin`.
    private(set) var open: [BackgroundTask] = []
    private var last = 0

    mutating func begin(
        name: String, owner: OwnerID, connection: ConnectionID?, at now: Moment
    ) -> BackgroundTask {
        last += 1
        let task = BackgroundTask(
            id: TaskID(last), name: name, begun: now.lifecycle, owner: owner, connection: connection)
        open.append(task)
        return task
    }

    /// The task that was open; nil where there was none of that number.
    mutating func end(_ id: TaskID) -> BackgroundTask? {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return nil }
        return open.remove(at: index)
    }

    /// Those of an owner that died.
    mutating func release(ownedBy owner: OwnerID) -> [BackgroundTask] {
        let released = open.filter { $0.owner == owner }
        if !released.isEmpty { open.removeAll { $0.owner == owner } }
        return released
    }

    /// None of them hears by it any more.
    mutating func disconnected(_ connection: ConnectionID) {
        for index in open.indices where open[index].connection == connection { open[index].connection = nil }
    }

    mutating func drop() { open.removeAll() }

    func ages(at now: Moment) -> [TaskAge] {
        open.map { TaskAge(id: $0.id, name: $0.name, age: now.lifecycle - $0.begun) }
    }
}
