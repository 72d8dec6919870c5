import CurfewCommand
import CurfewScenario

/// The options of `app`, which are those of `curfew run`: what is wrong with them is known before anything is played.
enum AppOptions {
    /// Each statement once, though it stands in every scenario of its file. What variables say isn't known yet.
    static func diagnostics(of file: ScenarioFile) -> [Diagnostic] {
        let statements = Set(file.scenarios.flatMap(\.statements))
        return statements.compactMap(diagnostic).sorted { $0.position.line < $1.position.line }
    }

    private static func diagnostic(_ statement: Statement) -> Diagnostic? {
        guard case .app(let words, _) = statement.kind, !words.isEmpty else { return nil }
        let options = words.compactMap(\.constant)
        guard options.count == words.count else { return nil }
        do throws(UsageError) {
            _ = try RunWords(options + ["--", "true"])
            return nil
        } catch {
            return Diagnostic(at: statement.position, "\(error.problem); see `curfew run --help`")
        }
    }
}
