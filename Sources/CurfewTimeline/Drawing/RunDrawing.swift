import CurfewWire

/// One run in the picture: what it is called and how it ended, then a lane for each thing that is known of it.
struct RunDrawing {
    private let run: AppRun
    private let scale: TimeScale

    init(_ run: AppRun, _ scale: TimeScale) {
        self.run = run
        self.scale = scale
    }

    private static let bandHeight = 28.0
    private static let taskHeight = 16.0
    private static let taskRows = 10
    private static let lineHeight = 64.0
    /// So many are seen at a glance: what isn't named needn't be counted.
    private static let fewMarks = 60
    /// So many samples are shown as such; what lies between two is only supposed.
    private static let fewSamples = 60
    private static let gap = 8.0

    /// Writes it from `y` on; where it ends.
    func write(into body: inout Markup, at y: Double) -> Double {
        var y = writeHeading(&body, y)
        let top = y
        var lanes = Markup()
        var lines = Markup()
        var backs = Markup()
        y = writeBands(&lanes, y) + Self.gap
        y = writeTasks(&lanes, y)
        y = writeMarks(&lanes, y)
        for lane in [budgetLane, memoryLane, cpuLane] where !lane.lines.isEmpty {
            backs.rectangle(x: scale.left, y: y, width: scale.width, height: Self.lineHeight, kind: "lane")
            y = writeLine(&lines, y, lane)
        }
        y -= Self.gap
        body.raw(backs.text)
        for tick in scale.ticks { body.path([(scale.x(tick.time), top), (scale.x(tick.time), y)], kind: "grid") }
        body.raw(lanes.text + lines.text)
        writeEnd(&body, top, y)
        return y
    }

    // MARK: Words

    private func writeHeading(_ body: inout Markup, _ start: Double) -> Double {
        var y = start + 12
        body.label(TextWidth.cut(run.name, to: 900, per: 9), x: SVGPicture.margin, y: y, kind: "name")
        let isKilled = run.end.map { !$0.reason.isEmpty } ?? false
        let width = SVGPicture.width - 2 * SVGPicture.margin
        for line in TextWidth.wrapped(RunText.outcome(run), to: width, lines: 3) {
            y += 17
            body.label(line, x: SVGPicture.margin, y: y, kind: isKilled ? "bad" : "")
        }
        let facts = RunText.facts(run)
        if !facts.isEmpty {
            y += 16
            let shown = TextWidth.cut(facts, to: width)
            body.label(shown, x: SVGPicture.margin, y: y, kind: "small soft", title: shown == facts ? "" : facts)
        }
        return y + (run.end == nil ? 10 : 24)
    }

    private func name(_ body: inout Markup, _ words: String, _ y: Double) {
        body.label(words, x: scale.left - 10, y: y, kind: "soft", anchor: "end")
    }

    // MARK: States

    private func writeBands(_ body: inout Markup, _ y: Double) -> Double {
        name(&body, "state", y + 18)
        let columns = BandColumns(run.drawnBands, scale).columns
        for column in columns where !column.isSliver { writeColumn(&body, y, column) }
        // Seen, though short.
        for column in columns where column.isSliver { writeColumn(&body, y, column) }
        return y + Self.bandHeight
    }

    private func writeColumn(_ body: inout Markup, _ y: Double, _ column: BandColumns.Column) {
        guard let first = column.bands.first, let last = column.bands.last else { return }
        if column.isSliver {
            body.rectangle(x: column.x, y: y, width: 1, height: Self.bandHeight, kind: "page")
        }
        guard column.bands.count > 1 else { return writeBand(&body, y, first, column) }
        let title = RunText.span("\(column.bands.count) states", first.from, last.to, since: scale.from)
        let shares = BandColumns.shares(column.bands)
        // Each is seen, however short.
        let room = Self.bandHeight - 2 * Double(shares.count)
        var top = y
        for share in shares {
            let height = 2 + room * share.share
            body.rectangle(
                x: column.x, y: top, width: max(1, column.width), height: height, kind: "band \(share.state) thin",
                title: title)
            top += height
        }
    }

    private func writeBand(_ body: inout Markup, _ y: Double, _ band: AppRun.Band, _ column: BandColumns.Column) {
        let (x, width) = (column.x, max(1, column.width))
        let title = RunText.span(band.state, band.from, band.to, since: scale.from)
        let state = Palette.known(band.state)
        let height = Self.bandHeight * Palette.height(of: state)
        let bottom = y + Self.bandHeight
        body.rectangle(
            x: x, y: bottom - height, width: width, height: height, kind: Self.thin("band \(state)", width),
            title: title)
        if Palette.hatched.contains(state) {
            body.rectangle(x: x, y: bottom - height, width: width, height: height, kind: "edge")
        }
        let word = TextWidth.of(state, per: 6.6) <= width - 10 ? state : ""
        if !word.isEmpty {
            body.label(word, x: x + 5, y: bottom - height / 2 + 4, kind: Palette.wordKind(on: state), title: title)
        }
    }

    /// An edge would leave nothing of what is narrow.
    private static func thin(_ kind: String, _ width: Double) -> String { width < 4 ? kind + " thin" : kind }

    // MARK: Tasks

    private func writeTasks(_ body: inout Markup, _ start: Double) -> Double {
        if run.tasks.isEmpty { return start }
        let rows = TaskRows.pack(run.tasks)
        name(&body, "tasks", start + 12)
        var reached: [Int: Double] = [:]
        var left = 0
        for (index, task) in run.tasks.enumerated() {
            let row = rows[index]
            // Of those that are narrower than a pixel one is drawn in each.
            guard row < Self.taskRows, scale.x(task.to) - (reached[row] ?? -1) >= 1 else {
                left += 1
                continue
            }
            reached[row] = scale.x(task.to)
            let next = run.tasks.indices.dropFirst(index + 1).first { rows[$0] == row }.map { run.tasks[$0].from }
            writeTask(&body, start + Double(row) * (Self.taskHeight + 2), task, next: next)
        }
        let count = min(Self.taskRows, (rows.max() ?? 0) + 1)
        var y = start + Double(count) * (Self.taskHeight + 2)
        if left > 0 {
            body.label("\(left) more tasks aren't drawn", x: scale.left, y: y + 10, kind: "small soft")
            y += 14
        }
        return y + Self.gap
    }

    private func writeTask(_ body: inout Markup, _ y: Double, _ task: AppRun.TaskBar, next: Int64?) {
        let x = scale.x(task.from)
        let width = max(1.5, scale.x(task.to) - x)
        let title = RunText.task(task, since: scale.from)
        body.rectangle(x: x, y: y, width: width, height: Self.taskHeight, kind: Self.thin("task", width), title: title)
        if task.outcome == .open { body.path([(x + width, y), (x + width, y + Self.taskHeight)], kind: "taskOpen") }
        let label = task.name.isEmpty ? "task \(task.number)" : task.name
        let inside = TextWidth.cut(label, to: width - 8)
        let beside = TextWidth.cut(label, to: (next.map { scale.x($0) } ?? scale.right) - x - width - 10)
        if inside == label || beside.isEmpty {
            if !inside.isEmpty { body.label(inside, x: x + 4, y: y + 12, kind: "on", title: title) }
        } else {
            body.label(beside, x: x + width + 5, y: y + 12, kind: "small", title: title)
        }
    }

    // MARK: Events

    private func writeMarks(_ body: inout Markup, _ y: Double) -> Double {
        if run.marks.isEmpty { return y }
        let layout = MarkLayout(run.marks, scale)
        name(&body, "events", y + 9)
        body.path([(scale.left, y + 6), (scale.right, y + 6)], kind: "grid")
        for drawn in layout.drawn { writeName(&body, y + 6, drawn) }
        // What matters most is covered by nothing.
        for rank in AppRun.Mark.Rank.allCases.reversed() {
            for drawn in layout.drawn where run.marks[drawn.index].rank == rank {
                symbol(&body, drawn.x, y + 6, rank, title(drawn))
            }
        }
        var end = y + 16 + Double(layout.usedRows) * 14
        if layout.named < run.marks.count, run.marks.count > Self.fewMarks {
            let what = "\(run.marks.count) events at \(layout.drawn.count) places, \(layout.named) of them named"
            body.label(what, x: scale.left, y: end + 10, kind: "small soft")
            end += 16
        }
        return end + Self.gap
    }

    private func writeName(_ body: inout Markup, _ y: Double, _ drawn: MarkLayout.Drawn) {
        guard let row = drawn.row else { return }
        let base = y + 19 + Double(row) * 14
        body.path([(drawn.x, y), (drawn.x, base)], kind: "stem")
        body.label(
            drawn.label, x: drawn.isLeftOf ? drawn.x - 4 : drawn.x + 4, y: base,
            kind: run.marks[drawn.index].rank == .fatal ? "small bad" : "small", anchor: drawn.isLeftOf ? "end" : "",
            title: title(drawn))
    }

    /// Told apart by form, not by colour alone.
    private func symbol(_ body: inout Markup, _ x: Double, _ y: Double, _ rank: AppRun.Mark.Rank, _ title: String) {
        let place = "\(Markup.number(x)) \(Markup.number(y))"
        switch rank {
        case .fatal:
            body.element(
                "path", [("d", "M\(place)m-5-5 10 10m0-10-10 10"), ("class", "fatal"), ("stroke-width", "2.5")],
                title: title)
        case .warning: body.element("path", [("d", "M\(place)m0-6 5.5 10h-11z"), ("class", "warning")], title: title)
        case .plain, .minor:
            let circle = [("cx", Markup.number(x)), ("cy", Markup.number(y)), ("r", rank == .plain ? "3.5" : "3")]
            body.element("circle", circle + [("class", "\(rank)")], title: title)
        }
    }

    private func title(_ drawn: MarkLayout.Drawn) -> String {
        let shown = ([drawn.index] + drawn.others.prefix(4)).map { RunText.mark(run.marks[$0], since: scale.from) }
        let more = drawn.others.count - 4
        return (shown + (more > 0 ? ["and \(more) more"] : [])).joined(separator: " · ")
    }

    // MARK: Lines

    private struct Lane {
        var name: String
        var kind: String
        var lines: [[AppRun.Sample]]
        var limits: [AppRun.Limit] = []
        /// What is said of its limit, where that is no line.
        var note = ""
        /// Such as "3 s".
        var text: (Int64) -> String
    }

    private var budgetLane: Lane {
        let whole = run.budgetSpan.map { [AppRun.Limit(time: run.from, value: $0)] } ?? []
        return Lane(
            name: "budget left", kind: "budget", lines: run.budget, limits: run.budget.isEmpty ? [] : whole,
            text: RunText.duration)
    }

    private var memoryLane: Lane {
        Lane(
            name: "memory", kind: "memory", lines: run.memory.isEmpty ? [] : [run.memory], limits: run.memoryLimits,
            text: { HumanText.size(bytes: UInt64(max(0, $0))) })
    }

    private var cpuLane: Lane {
        Lane(
            name: "CPU time", kind: "cpu", lines: run.cpu.isEmpty ? [] : [run.cpu], note: RunText.cpuLimit(run),
            text: RunText.duration)
    }

    private func writeLine(_ body: inout Markup, _ y: Double, _ lane: Lane) -> Double {
        let most = lane.lines.joined().map(\.value).max() ?? 0
        let highest = lane.limits.compactMap(\.value).max() ?? 0
        // A limit far above what was used would press the line flat.
        let hasLimit = highest > 0 && highest / 50 <= max(most, 1)
        let top = max(most, hasLimit ? highest : 0, 1)
        name(&body, lane.name, y + 42)
        func height(_ value: Int64) -> Double {
            y + 14 + (Self.lineHeight - 18) * (1 - Double(min(max(value, 0), top)) / Double(top))
        }
        body.label(lane.text(top), x: scale.left - 10, y: y + 18, kind: "small soft", anchor: "end")
        body.label("0", x: scale.left - 10, y: y + Self.lineHeight, kind: "small soft", anchor: "end")
        if !lane.note.isEmpty { body.label(lane.note, x: scale.left + 6, y: y + 10, kind: "small bad") }
        if lane.kind == "memory" { writeLimit(&body, lane, hasLimit, y, height) }
        for line in lane.lines { writeSamples(&body, lane, line, height) }
        return y + Self.lineHeight + Self.gap
    }

    private func writeLimit(
        _ body: inout Markup, _ lane: Lane, _ isDrawn: Bool, _ y: Double, _ height: (Int64) -> Double
    ) {
        let known = lane.limits.filter { $0.value != nil }
        guard let last = known.last?.value else { return }
        guard isDrawn else {
            let words = "the limit, \(lane.text(last)), is far above"
            body.label(words, x: scale.left + 6, y: y + 10, kind: "small bad")
            return
        }
        var previous: Double?
        for (index, limit) in lane.limits.enumerated() {
            guard let value = limit.value else {
                previous = nil
                continue
            }
            let end = index + 1 < lane.limits.count ? lane.limits[index + 1].time : run.to
            let from = scale.x(limit.time), to = scale.x(end), at = height(value)
            let step = previous.map { [(x: from, y: $0)] } ?? []
            body.path(
                step + [(from, at), (to, at)], kind: "limit", title: "limit: \(lane.text(value))")
            let label = "limit \(lane.text(value))"
            let isInside = to - from > TextWidth.of(label) + 8
            // The one that holds at the end is always named, left of it where its line is short.
            if isInside || index == lane.limits.count - 1 {
                body.label(
                    label, x: isInside ? from + 4 : to - 4, y: at + 11, kind: "small bad", anchor: isInside ? "" : "end"
                )
            }
            previous = at
        }
    }

    private func writeSamples(
        _ body: inout Markup, _ lane: Lane, _ samples: [AppRun.Sample], _ height: (Int64) -> Double
    ) {
        guard let first = samples.first, let last = samples.last else { return }
        let title =
            "\(lane.name): \(lane.text(first.value)) to \(lane.text(last.value)), at most \(lane.text(samples.map(\.value).max() ?? 0))"
        let kept = SampleLine.thinned(samples, scale)
        let points = kept.map { (x: scale.x($0.time), y: height($0.value)) }
        if points.count > 1 { body.path(points, kind: lane.kind, title: title) }
        if samples.count <= Self.fewSamples, lane.kind != "budget" { writeDots(&body, lane, kept, points) }
        if lane.kind != "budget" {
            let isAtRight = points[points.count - 1].x + TextWidth.of(lane.text(last.value)) + 8 > scale.right
            body.label(
                lane.text(last.value), x: points[points.count - 1].x + (isAtRight ? -6 : 6),
                y: height(last.value) - 4, kind: "small", anchor: isAtRight ? "end" : "")
        }
    }

    private func writeDots(
        _ body: inout Markup, _ lane: Lane, _ samples: [AppRun.Sample], _ points: [(x: Double, y: Double)]
    ) {
        for (sample, point) in zip(samples, points) {
            let place = [("cx", Markup.number(point.x)), ("cy", Markup.number(point.y)), ("r", "2.5")]
            let title = "\(ElapsedText.text(sample.time - scale.from))  \(lane.name): \(lane.text(sample.value))"
            body.element("circle", place + [("class", "dot \(lane.kind)")], title: title)
        }
    }

    // MARK: The end

    private func writeEnd(_ body: inout Markup, _ top: Double, _ bottom: Double) {
        guard let end = run.end else { return }
        let x = scale.x(end.time)
        let isKilled = !end.reason.isEmpty
        let title = "\(ElapsedText.text(end.time - scale.from))  \(RunText.outcome(run))"
        body.path([(x, top - 4), (x, bottom)], kind: isKilled ? "end killed" : "end", title: title)
        let label = RunText.endLabel(end)
        let isAtLeft = x - TextWidth.of(label) < scale.left
        body.label(
            label, x: x, y: top - 7, kind: isKilled ? "small bad" : "small", anchor: isAtLeft ? "start" : "end",
            title: title)
    }
}
