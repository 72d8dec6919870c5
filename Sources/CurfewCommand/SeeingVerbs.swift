import CurfewLinux
import CurfewWire

/// `ps`, `status` and `events`: what goes on.
enum SeeingVerbs {
    static func ps(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let apps = AppLookup(verb: arguments.verb).all()
        if arguments.has("--json") {
            Output.print(.array(apps.map(\.json)))
        } else {
            Output.print(table(apps))
        }
        return ExitStatus.success
    }

    private static func table(_ apps: [AppStatus]) -> String {
        var table = Table(columns: [
            .init(title: "NAME"), .init(title: "PID", isNumber: true), .init(title: "STATE"),
            .init(title: "FOR", isNumber: true), .init(title: "TASKS", isNumber: true),
            .init(title: "LEFT", isNumber: true), .init(title: "PROCS", isNumber: true),
            .init(title: "MEMORY", isNumber: true), .init(title: "CPU", isNumber: true), .init(title: "COMMAND"),
        ])
        table.rows = apps.map { app in
            [
                app.name, app["pid"], app["state"], app.duration("since"), app["open-tasks"], app.duration("remaining"),
                app["processes"], app.size("footprint"), app.duration("cpu"), app.text("command"),
            ]
        }
        return table.text { row, column, cell in
            guard row >= 0, column == 2 else { return cell }
            return cell.replacingWord(apps[row]["state"], with: Output.state(apps[row]["state"]))
        }
    }

    static func status(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return try arguments.withClient { client throws(ControlClient.Failure) in
            let status = AppStatus(try client.request(Message("status", [Field("id", "1")])))
            if arguments.has("--json") { Output.print(status.json) } else { Output.print(describe(status)) }
        }
    }

    private static func describe(_ app: AppStatus) -> String {
        var lines = ["\(app.name): \(Output.state(app["state"])) for \(app.duration("since"))"]
        func line(_ title: String, _ text: String) {
            lines.append("  " + title + String(repeating: " ", count: max(1, 14 - title.count)) + text)
        }
        line("command", app.text("command"))
        line("pid", "\(app["pid"]) (front \(app["front"]), supervisor \(app["supervisor"]))")
        line("kind", app["aware"] == "true" ? "aware" : "plain")
        line("remaining", remaining(app))
        line("tasks", app.tasks.isEmpty ? "none" : app.tasks.map(describe(task:)).joined(separator: ", "))
        line("processes", app["processes"])
        line(
            "footprint", app.size("footprint") + (app["memory-limit"].isEmpty ? "" : " of \(app.size("memory-limit"))"))
        line("CPU time", app.duration("cpu"))
        line(
            "running",
            app.duration("running-for") + (app["time-limit"].isEmpty ? "" : " of \(app.duration("time-limit"))"))
        line("containment", app.text("containment"))
        if app["traced"] == "true" { line("traced", "by a debugger: not suspended, and no watchdog kills it") }
        if app["terminating"] == "true" { line("terminating", "it was asked to end") }
        if !app["unacknowledged"].isEmpty { line("unanswered", app.text("unacknowledged")) }
        if !app["not-stopped"].isEmpty { line("not stopped", app.text("not-stopped")) }
        return lines.joined(separator: "\n")
    }

    private static func remaining(_ app: AppStatus) -> String {
        let budget = app.duration("budget")
        return app["remaining"] == "inf"
            ? "unlimited in foreground, \(budget) once in background" : "\(app.duration("remaining")) of \(budget)"
    }

    private static func describe(task: Message) -> String {
        let age = HumanText.duration(nanoseconds: Seconds.parse(task["age"] ?? "") ?? 0)
        return "\(task["task"] ?? "?") \"\(Printable.text(task["name"] ?? ""))\" (\(age))"
    }

    static func events(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        let asJSON = arguments.has("--json")
        return try arguments.withClient { client throws(ControlClient.Failure) in
            guard arguments.has("--follow") else {
                let request = Message("events", [Field("id", "1"), Field("follow", "0")])
                for event in try client.request(request).items { show(event, asJSON: asJSON) }
                return
            }
            try client.send(Message("events", [Field("id", "1"), Field("follow", "1")]))
            while let message = try client.receive(until: nil) {
                if message.verb == "event" { show(message, asJSON: asJSON) }
                if message.verb == "error" {
                    throw .refused(code: message["code"] ?? "", message: message["message"] ?? "it gave no reason")
                }
            }
        }
    }

    private static func show(_ event: Message, asJSON: Bool) {
        if asJSON {
            let members = event.fields.map { (key: AppStatus.camelCase($0.key), value: AppStatus.value($0)) }
            Output.print(.object(members), indent: nil)
            return
        }
        let hidden: Set = ["name", "number", "time", "app"]
        let details = event.fields.filter { !hidden.contains($0.key) }.map { "\($0.key)=\($0.value)" }
        let name = event["name"] ?? ""
        let line = ([event["time"] ?? "", name] + details).joined(separator: "  ")
        Output.print(Printable.text(line))
    }
}

extension String {
    fileprivate func replacingWord(_ word: String, with replacement: String) -> String {
        hasPrefix(word) ? replacement + dropFirst(word.count) : self
    }
}
