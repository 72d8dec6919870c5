import CurfewCore
import CurfewLinux
import CurfewWire

/// Has an event told: whoever holds the apps. One in the tests writes it down.
protocol DeliveryHost: AnyObject {
    /// To those of the app's sessions that it is for.
    func tellSessions(_ delivery: Delivery, _ message: Message)
    func signalMainProcess(of instance: Instance, _ signal: Int32)
    /// Whether any command of `--exec-on` is to be run.
    func hasHooks(_ instance: Instance) -> Bool
    /// False where the event is dropped, for too many wait.
    func runHooks(of instance: Instance, _ message: Message) -> Bool
    func state(of app: AppID) -> LifecycleState
    func record(_ record: EventRecord, of app: AppID)
}

/// Who hears of an event, in order: the app's sessions, its main process by a signal, and hooks.
struct DeliveryRound {
    let instance: Instance
    let host: any DeliveryHost

    func deliver(_ delivery: Delivery) {
        let message = delivery.message(containment: instance.tree.containment.description)
        host.tellSessions(delivery, message)
        switch delivery.audience {
        case .everybody:
            sendSignals(for: delivery.event)
            runHooks(for: message)
        case .hooks: runHooks(for: message)
        case .connections: break
        }
    }

    private func sendSignals(for event: Event) {
        for signal in instance.manifest.eventSignals where signal.event == event.name {
            host.signalMainProcess(of: instance, signal.signal)
        }
    }

    /// They are told about the app besides, for they aren't in it.
    private func runHooks(for message: Message) {
        guard host.hasHooks(instance) else { return }
        let about = [
            Field("app", instance.name), Field("pid", String(instance.mainPid)),
            Field("state", host.state(of: instance.id).rawValue),
        ]
        if !host.runHooks(of: instance, Message(message.verb, message.fields + about)) {
            host.record(.hookDropped(event: message["name"] ?? ""), of: instance.id)
        }
    }
}
