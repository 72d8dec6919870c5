import CurfewCore
import CurfewWire

/// What an app goes on for that was asleep, or suspended and woken by input, and how long that took.
public struct Waking: Sendable, Hashable {
    /// It ends the sentence "woken by …".
    public var cause: String
    /// Of input, where it is known: whose it is, and what it came to.
    public var from: String?
    public var to: String?
    /// From when it was seen what for to when all of it was continued; in real time.
    public var resumedIn: Span

    public init(cause: String, from: String? = nil, to: String? = nil, resumedIn: Span) {
        self.cause = cause
        self.from = from
        self.to = to
        self.resumedIn = resumedIn
    }

    /// All but the cause.
    var fields: [Field] {
        (from.map { [Field("from", $0)] } ?? []) + (to.map { [Field("to", $0)] } ?? [])
            + [Field("resumed-in", Seconds.fineText(nanoseconds: resumedIn.nanoseconds))]
    }
}

/// How often an app has been woken, and what was the last of that.
struct Wakings: Sendable, Hashable {
    private(set) var count = 0
    private(set) var last: Waking?

    mutating func count(_ waking: Waking) {
        count += 1
        last = waking
    }

    var fields: [Field] {
        guard let last else { return [] }
        let more = last.fields.map { $0.key == "resumed-in" ? $0 : Field("woken-" + $0.key, $0.value) }
        return [Field("woken", String(count)), Field("woken-by", last.cause)] + more
    }
}
