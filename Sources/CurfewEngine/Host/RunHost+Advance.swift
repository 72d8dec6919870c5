import CurfewCore
import CurfewLinux
import CurfewWire

/// Who waits for the answer to `advance`, and from which entry of the history on that tells what has happened.
final class PendingAdvance {
    let request: ControlRequest
    var advance: Advance
    let firstEntry: Int
    /// The last entry there was when lifecycle time last moved.
    var entryAtJump: Int
    var nextLook: Instant

    init(_ request: ControlRequest, _ advance: Advance, lastEntry: Int, at now: Instant) {
        self.request = request
        self.advance = advance
        firstEntry = lastEntry
        entryAtJump = lastEntry
        nextLook = now
    }
}

/// `--manual-clock`: lifecycle time stands still, and `advance` moves it to whatever happens first.
extension RunHost {
    func beginAdvance(_ request: ControlRequest) -> (code: String, why: String)? {
        guard engine.isTimeHeld else {
            return (
                "unsupported", "its time runs by itself; `curfew run --manual-clock` starts an app whose time is moved"
            )
        }
        guard pendingAdvance?.request.session.descriptor.isOpen != true else {
            return ("busy", "another `curfew advance` is under way")
        }
        let seconds = request.message["seconds"].flatMap(Seconds.parse)
        guard let nanoseconds = seconds, nanoseconds >= 0, nanoseconds < .max else {
            return ("invalid", "advance needs seconds=NUMBER, 0 or more")
        }
        var settle = Advance.defaultSettle
        if let asked = request.message["settle"] {
            guard let nanoseconds = Seconds.parse(asked), nanoseconds > 0, nanoseconds < .max else {
                return ("invalid", "settle is a number of seconds, more than 0")
            }
            settle = Span(nanoseconds: nanoseconds)
        }
        let now = kernel.now
        let advance = Advance(Span(nanoseconds: nanoseconds), settle: settle, at: now)
        pendingAdvance = PendingAdvance(request, advance, lastEntry: instance?.log.lastNumber ?? 0, at: now)
        return nil
    }

    /// How long to wait for anything else: what has been sent before is read before time moves.
    func millisecondsToAdvance() -> Int32 {
        guard let pendingAdvance else { return -1 }
        return milliseconds(until: pendingAdvance.nextLook)
    }

    /// Looked at when nothing else is there to do, and when its time has come all the same.
    func continueAdvance(isIdle: Bool) {
        guard let pending = pendingAdvance, let instance, let app = engine.core.app(instance.id) else { return }
        let now = kernel.now
        guard isIdle || now >= pending.nextLook + Advance.patience else { return }
        guard pending.request.session.descriptor.isOpen else {
            pendingAdvance = nil
            return
        }
        let step = pending.advance.next(
            owes: app.owes, isSettled: engine.isSettled, hasHappened: instance.log.lastNumber > pending.entryAtJump,
            activity: { instance.tree.activity }, at: now)
        switch step {
        case .wait(let until): pending.nextLook = until
        case .answer: answerAdvance()
        case .jump:
            pending.entryAtJump = instance.log.lastNumber
            pending.advance.jumped(left: engine.advance(by: pending.advance.left))
            pending.nextLook = now
        }
    }

    /// What has happened, line by line, and what is left.
    func answerAdvance() {
        guard let pending = pendingAdvance, let instance else { return }
        pendingAdvance = nil
        for entry in instance.log.recent where entry.number > pending.firstEntry {
            control?.reply(to: pending.request, entry.message(app: instance.name))
        }
        let state = engine.core.app(instance.id)?.state ?? .notRunning
        let advance = pending.advance
        control?.reply(
            to: pending.request,
            Message(
                "ok",
                [
                    Field("seconds", Seconds.text(nanoseconds: (advance.asked - advance.left).nanoseconds)),
                    Field("left", Seconds.text(nanoseconds: advance.left.nanoseconds)),
                    Field("state", state.rawValue),
                ]))
    }
}
