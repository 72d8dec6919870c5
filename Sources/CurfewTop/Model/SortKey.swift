/// By what apps are listed.
public enum SortKey: String, Sendable, CaseIterable {
    case state, name, budget, memory, cpu, since

    public var next: SortKey {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// For people.
    public var words: String {
        switch self {
        case .state: "state"
        case .name: "name"
        case .budget: "budget left, the least first"
        case .memory: "memory, the most first"
        case .cpu: "CPU, the most first"
        case .since: "time in its state, the shortest first"
        }
    }

    func sorted(_ apps: [TopApp], at now: Int64) -> [TopApp] {
        // By name first, and stably after that: what is equal keeps its place.
        let named = apps.sorted { $0.name < $1.name }
        switch self {
        case .name: return named
        case .state: return stable(named) { app in app.state.flatMap(AppState.allCases.firstIndex) ?? .max }
        case .budget: return stable(named) { $0.budget.map { $0.isRunning ? $0.left(at: now) : .max } ?? .max }
        case .memory: return stable(named) { UInt64.max - $0.footprint }
        case .cpu: return stable(named) { -($0.cpu.permille ?? 0) }
        case .since: return stable(named) { -$0.stateBegan }
        }
    }

    private func stable<Key: Comparable>(_ apps: [TopApp], _ key: (TopApp) -> Key) -> [TopApp] {
        apps.enumerated().map { (key($1), $0, $1) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { $0.2 }
    }
}
