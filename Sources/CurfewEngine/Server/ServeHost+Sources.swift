import CCurfew
import CurfewCore
import CurfewLinux

/// Programs whose output is requests.
extension ServeHost: SourceHost {
    /// Before this process is a subreaper, so that they are none of its own.
    func prepareSources() throws(LaunchError) {
        guard !plan.sources.isEmpty else { return }
        let runners = try SourceRunner.startAll(
            plan.sources, server: plan.name, callersMask: callersMask,
            besides: desk.desktop.map { [$0.descriptor] } ?? [])
        sources = SourceDesk(Array(zip(plan.sources, runners)), host: self)
    }

    func sourcesApp(_ told: String) -> String? {
        guard let pid = Int32(told) else { return told }
        return app(of: pid, until: .max).map { name(of: $0) }
    }

    var namesInFront: [String] { engine.core.foregroundApps.map { nameInFront($0) } }

    func connectSource() -> Descriptor {
        var ends: [Int32] = [-1, -1]
        guard curfew_socketpair(&ends) == 0 else { return .none }
        guard let control else { return .none }
        _ = control.addServer(Descriptor(ends[0]))
        return Descriptor(ends[1])
    }
}
