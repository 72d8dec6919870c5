import CurfewCommand
import CurfewEngine
import CurfewStore

/// `curfew serve` itself: reads its command line, and composes a server of the engine's host and what it is told apps are.
public enum CurfewServe {
    static func main(_ arguments: ArgumentReader.Arguments, count: Int) -> Never {
        CommandLineTool.main("serve", arguments, count: count) { reader throws(UsageError) in
            let parsed = try ServeArguments.parse(reader)
            if parsed.stops { return ServerStop.run(parsed.plan.name) }
            let (name, apps) = (parsed.plan.name, parsed.apps)
            ServerProxy.run(parsed.plan, definitions: { ManifestDefinitions(in: apps) }, zones: { SystemZones() }) {
                () throws(RecordsRefusal) in
                try records(of: name)
            }
        }
    }

    /// Nil, and said, where no home directory is known.
    private static func records(of server: String) throws(RecordsRefusal) -> (any ServerRecords)? {
        guard let directory = DatabaseRecords.directory(of: server) else {
            StandardError.print(
                "curfew: serve: no home directory is known to keep the task list and runs in; XDG_STATE_HOME names one")
            return nil
        }
        do throws(StoreRefusal) {
            return try DatabaseRecords(directory: directory)
        } catch {
            var status: Int32 = 125
            if case .anotherServer = error { status = 75 }
            throw RecordsRefusal(status: status, problem: error.text)
        }
    }
}

/// The entry that Sources/curfew-serve/main.c calls; see there.
@_cdecl("curfew_serve_main")
public func curfewServeMain(_ count: Int32, _ arguments: ArgumentReader.Arguments) {
    CurfewServe.main(arguments, count: Int(count))
}
