import CurfewCommand
import CurfewScenario

/// The options of `app`, which are those of `curfew run`: what is wrong with them is known before anything is played.
enum AppOptions {
    /// Each statement once, though it stands in every scenario of its file. What variables say isn't known yet.
    static func diagnostics(of file: ScenarioFile) -> [Diagnostic] {
        Set(file.scenarios.flatMap(\.statements)).compactMap(diagnostic)
    }

    private static func diagnostic(_ statement: Statement) -> Diagnostic? {
        guard case .app(let words, _) = statement.kind, !words.isEmpty else { return nil }
        let options = words.compactMap(\.constant)
        guard options.count == words.count, let problem = problem(options) else { return nil }
        let help = problem.contains("--help") ? "" : "; see `curfew run --help`"
        return Diagnostic(at: statement.position, problem + help)
    }

    private static func problem(_ options: [String]) -> String? {
        let command = ["the", "command"]
        do throws(UsageError) {
            let read = try RunWords(options + ["--"] + command).command
            // The first word that is neither an option nor an option's value begins the command.
            return read == command ? nil : "\"\(read.first ?? "")\" isn't an option, nor the value of one"
        } catch {
            return error.asksForHelp ? "--help launches nothing" : error.problem
        }
    }
}
