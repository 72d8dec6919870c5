import CurfewCore
import CurfewLinux
import CurfewWire

/// `curfew advance`: the desk decides, between two waits of the loop.
extension AppsHost: AdvanceHost {
    private var desk: AdvanceDesk { AdvanceDesk(host: self) }

    func beginAdvance(_ request: ControlRequest, of app: AppID) -> (code: String, why: String)? {
        desk.begin(request, of: app)
    }

    /// How long to wait for anything else: what has been sent before is read before time moves.
    func millisecondsToAdvance() -> Int32 {
        guard let pendingAdvance else { return -1 }
        return DeadlineTimer.milliseconds(from: kernel.now, until: pendingAdvance.nextLook)
    }

    func continueAdvance(isIdle: Bool) { desk.goOn(isIdle: isIdle) }

    func answerAdvance() { desk.answer() }

    func log(of app: AppID) -> EventLog { kernel.instances[app]?.log ?? EventLog() }
    func activity(of app: AppID) -> Activity { kernel.instances[app]?.tree.activity ?? Activity() }

    func reply(to request: ControlRequest, _ message: Message) { control?.reply(to: request, message) }
}
