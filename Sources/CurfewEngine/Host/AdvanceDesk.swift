import CurfewCore
import CurfewLinux
import CurfewWire

/// Who waits for the answer to `advance`, and from which entry of the history on that tells what has happened.
final class PendingAdvance {
    let request: ControlRequest
    /// Whose events are waited for.
    let app: AppID
    var advance: Advance
    let firstEntry: Int
    /// The last entry there was when lifecycle time last moved.
    var entryAtJump: Int
    var nextLook: Instant

    init(_ request: ControlRequest, of app: AppID, _ advance: Advance, lastEntry: Int, at now: Instant) {
        self.request = request
        self.app = app
        self.advance = advance
        firstEntry = lastEntry
        entryAtJump = lastEntry
        nextLook = now
    }
}

/// Holds the apps whose lifecycle time is moved.
protocol AdvanceHost: AnyObject {
    /// The one under way; of whoever holds the apps, so that a desk is nothing to keep.
    var pendingAdvance: PendingAdvance? { get set }
    var engine: Engine { get }
    /// What has happened to it.
    func log(of app: AppID) -> EventLog
    /// What its threads have run so far.
    func activity(of app: AppID) -> Activity
    func name(of app: AppID) -> String
    func reply(to request: ControlRequest, _ message: Message)
}

/// `--manual-clock`: lifecycle time stands still, and `advance` moves it to whatever happens first.
struct AdvanceDesk {
    let host: any AdvanceHost

    private var engine: Engine { host.engine }

    /// Nil where it has begun; else why not: a code, and words.
    func begin(_ request: ControlRequest, of app: AppID) -> (code: String, why: String)? {
        guard engine.isTimeHeld else {
            return (
                "unsupported", "its time runs by itself; `curfew run --manual-clock` starts an app whose time is moved"
            )
        }
        guard host.pendingAdvance?.request.session.descriptor.isOpen != true else {
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
        let now = engine.kernel.now
        let advance = Advance(Span(nanoseconds: nanoseconds), settle: settle, at: now)
        host.pendingAdvance = PendingAdvance(
            request, of: app, advance, lastEntry: host.log(of: app).lastNumber, at: now)
        return nil
    }

    /// Looked at when nothing else is there to do, and when its time has come all the same.
    func goOn(isIdle: Bool) {
        guard let pending = host.pendingAdvance, let app = engine.core.app(pending.app) else { return }
        let now = engine.kernel.now
        guard isIdle || now >= pending.nextLook + Advance.patience else { return }
        guard pending.request.session.descriptor.isOpen else {
            host.pendingAdvance = nil
            return
        }
        let lastEntry = host.log(of: pending.app).lastNumber
        let step = pending.advance.next(
            owes: app.owes, isSettled: engine.isSettled, hasHappened: lastEntry > pending.entryAtJump,
            activity: { host.activity(of: pending.app) }, at: now)
        switch step {
        case .wait(let until): pending.nextLook = until
        case .answer: answer()
        case .jump:
            pending.entryAtJump = lastEntry
            pending.advance.jumped(left: engine.advance(by: pending.advance.left))
            pending.nextLook = now
        }
    }

    /// What has happened, line by line, and what is left; also where the app has ended meanwhile.
    func answer() {
        guard let pending = host.pendingAdvance else { return }
        host.pendingAdvance = nil
        let name = host.name(of: pending.app)
        for entry in host.log(of: pending.app).recent where entry.number > pending.firstEntry {
            host.reply(to: pending.request, entry.message(app: name))
        }
        let state = engine.core.app(pending.app)?.state ?? .notRunning
        let advance = pending.advance
        host.reply(
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
