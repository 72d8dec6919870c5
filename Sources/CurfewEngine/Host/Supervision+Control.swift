import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What the control channel asks about the app, and what is told through it.
extension Supervision: ControlHost {
    var lifecycleNow: Instant { engine.now.lifecycle }

    func feed(_ input: Input) { engine.feed(input) }

    func app(_ app: AppID) -> App? { engine.core.app(app) }

    func name(of app: AppID) -> String { name }

    func remaining(of app: AppID) -> Span? { engine.core.remaining(of: app, at: engine.now) }

    func prepareStatus(of app: AppID) {
        engine.lookForLocks(of: app)
        lookForTracer()
    }

    func recentEvents(of app: AppID) -> ArraySlice<EventLog.Entry> {
        engine.lookForLocks(of: app)
        return log.recent
    }

    func raiseDescriptorLimit() {
        descriptors = DescriptorLimit.raised()
        control?.descriptors = descriptors
    }

    /// The shell gets its prompt, as it does after Ctrl-Z.
    func clientSentHome(_ app: AppID) { console?.handle(.sentHome) }

    // MARK: Processes

    func role(of sender: curfew_sender) -> ControlSession.Role {
        guard sender.uid == geteuid() || sender.uid == 0 || sender.uid == getuid() else {
            return contains(sender.pid, app: Self.app) ? .app(Self.app) : .stranger
        }
        guard let ancestry = kernel.tree?.ancestry(of: sender.pid) else { return .stranger }
        if ancestry.isOurs { return .app(Self.app) }
        return ancestry.isKnown && !ancestry.isInAnyApp ? .operator : .stranger
    }

    var tellsSenders: Bool { Procfs.isOurs }

    func contains(_ pid: Int32, app: AppID) -> Bool { kernel.tree?.contains(pid) ?? false }

    func mainPid(of app: AppID) -> Int32 { mainPid }

    func livingLeader(of app: AppID) -> Int32? { livingLeader }

    // MARK: What is told

    func reply(_ reply: Reply, to request: RequestID) { control?.reply(reply, to: request) }

    /// To the app's sessions, to the program as a signal, and to hooks.
    func deliver(_ delivery: Delivery, to app: AppID) {
        let message = delivery.message(containment: kernel.tree?.containment.description ?? "none")
        control?.deliver(delivery, message)
        switch delivery.audience {
        case .everybody:
            sendSignal(for: delivery.event)
            runHooks(for: message)
        case .hooks: runHooks(for: message)
        case .connections: break
        }
    }

    private func sendSignal(for event: Event) {
        for signal in plan.eventSignals where signal.event == event.name { passToLeader(signal.signal) }
    }

    private func runHooks(for message: Message) {
        guard let hooks else { return }
        let state = engine.core.app(Self.app)?.state ?? .notRunning
        let about = [
            Field("app", name), Field("pid", String(mainPid)), Field("state", state.rawValue),
        ]
        if !hooks.run(Message(message.verb, message.fields + about)) {
            record(.hookDropped(event: message["name"] ?? ""), of: Self.app)
        }
    }
}
