import CurfewCore
import CurfewLinux
import CurfewWire

/// `curfew advance`: the desk decides, between two waits of the loop.
extension RunHost: AdvanceHost {
    private var desk: AdvanceDesk { AdvanceDesk(host: self) }

    func beginAdvance(_ request: ControlRequest) -> (code: String, why: String)? { desk.begin(request) }

    /// How long to wait for anything else: what has been sent before is read before time moves.
    func millisecondsToAdvance() -> Int32 {
        guard let pendingAdvance else { return -1 }
        return milliseconds(until: pendingAdvance.nextLook)
    }

    func continueAdvance(isIdle: Bool) { desk.goOn(isIdle: isIdle) }

    func answerAdvance() { desk.answer() }

    var advancedApp: AppID { Self.app }
    var log: EventLog { instance?.log ?? EventLog() }
    var activity: Activity { instance?.tree.activity ?? Activity() }

    func reply(to request: ControlRequest, _ message: Message) { control?.reply(to: request, message) }
}
