import CurfewEngine

/// Makes an app's definition of a desktop entry.
struct DesktopReader {
    /// The user's, for the name.
    var locale: String
    /// Whether a program can be started: a path, or a name to be found by PATH.
    var isInstalled: (String) -> Bool

    /// `id`: the entry's desktop file ID, without `.desktop`; the app is called so.
    func read(_ bytes: [UInt8], path: String, id: String) -> CheckedDefinition {
        let name = AppName.fromCommand(id)
        do throws(DefinitionProblem) {
            let definition = try definition(DesktopEntry(bytes), path: path, name: name)
            return CheckedDefinition(path: path, name: name, definition: definition, problems: [])
        } catch {
            return CheckedDefinition(path: path, name: name, definition: nil, problems: [error])
        }
    }

    private func definition(
        _ entry: DesktopEntry, path: String, name: String
    ) throws(DefinitionProblem) -> AppDefinition {
        func problem(_ key: String, _ text: String) -> DefinitionProblem {
            DefinitionProblem(line: entry.line(of: key), key: key, text)
        }
        if try entry.boolean("Hidden") { throw problem("Hidden", "this entry counts as removed, and so does the app") }
        let type = try entry.string("Type")
        guard type == "Application" else {
            throw problem(
                "Type", "\(type.map { "\"\($0)\"" } ?? "nothing") isn't Application, which alone is a program")
        }
        if let program = try entry.string("TryExec"), !isInstalled(program) {
            throw problem("TryExec", "\(program) isn't there, or can't be executed: the app isn't installed")
        }
        if try entry.boolean("Terminal") {
            throw problem("Terminal", "it needs a terminal, which a server has none of; use `curfew run --join` in one")
        }
        guard let exec = try entry.string("Exec") else {
            let isActivated = try entry.boolean("DBusActivatable")
            let reason =
                isActivated
                ? "it is started by D-Bus alone, and what D-Bus starts nobody else can hold" : "it is missing"
            throw problem(isActivated ? "DBusActivatable" : "Exec", "\(reason); a command is needed")
        }
        let expansion = DesktopExec(
            icon: try entry.string("Icon", locale: locale).flatMap { $0.isEmpty ? nil : $0 },
            name: try entry.string("Name", locale: locale), path: path)
        var definition = AppDefinition(name: name, source: .desktopEntry(path), command: [])
        do throws(DefinitionProblem) { definition.command = try expansion.words(exec) } catch {
            throw problem("Exec", error.text)
        }
        definition.directory = try entry.string("Path").flatMap { $0.isEmpty ? nil : $0 }
        return definition
    }
}
