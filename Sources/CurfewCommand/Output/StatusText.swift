import CurfewWire

/// `curfew status` for people.
enum StatusText {
    static func lines(_ app: AppStatus) -> [String] {
        let title = "\(app.text("app")): \(Output.state(app["state"])) for \(app.duration("since"))"
        let lines = [usual(app), exceptional(app)].joined().map { name, text in
            "  " + name + String(repeating: " ", count: max(1, 14 - name.count)) + Printable.text(text)
        }
        return [title] + lines
    }

    private typealias Line = (String, String)

    /// Whose it is: an app of a server has no proxy of its own.
    private static func above(_ app: AppStatus) -> String {
        app["front"].isEmpty
            ? "server \(app["supervisor"])" : "proxy \(app["front"]), supervisor \(app["supervisor"])"
    }

    /// What every app has.
    private static func usual(_ app: AppStatus) -> [Line] {
        [
            ("command", app.text("command")),
            ("pid", "\(app["pid"]) (\(above(app)))"),
            ("kind", app["aware"] == "true" ? "aware" : "plain"),
            ("remaining", remaining(app)),
            ("tasks", app.tasks.isEmpty ? "none" : app.tasks.map(describe(task:)).joined(separator: ", ")),
            ("processes", app["processes"]),
            ("footprint", footprint(app)),
            ("CPU time", app.duration("cpu")),
            ("running", running(app)),
            ("containment", app.text("containment")),
        ]
    }

    /// What is told only where it is so.
    private static func exceptional(_ app: AppStatus) -> [Line] {
        let lines: [Line?] = [
            app.has("memory-high") ? ("soft limit", app.size("memory-high")) : nil,
            app.has("server") ? ("takes part", "in the server \(app.text("server"))") : nil,
            app.has("swapped") ? ("paged out", pagedOut(app)) : nil,
            app.has("asleep") ? ("asleep", asleep(app)) : nil,
            app.has("shortest-wait") ? ("its clocks", clocks(app)) : nil,
            app.has("wake-on") && !app.has("asleep") ? ("wakes on", list(app, "wake-on")) : nil,
            app.has("shared-listeners") ? ("shared", shared(app)) : nil,
            app.has("awake") ? ("awake", app.text("awake")) : nil,
            app.has("woken") ? ("woken", woken(app)) : nil,
            app.has("memory-pressure") ? ("pressure", "the machine's memory: \(app["memory-pressure"])") : nil,
            app["clock"] == "manual" ? ("clock", "stands still; `curfew advance \(app.text("app")) D` moves it") : nil,
            app["throttled"] == "true" ? ("throttled", "to its share of CPU time, until it is opened") : nil,
            app.has("locks") ? ("locked files", app.text("locks")) : nil,
            app.has("grace") ? ("grace", grace(app)) : nil,
            app.has("notify-status") ? ("status", "\"\(app.text("notify-status"))\"") : nil,
            app.has("main-pid") ? ("main pid", app.text("main-pid")) : nil,
            app["ready"] == "true" ? ("ready", "it has said so (READY=1)") : nil,
            app["stopping"] == "true" ? ("stopping", "it is ending by itself") : nil,
            app.has("watchdog") ? ("watchdog", "a sign of life every \(app.duration("watchdog"))") : nil,
            app.has("keep-alive") ? ("keep-alive", keepAlive(app)) : nil,
            app.has("background-modes") ? ("modes", list(app, "background-modes")) : nil,
            app.has("badge") ? ("badge", app.text("badge")) : nil,
            app.has("notifications") ? ("notifications", notifications(app)) : nil,
            app.has("requests") ? ("requests", "\(app.text("requests")) wait") : nil,
            app.has("next-fetch") ? ("fetches", "next at \(app.text("next-fetch"))") : nil,
            app.has("kept-changes") ? ("kept changes", list(app, "kept-changes")) : nil,
            app["traced"] == "true" ? ("traced", "by a debugger: not suspended, and no watchdog kills it") : nil,
            app.has("store") ? ("store", StoreText.trouble(app["store"])) : nil,
            app["terminating"] == "true" ? ("terminating", "it was asked to end") : nil,
            app.has("unacknowledged") ? ("unanswered", list(app, "unacknowledged")) : nil,
            app.has("not-stopped") ? ("not stopped", app.text("not-stopped")) : nil,
        ]
        return lines.compactMap { $0 }
    }

    private static func remaining(_ app: AppStatus) -> String {
        if app["budget"] == "inf" || app.isContinuous { return "unlimited, in background too" }
        let budget = app.duration("budget")
        return app["remaining"] == "inf"
            ? "unlimited in foreground, \(budget) once in background" : "\(app.duration("remaining")) of \(budget)"
    }

    private static func footprint(_ app: AppStatus) -> String {
        app.size("footprint") + (app.has("memory-limit") ? " of \(app.size("memory-limit"))" : "")
    }

    private static func pagedOut(_ app: AppStatus) -> String {
        "\(app.size("swapped")) in swap, \(app.size("resident")) in memory"
    }

    private static func asleep(_ app: AppStatus) -> String {
        if app["asleep"] == "until-opened" { return "until it is opened" }
        return app.has("wake-on")
            ? "until there is input: \(list(app, "wake-on"))" : "until it is opened; no input wakes it"
    }

    private static func clocks(_ app: AppStatus) -> String {
        "don't wake it; its shortest wait was \(app.duration("shortest-wait")): \(app.text("shortest-wait-of"))"
    }

    private static func woken(_ app: AppStatus) -> String {
        "\(app["woken"] == "1" ? "once" : "\(app["woken"]) times, last") by \(app.text("woken-by"))"
            + (app.has("resumed-in") ? ", \(app.duration("resumed-in")) to resume" : "")
    }

    private static func shared(_ app: AppStatus) -> String {
        "another program accepts connections, too; one wakes it \(app.text("shared-listeners"))"
    }

    private static func running(_ app: AppStatus) -> String {
        app.duration("running-for") + (app.has("time-limit") ? " of \(app.duration("time-limit"))" : "")
    }

    private static func grace(_ app: AppStatus) -> String {
        app["grace"] == "inf" ? "it runs on without end" : "\(app.duration("grace")) of running on left"
    }

    private static func keepAlive(_ app: AppStatus) -> String {
        "woken every \(app.duration("keep-alive")), next in \(app.duration("keep-alive-left"))"
    }

    private static func notifications(_ app: AppStatus) -> String {
        app["notifications"] + (app["notifications"] == "1" ? " waits, " : " wait, the next one ")
            + "until \(app.text("next-notification"))"
    }

    private static func list(_ app: AppStatus, _ key: String) -> String {
        app.text(key).split(separator: ",").joined(separator: ", ")
    }

    private static func describe(task: Message) -> String {
        let age = HumanText.duration(nanoseconds: Seconds.parse(task["age"] ?? "") ?? 0)
        return "\(task["task"] ?? "?") \"\(task["name"] ?? "")\" (\(age))"
    }
}
