extension Statement.Kind {
    /// The statement's first word, as in the table of definitions.
    public var name: String {
        switch self {
        case .app: "app"
        case .timeScale: "time-scale"
        case .set: "set"
        case .matrix: "matrix"
        case .skipUnless: "skip"
        case .launch: "launch"
        case .home: "home"
        case .open: "open"
        case .sleep: "sleep"
        case .interrupt: "interrupt"
        case .dismiss: "dismiss"
        case .quit: "quit"
        case .reclaim: "reclaim"
        case .killSupervisor: "kill-supervisor"
        case .wake: "wake"
        case .post: "post"
        case .warn: "warn"
        case .pressure: "pressure"
        case .advance: "advance"
        case .run: "do"
        case .send: "send"
        case .key: "key"
        case .await: "await"
        case .expect, .expectNot: "expect"
        }
    }

    /// Whether events are counted from it on.
    public var actsOnApp: Bool { StatementDefinition.statement(named: name)?.actsOnApp ?? false }

    /// What it looks for, if it looks.
    public var condition: Condition? {
        switch self {
        case .await(let condition, _), .expect(let condition), .expectNot(let condition): condition
        default: nil
        }
    }

    /// Those of its words that variables may stand in, in their order.
    public var words: [Word] {
        switch self {
        case .app(let options, let command): options + command
        case .timeScale(let factor): [factor.word]
        case .set(_, let value): [value]
        case .matrix(_, let values): values
        case .skipUnless(let command): command
        case .launch, .home, .open, .sleep, .interrupt, .dismiss, .quit, .reclaim, .killSupervisor: []
        case .wake(let name, let info), .post(let name, let info): [name] + info
        case .pressure(let level): [level]
        case .warn(let level): level.map { [$0] } ?? []
        case .advance(let duration): [duration.word]
        case .run(let helper): helper.command
        case .send(let text): [text]
        case .key(let keys): keys
        case .await(let condition, let deadline): condition.words + (deadline.map { [$0.word] } ?? [])
        case .expect(let condition), .expectNot(let condition): condition.words
        }
    }
}

extension Condition {
    /// Those of its words that variables may stand in, in their order.
    public var words: [Word] {
        switch self {
        case .state(let state): [state]
        case .event(let name, let info): [name] + info
        case .events(let names): names
        case .task(let name, _): [name]
        case .output(let pattern, _): [pattern.word]
        case .silence(let duration): [duration.word]
        case .exit(let status): [status.word]
        case .killed(let reason): [reason]
        case .pid: []
        case .file(let path, .contains(let pattern)): [path, pattern.word]
        case .file(let path, _): [path]
        case .amount(_, _, let value): [value]
        }
    }

    /// The names that it gives a value to.
    public var names: [String] {
        if case .output(_, let names) = self { names } else { [] }
    }
}

extension Word {
    /// The variables in it, in their order.
    public var variables: [(name: String, position: Position)] {
        parts.compactMap { if case .variable(let name, let position) = $0 { (name, position) } else { nil } }
    }
}
