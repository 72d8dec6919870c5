import CurfewWire

/// Lays the model out for a screen of some size.
public struct TopScreen: Sendable {
    public let columns: Int
    public let rows: Int
    /// False where only ASCII can be shown.
    public let isUnicode: Bool

    public init(columns: Int, rows: Int, isUnicode: Bool) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.isUnicode = isUnicode
    }

    // MARK: How many lines for what

    private var headerRows: Int { rows >= 12 ? 2 : rows >= 6 ? 1 : 0 }
    private var titleRows: Int { rows >= 4 ? 1 : 0 }
    private var detailRows: Int { rows >= 16 ? 4 : 0 }
    private var lastRows: Int { rows >= 2 ? 1 : 0 }

    /// For how many apps there is room.
    public var listRows: Int { rows - headerRows - titleRows - detailRows - lastRows }

    /// Exactly `rows` lines. The model is settled for `listRows`.
    public func lines(of model: TopModel, at now: Int64) -> [ScreenLine] {
        if case .help(let first) = model.mode { return help(from: first) }
        var lines = Array(header(model).prefix(headerRows))
        let layout = Column.layout(columns: columns - 1, longestName: longestName(model))
        if titleRows > 0 { lines.append(title(layout)) }
        let list = model.listed.isEmpty ? emptyList(model) : model.onScreen.map { row($0, layout, model, now) }
        lines += padded(list, to: listRows)
        if detailRows > 0 { lines += padded(details(model, now), to: detailRows) }
        let last = lastLine(model)
        if lastRows > 0 {
            lines.append(last)
        } else if model.message != nil || model.mode != .list {
            lines = [last]
        }
        return lines
    }

    /// When something on it is next told otherwise by the clock alone; nil: nothing is.
    public func nextChange(of model: TopModel, at now: Int64) -> Int64? {
        var moments = model.onScreen.filter { $0.state != nil }.map { app in
            app.stateBegan + ShortText.nextChange(ofAge: now - app.stateBegan)
        }
        if model.onScreen.contains(where: { $0.budget?.isRunning == true }) { moments.append(now + 1_000_000_000) }
        return moments.min()
    }

    private func padded(_ lines: [ScreenLine], to count: Int) -> [ScreenLine] {
        lines.prefix(count) + Array(repeating: ScreenLine(), count: max(0, count - lines.count))
    }

    private func cut(_ text: String) -> String { CellText.cut(text, to: columns, isUnicode: isUnicode).text }

    /// The first that fits as it is; the last, cut, where none does.
    private func fitting(_ texts: [String]) -> String {
        texts.first { CellText.width(CellText.cells($0, isUnicode: isUnicode)) <= columns } ?? cut(texts.last ?? "")
    }

    // MARK: The head

    private func header(_ model: TopModel) -> [ScreenLine] {
        [ScreenLine(counts(model), .bold), memory(model)]
    }

    private func counts(_ model: TopModel) -> String {
        func count(_ condition: (TopApp) -> Bool) -> Int { model.all.count(where: condition) }
        let kinds = [
            (count { $0.state?.isForeground == true }, "in front"),
            (count { $0.state == .background }, "in background"),
            (count { $0.state == .suspended && !$0.isAsleep }, "suspended"), (count(\.isAsleep), "asleep"),
            (count { $0.state == .notRunning }, "not running"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let stopped = count { $0.state == .suspended || $0.state == .notRunning }
        let running = (count { $0.state?.isForeground == true }, count { $0.state == .background })
        let short = "\(running.0) front, \(running.1) back, \(stopped) stopped"
        let apps = model.count == 1 ? "1 app" : "\(model.count) apps"
        let sum = kinds.isEmpty ? apps : "\(apps): \(kinds.joined(separator: ", "))"
        let shown = model.filter.isEmpty ? "" : "; \(model.listed.count) match \"\(model.filter)\""
        return fitting([sum + shown, "\(apps): \(short)\(shown)", apps + shown])
    }

    private func memory(_ model: TopModel) -> ScreenLine {
        guard let machine = model.machine else { return ScreenLine(cut("the machine's memory can't be read"), .faint) }
        let sizes = [machine.available, machine.total].map(HumanText.size)
        let room = "memory: \(sizes[0]) of \(sizes[1]) available"
        let level = pressure(model)
        let words = [level.map { "pressure \($0)" }, machine.stalled.map(Self.stalled)].compactMap { $0 }
        let style: TextStyle = level == "critical" ? .bad : level == "warning" ? .warning : .plain
        let texts = (0...words.count).reversed().map { ([room] + words.prefix($0)).joined(separator: "; ") }
        return ScreenLine(fitting(texts), style)
    }

    private static func stalled(_ hundredths: Int) -> String {
        if hundredths == 0 { return "no program waits for it" }
        return "waited for \(HumanText.percent(Int64(hundredths), of: 10_000)) of the time"
    }

    /// The worst that any supervisor has seen.
    private func pressure(_ model: TopModel) -> String? {
        let levels = Set(model.all.map(\.pressure))
        return ["critical", "warning", "normal"].first(where: levels.contains)
    }

    // MARK: The list

    private func longestName(_ model: TopModel) -> Int {
        model.listed.map { CellText.width(CellText.cells($0.name, isUnicode: isUnicode)) }.max() ?? 0
    }

    private func title(_ layout: [(column: Column, width: Int)]) -> ScreenLine {
        let titles = layout.map { column, width in
            CellText.fitted(column.title(in: width), to: width, isUnicode: isUnicode, isNumber: column.isNumber)
        }
        return ScreenLine(cut(" " + titles.joined(separator: blanks(Column.gap))), .faint)
    }

    private func row(
        _ app: TopApp, _ layout: [(column: Column, width: Int)], _ model: TopModel, _ now: Int64
    ) -> ScreenLine {
        let isSelected = app.name == model.selected
        let content = CellContent(app: app, now: now, isUnicode: isUnicode)
        var line = ScreenLine(isSelected ? ">" : " ")
        for (index, (column, width)) in layout.enumerated() {
            if index > 0 { line.add(blanks(Column.gap)) }
            let part = content.part(column, width: width)
            line.add(part.text, part.style)
        }
        return isSelected ? line.styled(.reverse) : line
    }

    private func emptyList(_ model: TopModel) -> [ScreenLine] {
        let texts =
            model.filter.isEmpty
            ? withoutApps(model)
            : [
                "No app has \"\(model.filter)\" in its name, state or command; Esc shows all.",
                "None match; Esc shows all.",
            ]
        return [ScreenLine(fitting(texts))]
    }

    private func withoutApps(_ model: TopModel) -> [String] {
        let word = "No app is running."
        if model.servers.isEmpty {
            return ["No app is running; `curfew run -- COMMAND` starts one, and it shows here.", word]
        }
        let names = model.servers.joined(separator: ", ")
        let sentence = model.servers.count == 1 ? "The server \(names) has no app" : "The servers \(names) have no app"
        return ["\(sentence); `curfew launch -- COMMAND` starts one.", sentence + ".", word]
    }

    private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

    // MARK: Below it

    private func details(_ model: TopModel, _ now: Int64) -> [ScreenLine] {
        guard let app = model.selectedApp else { return [] }
        let lines = AppWords(app: app, now: now).lines
        return [ScreenLine()] + lines.enumerated().map { ScreenLine(cut($1), $0 == 0 ? .bold : .plain) }
    }

    private func lastLine(_ model: TopModel) -> ScreenLine {
        switch model.mode {
        case .filtering:
            let typed = "Filter: \(model.filter)_"
            return ScreenLine(fitting([typed + "   Enter keeps it, Esc shows all", typed]), .bold)
        case .confirming(let request):
            return ScreenLine(
                fitting([
                    "End \(request.app), and all that it has started? y ends it, any other key leaves it alone",
                    "End \(request.app)? y ends it, any other key doesn't", "y ends \(request.app)",
                ]), .warning)
        case .list, .help:
            if let message = model.message { return ScreenLine(cut(message), .bold) }
            return ScreenLine(fitting(Self.hints(model)), .faint)
        }
    }

    private static func hints(_ model: TopModel) -> [String] {
        let keys = "h home  o open  w warn  Q quit  s sort  / filter  ? help  q leave"
        return [
            keys + (model.filter.isEmpty ? "" : "  Esc all") + "   by \(model.sort.rawValue)", keys,
            "h home  o open  Q quit  ? help  q leave", "? help  q leave", "?",
        ]
    }

    // MARK: Help

    private func help(from first: Int) -> [ScreenLine] {
        let room = max(1, rows - 1)
        let start = max(0, min(first, HelpPage.lines.count - room))
        let shown = HelpPage.lines.dropFirst(start).prefix(room).map { key, meaning in
            ScreenLine(cut(CellText.fitted(key, to: 13, isUnicode: isUnicode) + meaning))
        }
        let isWhole = HelpPage.lines.count <= room
        let last = isWhole ? "any key goes back" : "down, up: more; any other key goes back"
        return rows == 1 ? shown : padded(shown, to: room) + [ScreenLine(cut(last), .faint)]
    }
}
