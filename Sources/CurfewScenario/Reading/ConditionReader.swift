import CurfewWire

/// Makes a condition of the words behind `await` and `expect`.
struct ConditionReader {
    /// `await` or `expect`.
    let statement: String

    func read(_ keyword: RawWord, _ rest: ArraySlice<RawWord>) throws(Diagnostic) -> Condition {
        guard let name = keyword.plain, let definition = StatementDefinition.condition(named: name) else {
            throw unknown(keyword)
        }
        var cursor = WordCursor(definition, keyword, rest)
        let condition = try condition(name, &cursor)
        try cursor.end(hint(cursor, name))
        return condition
    }

    /// What a word too many may have been meant for.
    private func hint(_ cursor: WordCursor, _ name: String) -> String {
        guard let word = cursor.rest.first else { return "" }
        if statement == "await", let text = word.plain {
            if TimeSpan.parse(text) != nil { return "a deadline is written: within \(text)" }
            if Choice.nearest(to: text, among: ["within"]) != nil { return "did you mean \"within\"?" }
        }
        return name == "output" || name == "file" ? "a REGEX with blanks stands in quotes" : ""
    }

    private func unknown(_ keyword: RawWord) -> Diagnostic {
        let known = StatementDefinition.conditions.map(\.name)
        guard let text = keyword.plain else {
            return Diagnostic(
                at: keyword.position, "a condition begins with a plain word", accepted: AcceptedWords(known))
        }
        if text == "not" || text == "!" {
            return Diagnostic(at: keyword.position, "what doesn't hold is written: ! expect CONDITION")
        }
        if let quantity = Condition.Quantity.allCases.first(where: { text.hasPrefix($0.rawValue) }),
            let next = text.dropFirst(quantity.rawValue.count).first, "<=>".contains(next)
        {
            return Diagnostic(
                at: keyword.position,
                "OP and VALUE are words of their own; it is written: \(quantity.rawValue) OP VALUE")
        }
        if text == "foreground" { return foreground(keyword) }
        if Vocabulary.states.contains(text) {
            return Diagnostic(
                at: keyword.position, "there is no condition \"\(text)\"; did you mean \"state \(text)\"?")
        }
        if Vocabulary.lifecycleEvents.contains(text) {
            return Diagnostic(
                at: keyword.position, "there is no condition \"\(text)\"; did you mean \"event \(text)\"?")
        }
        return Choice.unknown("condition", keyword, text, among: known)
    }

    private func condition(_ name: String, _ cursor: inout WordCursor) throws(Diagnostic) -> Condition {
        switch name {
        case "state": return .state(try state(&cursor))
        case "event":
            let name = try cursor.next("NAME")
            try StatementReader.checkEventName(name)
            let pairs = cursor.remaining()
            for pair in pairs { try StatementReader.checkPair(pair) }
            return .event(name: name.word, info: pairs.map(\.word))
        case "events":
            let names = try cursor.all("a NAME")
            for name in names { try StatementReader.checkEventName(name) }
            return .events(names.map(\.word))
        case "task":
            let name = try cursor.next("NAME").word
            return .task(name: name, isOpen: try either("open", "ended", &cursor))
        case "output": return try output(&cursor)
        case "silence": return .silence(try Value(cursor.next("D").word))
        case "exit": return .exit(try status(&cursor))
        case "killed":
            let reason = try cursor.next("REASON")
            try WordCursor.check(reason, "reason", among: Vocabulary.killReasons)
            return .killed(reason: reason.word)
        case "pid": return .pid(isChanged: try either("changed", "same", &cursor))
        case "file": return .file(try cursor.next("PATH").word, try fileTest(&cursor))
        default:
            guard let quantity = Condition.Quantity(rawValue: name) else { throw unknown(cursor.keyword) }
            return try amount(quantity, &cursor)
        }
    }

    private func foreground(_ word: RawWord) -> Diagnostic {
        Diagnostic(at: word.position, "the foreground is two states; write `state active` or `state inactive`")
    }

    private func state(_ cursor: inout WordCursor) throws(Diagnostic) -> Word {
        let state = try cursor.next("STATE")
        if state.word.constant == "foreground" { throw foreground(state) }
        try WordCursor.check(state, "state", among: Vocabulary.states)
        return state.word
    }

    private func output(_ cursor: inout WordCursor) throws(Diagnostic) -> Condition {
        let word = try cursor.next("REGEX")
        let pattern = try pattern(word)
        guard let next = cursor.rest.first, next.plain == "as" else { return .output(pattern, names: []) }
        _ = try cursor.next("as")
        guard !cursor.isAtEnd else { throw cursor.missing("a NAME after `as`") }
        var names: [String] = []
        while let next = cursor.rest.first {
            let name = try cursor.variable("NAME")
            guard !names.contains(name) else { throw Diagnostic(at: next.position, "$\(name) is named twice") }
            names.append(name)
        }
        if case .known(let known, _) = pattern, let groups = known.groupCount, groups < names.count {
            throw Diagnostic(
                at: word.position,
                "\"\(known.text)\" has no group for $\(names[groups]); what ( and ) enclose is one")
        }
        return .output(pattern, names: names)
    }

    private func pattern(_ word: RawWord) throws(Diagnostic) -> Value<Pattern> {
        if let (letter, position) = word.escapedLetter {
            throw Diagnostic(
                at: position,
                "outside quotes \\\(letter) is no more than \(letter), as in sh; a REGEX with \\ stands in '…'")
        }
        return try Value(word.word)
    }

    private func status(_ cursor: inout WordCursor) throws(Diagnostic) -> Value<Amount> {
        let word = try cursor.next("N").word
        let status = try Value<Amount>(word)
        if case .known(let amount, _) = status, amount.value > 255 {
            throw Diagnostic(at: word.position, "\(amount.value) isn't an exit status, 0 to 255")
        }
        return status
    }

    private func fileTest(_ cursor: inout WordCursor) throws(Diagnostic) -> Condition.FileTest {
        let word = try cursor.next("exists, absent or contains REGEX")
        switch word.word.constant {
        case "exists": return .exists
        case "absent": return .absent
        case "contains": return .contains(try pattern(cursor.next("REGEX")))
        default: throw misplaced(word, ["exists", "absent", "contains"], cursor)
        }
    }

    private func amount(
        _ quantity: Condition.Quantity, _ cursor: inout WordCursor
    ) throws(Diagnostic) -> Condition {
        let word = try cursor.next("OP")
        guard let text = word.word.constant, let comparison = Condition.Comparison(rawValue: text) else {
            throw misplaced(word, Condition.Comparison.allCases.map(\.rawValue), cursor)
        }
        let value = try cursor.next("VALUE").word
        if let text = value.constant { _ = try quantity.read(text, at: value.position) }
        return .amount(quantity, comparison, value)
    }

    /// Whether it is the first of two words.
    private func either(_ first: String, _ second: String, _ cursor: inout WordCursor) throws(Diagnostic) -> Bool {
        let word = try cursor.next("\(first) or \(second)")
        if word.word.constant == first { return true }
        guard word.word.constant == second else { throw misplaced(word, [first, second], cursor) }
        return false
    }

    private func misplaced(_ word: RawWord, _ accepted: [String], _ cursor: WordCursor) -> Diagnostic {
        let meant = Choice.nearest(to: word.shown, among: accepted).map { "; did you mean \"\($0)\"?" } ?? ";"
        let synopsis = cursor.definition.synopsis
        // OP stands for several words.
        let words = accepted.allSatisfy(synopsis.contains) ? "" : " accepted: \(accepted.joined(separator: ", "));"
        return Diagnostic(
            at: word.position, "\"\(word.shown)\" isn't accepted here\(meant)\(words) it is written: \(synopsis)")
    }
}
