import CurfewEngine
import CurfewLinux
import CurfewWire

/// `curfew launch`: has a server run an app, one that it knows or a command.
enum LaunchVerb {
    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try LaunchArguments.parse(reader)
        // Who writes TOML knows what is of a manifest and what isn't, too.
        if arguments.printsManifest { return Helper.become("curfew-apps", for: reader.verb, reader.argv) }
        let lookup = AppLookup(verb: reader.verb, server: arguments.server)
        let server = try lookup.serverTarget()
        do throws(ControlClient.Failure) {
            // First, so that no order is left for nobody.
            var client = try ControlClient(server)
            report(try launch(arguments, &client, lookup.orderFolder), arguments)
            return ExitStatus.success
        } catch {
            let (line, status) = error.explained(reader.verb, arguments.app.map { named($0, server) } ?? server)
            StandardError.print(line)
            return status
        }
    }

    /// Mistakes are told of the app, but for those of reaching the server.
    private static func named(_ app: String, _ server: AppTarget) -> AppTarget {
        AppTarget(path: server.path, subject: app, absence: server.absence)
    }

    private static func launch(
        _ arguments: LaunchArguments, _ client: inout ControlClient, _ folder: RuntimeDirectory
    ) throws(ControlClient.Failure) -> Message {
        guard arguments.app == nil else { return try client.request(arguments.request(order: nil)).final }
        let order: String
        do throws(KernelError) { order = try OrderFile.write(CommandOrder(arguments).bytes, in: folder) } catch {
            throw .broken(error.text)
        }
        defer { OrderFile.remove(order, in: folder) }
        return try client.request(arguments.request(order: order)).final
    }

    /// A name that the server has chosen is told.
    private static func report(_ answer: Message, _ arguments: LaunchArguments) {
        if arguments.asJSON {
            Output.print(json(answer))
        } else if arguments.app == nil, arguments.name == nil {
            Output.print(answer["app"] ?? "")
        }
    }

    static func json(_ answer: Message) -> JSON {
        .object([
            ("app", .string(answer["app"] ?? "")), ("pid", .integer(Int64(answer["pid"] ?? "") ?? 0)),
            ("state", .string(answer["state"] ?? "")),
        ])
    }
}
