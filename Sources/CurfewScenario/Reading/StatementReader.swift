/// Makes a statement of the words of a line.
struct StatementReader {
    /// Throws at the first word that is wrong.
    func read(_ line: LogicalLine) throws(Diagnostic) -> Statement {
        let first = line.words[0]
        let kind = try self.kind(line.words)
        return Statement(at: first.position, lastLine: line.lastLine, kind)
    }

    private func kind(_ words: [RawWord]) throws(Diagnostic) -> Statement.Kind {
        let first = words[0]
        guard first.plain == "!" else { return try kind(first, words.dropFirst()) }
        guard words.count > 1 else { throw Diagnostic(at: first.position, "! stands before `do` or `expect`") }
        let second = words[1]
        guard let name = second.plain, name == "do" || name == "expect",
            let definition = StatementDefinition.statement(named: name)
        else {
            let problem =
                second.plain == "await"
                ? "`await` has no !; `! expect` says what doesn't hold"
                : "! stands before `do` and `expect`, not before \"\(second.shown)\""
            throw Diagnostic(at: second.position, problem)
        }
        var cursor = WordCursor(definition, second, words.dropFirst(2))
        return name == "do" ? try helper(&cursor, mustFail: true) : try expect(&cursor, isNot: true)
    }

    private func kind(_ first: RawWord, _ rest: ArraySlice<RawWord>) throws(Diagnostic) -> Statement.Kind {
        guard let name = first.plain, let definition = StatementDefinition.statement(named: name) else {
            throw UnknownStatement.diagnostic(first)
        }
        var cursor = WordCursor(definition, first, rest)
        if let kind = try looking(name, &cursor) { return kind }
        if let kind = try declaring(name, &cursor) { return kind }
        let kind = try acting(name, &cursor)
        try cursor.end()
        return kind
    }

    private func looking(_ name: String, _ cursor: inout WordCursor) throws(Diagnostic) -> Statement.Kind? {
        switch name {
        case "await": try awaiting(&cursor)
        case "expect": try expect(&cursor, isNot: false)
        case "do": try helper(&cursor, mustFail: false)
        default: nil
        }
    }

    private func declaring(_ name: String, _ cursor: inout WordCursor) throws(Diagnostic) -> Statement.Kind? {
        switch name {
        case "app": return try app(&cursor)
        case "skip": return try skip(&cursor)
        case "set":
            let name = try variable("NAME", &cursor)
            let value = try cursor.next("VALUE").word
            try cursor.end("a VALUE with blanks stands in quotes")
            return .set(name: name, value)
        case "matrix":
            return .matrix(name: try variable("NAME", &cursor), try matrixValues(&cursor))
        case "time-scale":
            let factor = try Value<Factor>(cursor.next("N").word)
            try cursor.end()
            return .timeScale(factor)
        default: return nil
        }
    }

    private func acting(_ name: String, _ cursor: inout WordCursor) throws(Diagnostic) -> Statement.Kind {
        switch name {
        case "launch": return .launch
        case "home": return .home
        case "open": return .open
        case "sleep":
            try cursor.end(UnknownStatement.passingTime)
            return .sleep
        case "interrupt": return .interrupt
        case "dismiss": return .dismiss
        case "quit": return .quit
        case "reclaim": return .reclaim
        case "kill-supervisor": return .killSupervisor
        case "wake":
            let (name, info) = try posted(&cursor)
            return .wake(name: name, info: info)
        case "post":
            let (name, info) = try posted(&cursor)
            return .post(name: name, info: info)
        case "pressure":
            let level = try cursor.next("LEVEL")
            try WordCursor.check(level, "level", among: Vocabulary.pressureLevels)
            return .pressure(level: level.word)
        case "warn":
            guard !cursor.isAtEnd else { return .warn(level: nil) }
            let level = try cursor.next("LEVEL")
            try WordCursor.check(level, "level", among: Vocabulary.warningLevels)
            return .warn(level: level.word)
        case "advance": return .advance(try Value(cursor.next("D").word))
        case "send":
            let text = try cursor.next("TEXT").word
            try cursor.end("a TEXT with blanks stands in quotes")
            return .send(text)
        case "key": return .key(try cursor.all("a KEY").map(\.word))
        default: throw UnknownStatement.diagnostic(cursor.keyword)
        }
    }

    // Declarations.

    private func app(_ cursor: inout WordCursor) throws(Diagnostic) -> Statement.Kind {
        let words = try cursor.all("COMMAND")
        var command = words[...]
        var options: ArraySlice<RawWord> = []
        if StatementReader.isOption(words[0]) {
            guard let end = words.firstIndex(where: { $0.word.constant == "--" }) else {
                throw Diagnostic(
                    at: words[0].position,
                    "-- is missing between the options of run and the command; it is written: "
                        + cursor.definition.synopsis)
            }
            options = words[..<end]
            command = words[(end + 1)...]
        }
        guard !command.isEmpty else { throw cursor.missing("COMMAND") }
        for option in options { try StatementReader.checkOption(option) }
        try StatementReader.checkCommand(options)
        try StatementReader.checkCommand(command)
        return .app(options: options.map(\.word), command: command.map(\.word))
    }

    /// What of run's options the scenario itself sees to.
    private static func checkOption(_ option: RawWord) throws(Diagnostic) {
        guard let name = option.plain?.split(separator: "=").first, let told = Vocabulary.ownOptions[String(name)]
        else {
            return
        }
        throw Diagnostic(at: option.position, told)
    }

    private static func isOption(_ word: RawWord) -> Bool {
        guard case .text(let text) = word.word.parts.first else { return false }
        return text.utf8.first == UInt8(ascii: "-")
    }

    private func skip(_ cursor: inout WordCursor) throws(Diagnostic) -> Statement.Kind {
        let word = try cursor.next("unless")
        guard word.plain == "unless" else {
            throw Diagnostic(
                at: word.position,
                "after `skip` stands `unless`, not \"\(word.shown)\"; it is written: "
                    + cursor.definition.synopsis)
        }
        let command = try cursor.all("COMMAND")
        try StatementReader.checkCommand(command[...])
        return .skipUnless(command.map(\.word))
    }

    private func variable(_ name: String, _ cursor: inout WordCursor) throws(Diagnostic) -> String {
        if let text = cursor.rest.first?.word.constant, let equals = text.firstIndex(of: "="), cursor.rest.count == 1,
            let position = cursor.rest.first?.position, Name.isName(String(text[..<equals]))
        {
            throw Diagnostic(
                at: position, "a blank stands between NAME and VALUE; it is written: \(cursor.definition.synopsis)")
        }
        return try cursor.variable(name)
    }

    // Commands.

    private func helper(_ cursor: inout WordCursor, mustFail: Bool) throws(Diagnostic) -> Statement.Kind {
        var words = try cursor.all("COMMAND")[...]
        var isBeside = false
        if let last = words.last, last.plain == "&" {
            guard !mustFail else {
                throw Diagnostic(
                    at: last.position, "`! do` waits for how the command ends, and & doesn't; leave one away")
            }
            isBeside = true
            words.removeLast()
        }
        guard !words.isEmpty else { throw cursor.missing("COMMAND") }
        try StatementReader.checkCommand(words)
        return .run(Statement.Helper(words.map(\.word), mustFail: mustFail, isBeside: isBeside))
    }

    /// Commands are run without a shell: what only a shell understands would be handed to the command as it stands.
    private static func checkCommand(_ words: ArraySlice<RawWord>) throws(Diagnostic) {
        guard let syntax = words.lazy.compactMap(\.shellSyntax).first else { return }
        throw Diagnostic(
            at: syntax.position,
            "\(syntax.text) needs a shell, and commands are run without one; write do sh -c '…', or quote the word")
    }

    // Events.

    private func posted(_ cursor: inout WordCursor) throws(Diagnostic) -> (name: Word, info: [Word]) {
        let name = try cursor.next("NAME")
        try StatementReader.checkEventName(name)
        if let text = name.word.constant, Vocabulary.lifecycleEvents.contains(text) {
            throw Diagnostic(
                at: name.position,
                "\(text) is an event of the lifecycle; only Curfew delivers it, so yours needs another name")
        }
        let pairs = cursor.remaining()
        for pair in pairs { try StatementReader.checkPair(pair) }
        if pairs.count > Vocabulary.maximumPairs {
            let first = pairs[Vocabulary.maximumPairs]
            throw Diagnostic(
                at: first.position,
                "\"\(first.shown)\" is one too many: an event carries \(Vocabulary.maximumPairs) pairs at most")
        }
        return (name.word, pairs.map(\.word))
    }

    static func checkEventName(_ word: RawWord) throws(Diagnostic) {
        guard let text = word.word.constant, !Vocabulary.isEventName(text) else { return }
        throw Diagnostic(
            at: word.position,
            "\"\(text)\" isn't an event's name: letters, digits, - _ and . (first a letter), 64 at most")
    }

    /// `KEY=VALUE`; where KEY has a variable in it, it shows once that has a value.
    static func checkPair(_ word: RawWord) throws(Diagnostic) {
        guard let first = word.word.parts.first, case .text(let text) = first else {
            if word.word.parts.isEmpty { throw notPair(word) }
            return
        }
        guard let equals = text.firstIndex(of: "=") else {
            if word.word.parts.count == 1 { throw notPair(word) }
            return
        }
        let key = String(text[..<equals])
        guard Vocabulary.isEventName(key) else {
            throw Diagnostic(
                at: word.position, "\"\(key)\" isn't a KEY: letters, digits, - _ and . (first a letter), 64 at most")
        }
    }

    private static func notPair(_ word: RawWord) -> Diagnostic {
        Diagnostic(at: word.position, "\"\(word.shown)\" isn't KEY=VALUE, such as reason=nightly")
    }

    /// Known before anything runs: `--list` and shards are made of them.
    private func matrixValues(_ cursor: inout WordCursor) throws(Diagnostic) -> [Word] {
        var known: Set<String> = []
        return try cursor.all("a VALUE").map { word throws(Diagnostic) in
            guard let text = word.word.constant else {
                throw Diagnostic(at: word.position, "a matrix's VALUE has no variables")
            }
            guard known.insert(text).inserted else {
                throw Diagnostic(at: word.position, "the matrix has \"\(text)\" already")
            }
            return word.word
        }
    }

    // Looking.

    private func awaiting(_ cursor: inout WordCursor) throws(Diagnostic) -> Statement.Kind {
        var words = cursor.remaining()[...]
        var deadline: Value<Duration>?
        if let last = words.last, last.plain == "within" {
            throw Diagnostic(
                at: last.position, "D is missing after `within`; it is written: \(cursor.definition.synopsis)")
        }
        if words.count >= 2, words[words.endIndex - 2].plain == "within", let last = words.last {
            deadline = try Value(last.word)
            words.removeLast(2)
        }
        let condition = try self.condition(words, of: cursor)
        if case .silence(.known(let span, let word)) = condition, case .known(let limit, _)? = deadline,
            span.nanoseconds > limit.nanoseconds
        {
            throw Diagnostic(at: word.position, "that silence is longer than its deadline")
        }
        return .await(condition, within: deadline)
    }

    private func expect(_ cursor: inout WordCursor, isNot: Bool) throws(Diagnostic) -> Statement.Kind {
        let words = cursor.remaining()[...]
        if words.count >= 2, words[words.endIndex - 2].plain == "within" || words.last?.plain == "within" {
            let within = words[words.endIndex - (words.last?.plain == "within" ? 1 : 2)]
            throw Diagnostic(
                at: within.position, "`expect` looks at once and has no deadline; `await CONDITION within D` waits")
        }
        let condition = try self.condition(words, of: cursor)
        guard isNot else { return .expect(condition) }
        if case .output(let pattern, let names) = condition, !names.isEmpty {
            throw Diagnostic(at: pattern.word.position, "`! expect` finds nothing that `as` could name")
        }
        return .expectNot(condition)
    }

    private func condition(
        _ words: ArraySlice<RawWord>, of cursor: WordCursor
    ) throws(Diagnostic) -> Condition {
        guard let keyword = words.first else { throw cursor.missing("CONDITION") }
        return try ConditionReader(statement: cursor.definition.name).read(keyword, words.dropFirst())
    }
}
