/// Finds variables that are given a value which no scenario uses.
enum UnusedNames {
    static func warnings(_ scenarios: [Scenario]) -> [Diagnostic] {
        var unused: [Position: Diagnostic] = [:]
        var used: Set<Position> = []
        for scenario in scenarios {
            let names = Set(
                (scenario.statements + scenario.after).flatMap { $0.kind.words.flatMap(\.variables).map(\.name) })
            for statement in scenario.statements {
                guard let (name, message) = warning(statement.kind) else { continue }
                if names.contains(name) {
                    used.insert(statement.position)
                } else {
                    unused[statement.position] = Diagnostic(.warning, at: statement.position, message)
                }
            }
        }
        return unused.filter { !used.contains($0.key) }.map(\.value)
    }

    private static func warning(_ kind: Statement.Kind) -> (name: String, message: String)? {
        switch kind {
        case .set(let name, _): (name, "$\(name) is never used")
        case .matrix(let name, _): (name, "$\(name) is never used: each value runs the same")
        default: nil
        }
    }
}
