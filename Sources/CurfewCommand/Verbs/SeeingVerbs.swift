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
            Output.print(coloured: table(apps))
        }
        return ExitStatus.success
    }

    private static func table(_ apps: [AppStatus]) -> [String] {
        var table = Table(columns: [
            .init(title: "NAME"), .init(title: "PID", isNumber: true), .init(title: "STATE"),
            .init(title: "FOR", isNumber: true), .init(title: "TASKS", isNumber: true),
            .init(title: "LEFT", isNumber: true), .init(title: "PROCS", isNumber: true),
            .init(title: "MEMORY", isNumber: true), .init(title: "CPU", isNumber: true), .init(title: "COMMAND"),
        ])
        table.maximumWidth = TerminalWidth.columns
        table.rows = apps.map { app in
            [
                app.name, app["pid"], app["state"], app.duration("since"), app["open-tasks"], app.duration("remaining"),
                app["processes"], app.size("footprint"), app.duration("cpu"), app.text("command"),
            ]
        }
        return table.lines { row, column, cell in
            guard row >= 0, column == 2 else { return cell }
            return cell.replacingWord(apps[row]["state"], with: Output.state(apps[row]["state"]))
        }
    }

    static func status(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return try arguments.withClient { client throws(ControlClient.Failure) in
            let status = AppStatus(try client.request(Message("status", [Field("id", "1")])))
            if arguments.has("--json") {
                Output.print(status.json)
            } else {
                Output.print(coloured: StatusText.lines(status))
            }
        }
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
                if message.verb == "error" { throw .refusal(message) }
            }
        }
    }

    private static func show(_ event: Message, asJSON: Bool) {
        if asJSON {
            Output.print(.object(event.jsonMembers), indent: nil)
        } else {
            Output.print(line(event))
        }
    }

    /// An event for people; its time is the day's, in real time.
    static func line(_ event: Message) -> String {
        let hidden: Set = ["name", "number", "time", "app", "id"]
        let details = event.fields.filter { !hidden.contains($0.key) }.map { "\($0.key)=\($0.value)" }
        let line = [TimeOfDay.text(event["time"] ?? ""), event["name"] ?? ""] + details
        return line.joined(separator: "  ")
    }
}

extension String {
    fileprivate func replacingWord(_ word: String, with replacement: String) -> String {
        hasPrefix(word) ? replacement + dropFirst(word.count) : self
    }
}
