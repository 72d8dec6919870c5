import CurfewCore
import CurfewManifest
import CurfewWire

/// What was found, for people and for programs.
struct CheckReport {
    let checked: [CheckedDefinition]

    init(_ checked: [CheckedDefinition]) { self.checked = checked }

    var errors: Int { checked.reduce(0) { $0 + $1.problems.count { !$0.isWarning } } }
    private var warnings: Int { checked.reduce(0) { $0 + $1.problems.count(where: \.isWarning) } }

    // MARK: For people

    /// A line a problem, and one for all.
    var lines: [String] {
        checked.flatMap { file in file.problems.map { $0.text(in: file.path) } } + [summary]
    }

    private var summary: String {
        let counts = [Self.count(errors, "error"), Self.count(warnings, "warning")].compactMap(\.self)
        let found = counts.isEmpty ? "nothing to complain of" : counts.joined(separator: ", ")
        return "\(Self.count(checked.count, "file") ?? "no files"): \(found)"
    }

    private static func count(_ number: Int, _ noun: String) -> String? {
        number == 0 ? nil : "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    // MARK: For programs

    /// Source: docs/json.md, "curfew check".
    var json: JSON {
        .object([
            ("files", .array(checked.map(Self.json))), ("errors", .integer(Int64(errors))),
            ("warnings", .integer(Int64(warnings))),
        ])
    }

    private static func json(_ file: CheckedDefinition) -> JSON {
        var members: [(key: String, value: JSON)] = [("file", .string(file.path))]
        if let name = file.name { members.append(("name", .string(name))) }
        if let definition = file.definition { members.append(("definition", json(definition))) }
        return .object(members + [("problems", .array(file.problems.map(json)))])
    }

    private static func json(_ problem: DefinitionProblem) -> JSON {
        var members: [(key: String, value: JSON)] = [("severity", .string(problem.isWarning ? "warning" : "error"))]
        if let line = problem.line { members.append(("line", .integer(Int64(line)))) }
        if let key = problem.key { members.append(("key", .string(key))) }
        return .object(members + [("message", .string(problem.text))])
    }

    static func json(_ definition: AppDefinition) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("command", .array(definition.command.map(JSON.string))),
            ("options", .array(definition.options.map(JSON.string))),
        ]
        if let directory = definition.directory { members.append(("directory", .string(directory))) }
        let modes = BackgroundMode.allCases.filter(definition.backgroundModes.contains)
        members += [
            ("environment", .object(definition.environment.map { (key: $0.0, value: JSON.string($0.1)) })),
            ("launchAtStart", .bool(definition.launchAtStart)), ("restart", .string(definition.restart.rawValue)),
            ("backgroundModes", .array(modes.map { .string($0.rawValue) })),
            ("minimumFetchInterval", json(definition.minimumFetchInterval)),
        ]
        return .object(members)
    }

    private static func json(_ interval: AppDefinition.FetchInterval) -> JSON {
        switch interval {
        case .never: .string("never")
        case .minimum: .string("minimum")
        case .every(let span): .number(Double(span.nanoseconds) / 1e9)
        }
    }
}
