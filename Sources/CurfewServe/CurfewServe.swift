import CurfewCommand
import CurfewEngine

/// `curfew serve` itself: reads its command line, and composes a server of the engine's host and what it is told apps are.
public enum CurfewServe {
    static func main(_ arguments: ArgumentReader.Arguments, count: Int) -> Never {
        CommandLineTool.main("serve", arguments, count: count) { reader throws(UsageError) in
            let parsed = try ServeArguments.parse(reader)
            if parsed.stops { return ServerStop.run(parsed.plan.name) }
            ServerFront.run(parsed.plan) { ManifestDefinitions() }
        }
    }
}

/// The entry that Sources/curfew-serve/main.c calls; see there.
@_cdecl("curfew_serve_main")
public func curfewServeMain(_ count: Int32, _ arguments: ArgumentReader.Arguments) {
    CurfewServe.main(arguments, count: Int(count))
}
