/// Goes through a scenario as it will run, and finds what comes too early, too late or twice.
struct OrderCheck {
    private(set) var diagnostics: [Diagnostic] = []
    private var app: Position?
    private var timeScale: Position?
    private var launch: Position?
    private var names: Set<String> = [Vocabulary.stateDirectory]
    private var matrices: Set<String> = []
    /// A launch that is missing is told of once.
    private var hasComplainedOfLaunch = false

    private mutating func complain(_ position: Position, _ message: String) {
        diagnostics.append(Diagnostic(at: position, message))
    }

    mutating func take(_ item: Item) {
        guard case .statement(let statement) = item else { return presume(item) }
        checkVariables(statement.kind.words)
        checkPlace(statement)
        note(statement)
    }

    /// At its end; nil where nothing at all is in it, which was told of.
    mutating func end(_ position: Position?) {
        if let app {
            guard launch == nil, !hasComplainedOfLaunch else { return }
            diagnostics.append(Diagnostic(.warning, at: app, "this app is never launched; `launch` is missing"))
        } else if let position {
            complain(launch ?? position, "no `app` says what is tested; write app COMMAND… above `launch`")
        }
    }

    /// Done in any case, whatever the scenario has come to.
    mutating func takeAfter(_ item: Item) {
        guard case .statement(let statement) = item else { return presume(item) }
        checkVariables(statement.kind.words)
        addNames(statement.kind)
    }

    /// A line that couldn't be read has given what it was probably meant to.
    private mutating func presume(_ item: Item) {
        guard case .broken(let position, let meant, let words) = item else { return }
        switch meant {
        case "app": app = app ?? position
        case "launch": launch = launch ?? position
        case "set", "matrix", "await", "expect": names.formUnion(words)
        case nil: hasComplainedOfLaunch = true
        default: break
        }
    }

    private mutating func checkVariables(_ words: [Word]) {
        for word in words {
            for (name, position) in word.variables where !names.contains(name) {
                let meant = Choice.nearest(to: name, among: names.sorted()).map { "; did you mean $\($0)?" }
                let accepted = meant ?? "; `set`, `matrix` and `as` name one, and $ itself is written \\$"
                complain(position, "nothing above gives $\(name) a value" + accepted)
            }
        }
    }

    private mutating func checkPlace(_ statement: Statement) {
        let position = statement.position
        switch statement.kind {
        case .app:
            if let app { complain(position, "there is an `app` already, on line \(app.line)") }
            checkBeforeLaunch(statement)
        case .timeScale:
            if let timeScale { complain(position, "there is a `time-scale` already, on line \(timeScale.line)") }
            checkBeforeLaunch(statement)
        case .matrix(let name, _):
            if matrices.contains(name) { complain(position, "there is a matrix \"\(name)\" already") }
            checkBeforeLaunch(statement)
        case .skipUnless: checkBeforeLaunch(statement)
        case .advance:
            if timeScale != nil {
                complain(
                    position, "`advance` and `time-scale` exclude each other: with `time-scale` time runs by itself")
            }
            checkAfterLaunch(statement)
        case .await(.file, _), .expect(.file), .expectNot(.file), .run, .set, .launch: break
        default: checkAfterLaunch(statement)
        }
    }

    private mutating func checkBeforeLaunch(_ statement: Statement) {
        guard let launch else { return }
        complain(
            statement.position, "`\(statement.kind.name)` stands below `launch`, and belongs above line \(launch.line)")
    }

    private mutating func checkAfterLaunch(_ statement: Statement) {
        guard launch == nil, !hasComplainedOfLaunch else { return }
        hasComplainedOfLaunch = true
        complain(statement.position, "`\(statement.kind.name)` needs the app to run; `launch` is missing above it")
    }

    private mutating func note(_ statement: Statement) {
        switch statement.kind {
        case .app: app = app ?? statement.position
        case .timeScale: timeScale = timeScale ?? statement.position
        case .launch: launch = launch ?? statement.position
        case .matrix(let name, _): matrices.insert(name)
        default: break
        }
        addNames(statement.kind)
    }

    private mutating func addNames(_ kind: Statement.Kind) {
        switch kind {
        case .set(let name, _), .matrix(let name, _): names.insert(name)
        default: names.formUnion(kind.condition?.names ?? [])
        }
    }
}
