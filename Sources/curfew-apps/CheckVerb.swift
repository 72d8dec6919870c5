import CurfewCommand
import CurfewManifest
import CurfewWire

/// `curfew check [FILE…]`: looks over what defines apps, and starts nothing.
enum CheckVerb {
    static let name = "check"

    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let checked: [CheckedDefinition]
        if arguments.operands.isEmpty {
            checked = try ofThisUser()
        } else {
            checked = arguments.operands.map(DefinitionCheck.check)
        }
        let report = CheckReport(checked)
        if arguments.has("--json") { Output.print(report.json) } else { Output.print(lines: report.lines) }
        return report.errors == 0 ? ExitStatus.success : ExitStatus.failure
    }

    /// A directory that isn't to be trusted is told as a file is.
    private static func ofThisUser() throws(UsageError) -> [CheckedDefinition] {
        guard var folder = AppDefinitionFolder.ofThisUser() else {
            throw UsageError(
                name, "no directory of manifests is known, for HOME isn't set; name files, or set XDG_CONFIG_HOME")
        }
        do throws(DefinitionProblem) { return try folder.read() } catch {
            return [CheckedDefinition(path: folder.path, problem: error)]
        }
    }
}
