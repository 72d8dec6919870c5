import CurfewCore
import CurfewWire

/// Apps of `curfew run --join`, which take part in the front and in the task list.
extension ServeHost: JoinHost {
    var serverName: String { plan.name }

    var foregroundApp: AppID? { engine.core.foregroundApp }

    func holds(_ name: String) -> Bool { apps.app(named: name) != nil }

    func takeNumber() -> AppID { numbers.take() }

    func giveBack(_ app: AppID) { numbers.giveBack(app) }

    func joinedOpened(_ name: String) { apps.noteJoined(name) }

    func joinedLeft(_ name: String) { apps.forgetJoined(name) }

    func send(_ message: Message, to session: ControlSession) { control?.send(message, to: session) }

    func owe(_ request: ControlRequest) { control?.owe(request) }

    /// Also of one that only takes part.
    func nameInFront(_ app: AppID) -> String { joined.app(app)?.name ?? name(of: app) }
}
