import CurfewScenario
import Testing

/// What is said of a text, each as `LINE:COLUMN: error: MESSAGE`, and what is accepted below it.
func problems(_ text: String) -> [String] {
    ScenarioReader.read(text, path: "a.curfew").1.map { String($0.text(in: "").dropFirst()) }
}

/// What is said of lines that follow `app` and `launch`, counted from 1.
func problems(after launch: String) -> [String] {
    let (_, diagnostics) = ScenarioReader.read("app -- ./program\nlaunch\n" + launch, path: "a.curfew")
    return diagnostics.map {
        var diagnostic = $0
        diagnostic.position.line -= 2
        return String(diagnostic.text(in: "").dropFirst())
    }
}

/// The statements of a text, without what is said of it.
func statements(_ text: String) -> [Statement.Kind] {
    ScenarioReader.read(text, path: "a.curfew").0.scenarios.first?.statements.map(\.kind) ?? []
}

/// A line was read as another statement than it is.
func unexpected(_ location: SourceLocation = #_sourceLocation) {
    Issue.record("it was read as something else", sourceLocation: location)
}
