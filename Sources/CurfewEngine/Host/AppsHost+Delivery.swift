import CurfewCore
import CurfewWire

/// An event's way to all who hear of it.
extension AppsHost: DeliveryHost {
    func deliver(_ delivery: Delivery, to app: AppID) {
        if let instance = kernel.instances[app] { DeliveryRound(instance: instance, host: self).deliver(delivery) }
    }

    func tellSessions(_ delivery: Delivery, _ message: Message) { control?.deliver(delivery, message) }

    func signalMainProcess(of instance: Instance, _ signal: Int32) { instance.signalMainProcess(signal) }

    func hasHooks(_ instance: Instance) -> Bool { instance.hooks != nil }

    func runHooks(of instance: Instance, _ message: Message) -> Bool { instance.hooks?.run(message) ?? true }

    func state(of app: AppID) -> LifecycleState { engine.core.app(app)?.state ?? .notRunning }
}
