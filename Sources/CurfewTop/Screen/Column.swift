/// What is told of each app, a column each.
enum Column: CaseIterable {
    case name, state, age, budget, tasks, memory, cpu, notes, command

    static let gap = 2

    func title(in width: Int) -> String {
        switch self {
        case .name: "APP"
        case .state: "STATE"
        case .age: "FOR"
        case .budget: width < 16 ? "BUDGET" : "BUDGET, WAKES ON"
        case .tasks: "TASKS"
        case .memory: "MEMORY"
        case .cpu: "CPU"
        case .notes: "NOTES"
        case .command: "COMMAND"
        }
    }

    var isNumber: Bool {
        switch self {
        case .age, .tasks, .memory, .cpu: true
        case .name, .state, .budget, .notes, .command: false
        }
    }

    var leastWidth: Int {
        switch self {
        case .name: 10
        case .state: 10
        case .age: 6
        case .budget: 12
        case .tasks: 5
        case .memory: 9
        case .cpu: 5
        case .notes: 24
        case .command: 24
        }
    }

    /// Which are left out first where there is no room.
    private static let leastNeededFirst: [Column] = [.command, .notes, .tasks, .cpu, .age, .memory, .budget, .state]

    /// Those that fit, each with its width, in their order.
    static func layout(columns: Int, longestName: Int) -> [(column: Column, width: Int)] {
        var chosen = allCases
        func width(_ columns: [Column]) -> Int {
            columns.reduce(0) { $0 + $1.leastWidth } + gap * (columns.count - 1)
        }
        for column in leastNeededFirst where width(chosen) > columns { chosen.removeAll { $0 == column } }
        var widths = chosen.map(\.leastWidth)
        var free = columns - width(chosen)
        func widen(_ column: Column, to width: Int) {
            guard let index = chosen.firstIndex(of: column) else { return }
            let more = max(0, min(free, width - widths[index]))
            widths[index] += more
            free -= more
        }
        if free < 0 { widths[0] = max(0, columns) }
        widen(.name, to: min(16, longestName))
        widen(.budget, to: 18)
        widen(.name, to: min(32, longestName))
        widen(.budget, to: 24)
        if chosen.contains(.command) { widen(.notes, to: 24 + free / 2) }
        widen(chosen.contains(.command) ? .command : .notes, to: .max)
        return Array(zip(chosen, widths))
    }
}
