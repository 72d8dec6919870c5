/// Finds words of `key` that are nearly a key's name: they are typed as they stand.
enum KeyNames {
    static func warnings(_ scenarios: [Scenario]) -> [Diagnostic] {
        scenarios.flatMap { scenario in
            (scenario.statements + scenario.after).flatMap { statement -> [Diagnostic] in
                guard case .key(let words) = statement.kind else { return [] }
                return words.compactMap(warning)
            }
        }
    }

    /// Other programs' names for them.
    private static let others = [
        "Return": "Enter", "CR": "Enter", "Esc": "Escape", "Backspace": "BSpace", "Del": "Delete", "PgUp": "PageUp",
        "PgDn": "PageDown",
    ]

    private static func warning(_ word: Word) -> Diagnostic? {
        guard let text = word.constant, !Vocabulary.keys.contains(text) else { return nil }
        // A word of somebody's text, as `end`, isn't one.
        let isName = text.first?.isUppercase == true && text.count > 2
        guard let meant = others[text] ?? (isName ? Choice.nearest(to: text, among: Vocabulary.keys) : nil) else {
            return nil
        }
        return Diagnostic(
            .warning, at: word.position,
            "there is no key \"\(text)\", so its letters are typed; did you mean \"\(meant)\"?")
    }
}
