/// What is said of a line that begins with no statement.
enum UnknownStatement {
    static func diagnostic(_ word: RawWord) -> Diagnostic {
        if let message = message(word) { return Diagnostic(at: word.position, message) }
        let text = word.plain ?? ""
        return Choice.unknown("statement", word, text, among: names, hint: "a command is run by: do \(text)")
    }

    private static var names: [String] { StatementDefinition.statements.map(\.name) }

    /// The statement that it was probably meant to be.
    static func meant(_ word: RawWord) -> String? {
        guard let text = word.plain else { return nil }
        return names.contains(text) ? text : Choice.nearest(to: text, among: names)
    }

    /// Where more is known of it than that it is none.
    private static func message(_ word: RawWord) -> String? {
        guard let text = word.plain else {
            return "a statement begins with a plain word, without quotes and variables; it is \(word.raw) here"
        }
        if let hint = hints[text] { return "there is no statement \"\(text)\": \(hint)" }
        if text.hasPrefix("!") { return "a blank stands between ! and what it denies, as in: ! expect state active" }
        if text.hasSuffix(";"), names.contains(String(text.dropLast())) || text == ";" {
            return "one statement a line; there is no ;"
        }
        return nil
    }

    /// Said of a time behind `sleep`, as other languages have it.
    static let passingTime =
        "to look on for a time write `expect silence D`, to wait for something `await CONDITION`, to let time pass for the app `advance D`"

    /// What people try, and what they want then.
    private static let hints = [
        "run":
            "`app OPTIONS -- COMMAND` says what is tested and `launch` starts it; another command is run by `do COMMAND`",
        "wait": "write `await CONDITION` to wait for something, `await exit N` for the app's end",
        "exec": "a command is run by `do COMMAND`, what is tested is named by `app`",
        "sh": "a shell is run by `do sh -c '…'`",
        "bash": "a shell is run by `do bash -c '…'`",
        "curfew": "its verbs are statements: `home`, not `curfew home`",
        "kill": "write `quit`, `reclaim`, or `do kill …` for a signal of your own",
        "assert": "write `expect CONDITION`",
        "check": "write `expect CONDITION`",
        "suspend": "write `home`, then `await state suspended`; `sleep` stops it in front",
        "resume": "write `open`",
        "foreground": "write `open`",
        "background": "write `home`",
        "state": "it is a condition; write `expect state STATE` or `await state STATE`",
        "event": "it is a condition; write `expect event NAME` or `await event NAME`",
        "events": "it is a condition; write `expect events NAME…` or `await events NAME…`",
        "output": "it is a condition; write `expect output REGEX` or `await output REGEX`",
    ]
}
