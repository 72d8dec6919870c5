import CurfewWire

/// Makes one app's run of what happened to it, told in the order of time.
public struct RunRecorder: Sendable {
    private var run: AppRun
    /// The state it is in and since when; nil before anything tells.
    private var state: (name: String, since: Int64)?
    private var lastTime: Int64?
    private var isWhole = false
    /// The place in `run.tasks` of each that is open.
    private var open: [Int: Int] = [:]
    private var tracing: [(time: Int64, isTraced: Bool)] = []
    /// Since when it is being ended.
    private var stops: Int64?
    private var told: AppRun.Sample?
    /// Why it is being killed, until it has ended.
    private var kill: AppRun.End?
    /// Its budget is of a clock that isn't the timeline's.
    private var hasOtherClock = false

    public init(app: String) { run = AppRun(name: app) }

    /// How it was called.
    public var app: String { run.name }

    /// Whether anything was told at all.
    public var isEmpty: Bool { lastTime == nil }

    /// A clock that went back is taken to have stood still.
    private mutating func move(to time: Int64) -> Int64 {
        let now = max(time, lastTime ?? time)
        if lastTime == nil { run.from = now }
        lastTime = now
        return now
    }

    // MARK: What happens

    public mutating func take(_ happening: Happening) {
        let isFirst = lastTime == nil
        let now = move(to: happening.time)
        if isFirst, let number = happening.number, number > 1 {
            run.facts.append(.init(label: "before", text: "\(number - 1) earlier events aren't known"))
        }
        switch happening.name {
        case "stateDidChange": change(happening, at: now, isFirst)
        case "taskDidBegin": begin(happening, at: now)
        case "taskDidEnd": end(happening, .ended, at: now)
        case "taskDidRelease": end(happening, .released, at: now)
        default:
            note(happening, at: now)
            run.marks.append(.init(time: now, name: happening.name, fields: happening.fields))
        }
    }

    /// What a mark says beyond itself.
    private mutating func note(_ happening: Happening, at now: Int64) {
        switch happening.name {
        case "tracerDidChange": tracing.append((now, happening["traced"] == "true"))
        case "didDeliver" where happening["event"] == "willTerminate": beingEnded(at: now)
        case "timeLimitDidPass": beingEnded(at: now)
        case "willKill":
            beingEnded(at: now)
            kill = .init(
                time: now, reason: happening["reason"] ?? "", code: happening["code"] ?? "", why: happening["why"] ?? ""
            )
        case "didEnd": ended(happening, at: now)
        default: break
        }
    }

    /// No clock of its runs from now on.
    public mutating func beingEnded(at time: Int64) { stops = stops ?? time }

    private mutating func change(_ happening: Happening, at now: Int64, _ isFirst: Bool) {
        let before = happening["from"] ?? "unknown"
        if isFirst, before == "notRunning" { isWhole = true }
        close(before, at: now)
        state = (happening["to"] ?? "unknown", now)
    }

    /// Ends the band up to now; what nothing told of was the state that it is left in.
    private mutating func close(_ name: String, at now: Int64) {
        let since = state?.since ?? run.from
        if state == nil, since == now { return }
        run.bands.append(.init(state: state?.name ?? name, from: since, to: now))
    }

    private mutating func begin(_ happening: Happening, at now: Int64) {
        guard let number = happening["task"].flatMap({ Int($0) }) else { return }
        open[number] = run.tasks.count
        run.tasks.append(
            .init(number: number, name: happening["title"] ?? "", from: now, to: now, outcome: .open))
    }

    private mutating func end(_ happening: Happening, _ outcome: AppRun.TaskBar.Outcome, at now: Int64) {
        guard let number = happening["task"].flatMap({ Int($0) }) else { return }
        if let index = open.removeValue(forKey: number) {
            run.tasks[index].to = now
            run.tasks[index].outcome = outcome
        } else {
            let name = happening["title"] ?? ""
            run.tasks.insert(
                .init(number: number, name: name, from: run.from, to: now, outcome: outcome, wasBegunBefore: true),
                at: 0)
            for key in open.keys { open[key]? += 1 }
        }
    }

    private mutating func ended(_ happening: Happening, at now: Int64) {
        var end = kill ?? AppRun.End(time: now)
        end.time = now
        if let status = happening["status"] { end.status = status }
        if let signal = happening["signal"] { end.status = "signal \(signal)" }
        if end.reason.isEmpty { end.reason = happening["reason"] ?? "" }
        run.end = end
    }

    // MARK: What is measured and known

    /// The budget of each stay in background, nanoseconds; `Int64.max`, without end, draws no line.
    public mutating func budget(_ span: Int64) { run.budgetSpan = span > 0 && span < .max ? span : nil }

    /// What a status said was left of the budget.
    public mutating func remaining(_ left: Int64, at time: Int64) {
        if left >= 0, left < .max { told = AppRun.Sample(time: time, value: left) }
    }

    /// Its time is held (`--manual-clock`): where the budget stood can't be told from the calendar.
    public mutating func hasHeldTime() { hasOtherClock = true }

    /// The footprint, bytes.
    public mutating func memory(_ bytes: Int64, at time: Int64) {
        run.memory.append(AppRun.Sample(time: move(to: time), value: bytes))
    }

    /// The fatal limit on memory from now on, bytes; nil: none.
    public mutating func memoryLimit(_ bytes: Int64?, at time: Int64) {
        let limit = AppRun.Limit(time: move(to: time), value: bytes)
        if run.memoryLimits.last?.value != bytes || run.memoryLimits.isEmpty { run.memoryLimits.append(limit) }
    }

    /// The fatal limit on memory that holds now, bytes, of which nothing tells since when: drawn from the last change of
    /// state, for states have limits of their own.
    public mutating func memoryLimit(_ bytes: Int64) {
        run.memoryLimits.append(
            .init(time: max(state?.since ?? run.from, run.memoryLimits.last?.time ?? 0), value: bytes))
    }

    /// The fatal limit on memory that was set for all of it, bytes.
    public mutating func memoryLimitFromStart(_ bytes: Int64) {
        run.memoryLimits.insert(.init(time: run.from, value: bytes), at: 0)
    }

    /// The CPU time that it may use in background in any window, both nanoseconds; `Int64.max`: without end.
    public mutating func cpuLimit(_ used: Int64, in window: Int64) {
        guard used > 0, used < .max, window > 0, window < .max else { return }
        run.cpuLimit = .init(used: used, elapsed: window)
    }

    /// The CPU time that it was killed for, and in which time, nanoseconds.
    public mutating func cpuExcess(_ used: Int64, in elapsed: Int64) {
        if used >= 0, elapsed > 0 { run.cpuExcess = .init(used: used, elapsed: elapsed) }
    }

    /// The CPU time used since it was started, nanoseconds.
    public mutating func cpu(_ used: Int64, at time: Int64) {
        run.cpu.append(AppRun.Sample(time: move(to: time), value: used))
    }

    /// A line more of it; one that says nothing is left out.
    public mutating func fact(_ label: String, _ text: String) {
        if !text.isEmpty { run.facts.append(.init(label: label, text: text)) }
    }

    // MARK: The end

    /// The run as it is known; `time`: up to when, where that is later than the last of it.
    ///
    /// `state`: the one it is in, where that was told elsewhere.
    public func finished(at time: Int64? = nil, state told: String? = nil) -> AppRun {
        var copy = self
        copy.finish(at: time, told)
        return copy.run
    }

    private mutating func finish(at time: Int64?, _ last: String?) {
        let now = move(to: time ?? lastTime ?? 0)
        run.to = now
        let name = state?.name ?? last ?? "unknown"
        run.bands.append(.init(state: name, from: state?.since ?? run.from, to: now))
        for index in open.values { run.tasks[index].to = now }
        if run.end == nil, let kill { run.end = kill }
        guard let span = run.budgetSpan, !hasOtherClock else { return }
        let line = BudgetLine(span: span, isWhole: isWhole, told: told, tracing: tracing, stops: stops)
        run.budget = line.lines(run.bands)
        if contradictsKill(span) { run.budget = [] }
    }

    /// Whether it was killed for a spent budget while the line says that there was some left: its clock was another.
    private func contradictsKill(_ span: Int64) -> Bool {
        guard let kill, kill.reason == "background-task-timeout", let last = run.budget.last?.last else { return false }
        return last.value > max(span / 20, 100_000_000)
    }
}
