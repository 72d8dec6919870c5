import CurfewWire

/// One app in words.
struct AppWords {
    let app: TopApp
    let now: Int64

    /// What is worth knowing of it beyond its other columns, if anything is.
    var note: String {
        if let problem = app.problem { return problem }
        if app.state == .notRunning { return app.ended.isEmpty ? "" : "ended\(app.ended)" }
        return (warnings + [tasks, woken, awake].compactMap { $0 }).joined(separator: "; ")
    }

    /// Three lines about it.
    var lines: [String] { [identity, standing, particulars] }

    private var identity: String {
        let count = app["processes"]
        let processes = count.isEmpty ? nil : count == "1" ? "1 process" : "\(count) processes"
        let facts = [app["pid"].isEmpty ? nil : "pid \(app["pid"])", processes].compactMap { $0 }
        let command = app["command"]
        let words = facts.joined(separator: ", ")
        return app.name + (words.isEmpty && command.isEmpty ? "" : ": ")
            + [words, command].filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private var standing: String {
        guard let state = app.state else { return app.problem ?? "not yet answered for" }
        let since = HumanText.duration(nanoseconds: max(0, (now - app.stateBegan) / 1_000_000_000) * 1_000_000_000)
        return (["\(app.isAsleep ? "asleep" : state.rawValue) for \(since)", budget].compactMap { $0 } + warnings)
            .joined(separator: "; ")
    }

    private var budget: String? {
        guard let clock = app.budget, app.state != .notRunning else { return nil }
        if clock.whole == .max || app.isContinuous { return "its time in background is unlimited" }
        let whole = HumanText.duration(nanoseconds: clock.whole)
        if app.state == .background {
            if clock.isUnlimited { return nil }
            let left = (clock.left(at: now) + 999_999_999) / 1_000_000_000 * 1_000_000_000
            return "\(HumanText.duration(nanoseconds: left)) of \(whole) left"
        }
        return app.state?.isForeground == true ? "\(whole) once in background" : nil
    }

    /// What isn't as usual.
    private var warnings: [String] {
        [
            app.state == nil ? nil : app.problem,
            app["terminating"] == "true" ? "it was asked to end" : nil,
            app["traced"] == "true" ? "a debugger holds it" : nil,
            app["clock"] == "manual" ? "its time stands still" : nil,
            app["throttled"] == "true" ? "throttled" : nil,
            app["not-stopped"].isEmpty ? nil : "not stopped: \(app["not-stopped"])",
            app["unacknowledged"].isEmpty ? nil : "owes an answer to \(listed(app["unacknowledged"]))",
        ].compactMap { $0 }
    }

    private var particulars: String {
        if app.state == .notRunning { return app.ended.isEmpty ? "" : "it has ended\(app.ended)" }
        return [tasks, asleep ?? wakeOn, woken, awake, status].compactMap { $0 }.joined(separator: "; ")
    }

    private var tasks: String? {
        if app.tasks.isEmpty { return nil }
        let names = app.tasks.map { task in "\(task.number) \"\(task.name)\" (\(ShortText.age(now - task.begun)))" }
        return (app.tasks.count == 1 ? "task " : "tasks ") + names.joined(separator: ", ")
    }

    private var asleep: String? {
        guard app.isAsleep else { return nil }
        let wakes = !app.wakeOn.isEmpty && app.wakeOn != "none" && app.sleep == .untilInput
        return wakes ? "asleep until there is input: \(listed(app.wakeOn))" : "asleep until it is opened"
    }

    private var wakeOn: String? {
        app.wakeOn.isEmpty || app.wakeOn == "none" ? nil : "wakes on \(listed(app.wakeOn))"
    }

    private var woken: String? {
        let count = app["woken"]
        if count.isEmpty || count == "0" { return nil }
        return "woken \(count == "1" ? "once" : "\(count) times, last") by \(app["woken-by"])"
    }

    private var awake: String? { app["awake"].isEmpty || app.isAsleep ? nil : "kept awake: \(app["awake"])" }

    private var status: String? { app["notify-status"].isEmpty ? nil : "says \"\(app["notify-status"])\"" }

    private func listed(_ words: String) -> String { words.split(separator: ",").joined(separator: ", ") }
}
