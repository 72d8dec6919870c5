import CurfewCore
import CurfewWire

/// An app of `curfew run --join`: its own supervisor holds it, and it takes part in a server's front and task list.
final class JoinedApp {
    /// Its number in the front.
    let id: AppID
    let name: String
    /// By which its supervisor tells of it, and is asked.
    let session: ControlSession
    fileprivate(set) var word: Word
    /// Since when it is in that state, by lifecycle time.
    fileprivate(set) var since: Instant
    /// What its supervisor was asked and hasn't answered yet, by the number it was asked under. Nil: nobody waits for the answer.
    private var asked: [(number: Int, request: ControlRequest?)] = []
    private var lastAsked = 0

    /// More wait for nobody.
    private static let mostAsked = 64

    /// What its supervisor says of it: at first, and again at each change.
    struct Word: Hashable {
        var name: String
        var pid: Int32
        var state: LifecycleState
        /// Grows from word to word.
        var number: Int
        var isEnding: Bool

        /// Nil where it isn't one.
        init?(_ message: Message) {
            guard let name = message["app"], AppName.isValid(name), let pid = message["pid"].flatMap({ Int32($0) }),
                pid > 0, let state = message["state"].flatMap({ LifecycleState(rawValue: $0) }),
                let number = message["number"].flatMap({ Int($0) })
            else { return nil }
            self.name = name
            self.pid = pid
            self.state = state
            self.number = number
            isEnding = message["ending"] == "1"
        }
    }

    init(_ id: AppID, _ word: Word, _ session: ControlSession, at now: Instant) {
        self.id = id
        name = word.name
        self.session = session
        self.word = word
        since = now
    }

    var isInForeground: Bool { word.state.isForeground }

    /// Why it isn't asked to come to the front, as far as its supervisor has said; nil: it is.
    var rejectionOfOpening: Rejection? { word.isEnding ? .terminating : nil }

    /// Whether it has come to the front by that, or left it; nil: neither.
    func take(_ word: Word, at now: Instant) -> JoinedInput? {
        let before = self.word.state
        self.word = word
        if word.state != before { since = now }
        if word.state.isForeground == before.isForeground { return nil }
        return word.state.isForeground ? .opened : .wentHome
    }

    // MARK: What it is asked

    /// The line that asks; nil where too much waits already. `seen`: up to which word it is meant.
    func ask(_ verb: ControlVerb, for request: ControlRequest?) -> Message? {
        guard asked.count < Self.mostAsked else { return nil }
        lastAsked += 1
        asked.append((lastAsked, request))
        return Message(verb.rawValue, [Field("id", String(lastAsked)), Field("seen", String(word.number))])
    }

    /// Who waits for the answer of that number; nil: nobody.
    func answered(_ number: Int) -> ControlRequest? {
        guard let index = asked.firstIndex(where: { $0.number == number }) else { return nil }
        return asked.remove(at: index).request
    }

    /// Who waits for answers that will never come.
    var waiting: [ControlRequest] { asked.compactMap { $0.request } }

    /// A line of `apps`.
    func message(at now: Instant) -> Message {
        Message(
            "app",
            [
                Field("name", name), Field("state", word.state.rawValue),
                Field("since", Seconds.text(nanoseconds: (now - since).nanoseconds)), Field("launches", "1"),
                Field("pid", String(word.pid)), Field("joined", "1"),
            ])
    }
}
