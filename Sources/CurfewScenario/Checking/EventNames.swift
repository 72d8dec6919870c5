/// Finds names of events that are nearly the lifecycle's: whoever waits for a slip waits in vain.
enum EventNames {
    static func warnings(_ scenarios: [Scenario]) -> [Diagnostic] {
        scenarios.flatMap { scenario in
            let kinds = (scenario.statements + scenario.after).map(\.kind)
            let posted = Set(kinds.flatMap(posted).map(\.constant))
            // One that a variable names may be any.
            if posted.contains(nil) { return [Diagnostic]() }
            return kinds.flatMap(heard).filter { !posted.contains($0.constant) }.compactMap(warning)
        }
    }

    /// What may name an event that somebody posts.
    private static func posted(_ kind: Statement.Kind) -> [Word] {
        switch kind {
        case .wake(let name, _), .post(let name, _): [name]
        case .app(let options, _): options
        default: []
        }
    }

    private static func heard(_ kind: Statement.Kind) -> [Word] {
        switch kind.condition {
        case .event(let name, _): [name]
        case .events(let names): names
        default: []
        }
    }

    private static func warning(_ name: Word) -> Diagnostic? {
        let known = Vocabulary.lifecycleEvents + [Vocabulary.settingsEvent]
        let isRight = (known + Vocabulary.lookalikes).contains
        guard let text = name.constant, !isRight(text), let meant = Choice.nearest(to: text, among: known) else {
            return nil
        }
        return Diagnostic(
            .warning, at: name.position, "the lifecycle has no event \"\(text)\"; did you mean \"\(meant)\"?")
    }
}
