import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire

/// What the control channel asks about the apps, and what is told through it.
extension AppsHost: ControlHost {
    var lifecycleNow: Instant { engine.now.lifecycle }

    func feed(_ input: Input) { engine.feed(input) }

    func app(_ app: AppID) -> App? { engine.core.app(app) }

    func name(of app: AppID) -> String { kernel.instances[app]?.name ?? "" }

    func remaining(of app: AppID) -> Span? { engine.core.remaining(of: app, at: engine.now) }

    func prepareStatus(of app: AppID) {
        engine.lookForLocks(of: app)
        lookForTracer(of: app)
    }

    func recentEvents(of app: AppID) -> ArraySlice<EventLog.Entry> {
        engine.lookForLocks(of: app)
        return kernel.instances[app]?.log.recent ?? []
    }

    func raiseDescriptorLimit() { descriptors = DescriptorLimit.raised() }

    // MARK: Which app

    /// An instance can stay when its app has ended.
    var allApps: [AppID] { kernel.instances.all.map(\.id).filter { engine.core.app($0) != nil } }

    func app(named name: String) -> AppID? {
        if let app = app(called: name) { return app }
        guard let pid = Int32(name), pid > 0 else { return nil }
        return app(of: pid, until: .max)
    }

    // MARK: Processes

    func role(of sender: curfew_sender) -> ControlSession.Role {
        SenderJudge().role(of: sender, place: { place(of: $0) }, app: { app(of: $0, until: .max) })
    }

    var tellsSenders: Bool { Procfs.isOurs }

    func contains(_ pid: Int32, app: AppID) -> Bool { kernel.instances[app]?.tree.contains(pid) ?? false }

    func mainPid(of app: AppID) -> Int32 { kernel.instances[app]?.mainPid ?? 0 }

    func livingLeader(of app: AppID) -> Int32? { kernel.instances[app]?.livingLeader }

    // MARK: What is told

    func reply(_ reply: Reply, to request: RequestID) { control?.reply(reply, to: request) }
}
