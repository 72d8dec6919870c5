/// What stands in a column for an app.
struct CellContent {
    let app: TopApp
    let now: Int64
    let isUnicode: Bool

    func part(_ column: Column, width: Int) -> StyledText {
        if column == .budget { return budget(width: width) }
        let (text, style) = content(column)
        return StyledText(
            text: CellText.fitted(text, to: width, isUnicode: isUnicode, isNumber: column.isNumber), style: style)
    }

    private func content(_ column: Column) -> (String, TextStyle) {
        switch column {
        case .name: (app.name, .bold)
        case .state: (app.stateWord, stateStyle)
        case .age: (app.state == nil ? "" : ShortText.age(now - app.stateBegan), .plain)
        case .budget: ("", .plain)
        case .tasks: (app.tasks.isEmpty ? "" : "\(app.tasks.count)", .plain)
        case .memory: memory
        case .cpu: (app.cpu.permille.map(ShortText.percent) ?? "", .plain)
        case .notes: (AppWords(app: app, now: now).note, .plain)
        case .command: (app["command"], .faint)
        }
    }

    private var stateStyle: TextStyle {
        switch app.state {
        case .active, .inactive: .good
        case .background: .warning
        case .suspended, .notRunning, nil: .faint
        }
    }

    private var memory: (String, TextStyle) {
        guard app.state != .notRunning, app.footprint > 0 || app.memoryLimit != nil else { return ("", .plain) }
        let used = ShortText.size(app.footprint)
        guard let limit = app.memoryLimit, limit > 0 else { return (used, .plain) }
        let share = Double(app.footprint) / Double(limit)
        return ("\(used)/\(ShortText.size(limit))", share >= 0.95 ? .bad : share >= 0.8 ? .warning : .plain)
    }

    /// In background what is left of it; of what is stopped, what wakes it.
    private func budget(width: Int) -> StyledText {
        func text(_ words: String, _ style: TextStyle = .plain) -> StyledText {
            StyledText(text: CellText.fitted(words, to: width, isUnicode: isUnicode), style: style)
        }
        switch app.state {
        case .suspended: return text(wakes)
        case .background:
            guard let clock = app.budget else { return text("") }
            if clock.isUnlimited || app.isContinuous { return text("unlimited") }
            let left = clock.left(at: now)
            let words = ShortText.left(left)
            let room = width - 7
            let bar = BudgetBar.text(left: left, of: clock.whole, width: room, isUnicode: isUnicode)
            return StyledText(
                text: bar + CellText.fitted(words, to: 7, isUnicode: isUnicode, isNumber: true),
                style: BudgetBar.style(left: left, of: clock.whole))
        case .active, .inactive, .notRunning, nil: return text("")
        }
    }

    private var wakes: String {
        if app.sleep == .untilOpened { return "being opened" }
        if !app.wakeOn.isEmpty, app.wakeOn != "none" { return app.wakeOn }
        return app.isAsleep ? "being opened" : ""
    }
}
