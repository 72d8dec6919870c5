import CurfewCore
import CurfewWire

/// One input and its moment, as a line of a journal: `input at=81201 name=home app=1 stopped=false request=3`.
///
/// `at` is lifecycle time; where that isn't real time, `real` is.
/// Times are in nanoseconds: what the core compares must come back to the last digit.
struct RecordedInput: Equatable {
    var input: Input
    var moment: Moment

    init(input: Input, at moment: Moment) {
        self.input = input
        self.moment = moment
    }

    /// Nil when the line is no input that a journal can hold.
    init?(_ message: Message) {
        guard message.verb == "input", let at = message["at"].flatMap(Int64.init),
            let input = Input(journal: JournalFields(message))
        else { return nil }
        let lifecycle = Instant(nanoseconds: at)
        guard let real = message["real"] else {
            self.init(input: input, at: Moment(lifecycle))
            return
        }
        guard let nanoseconds = Int64(real) else { return nil }
        self.init(input: input, at: Moment(lifecycle: lifecycle, real: Instant(nanoseconds: nanoseconds)))
    }

    var message: Message {
        let (name, fields) = input.journalFields
        let app = input.app.map { [Field("app", String($0.rawValue))] } ?? []
        return Message("input", moment.journalFields + [Field("name", name)] + app + fields)
    }
}

extension Moment {
    /// The real time only where it says something.
    var journalFields: [Field] {
        let real = self == Moment(lifecycle) ? [] : [Field("real", String(self.real.nanoseconds))]
        return [Field("at", String(lifecycle.nanoseconds))] + real
    }
}

/// A line's fields, read back as what they were.
struct JournalFields {
    let message: Message

    init(_ message: Message) { self.message = message }

    var name: String { message["name"] ?? "" }
    var app: AppID? { int("app").map { AppID($0) } }
    var request: RequestID? { int("request").map { RequestID($0) } }

    func text(_ key: String) -> String? { message[key] }
    func int(_ key: String) -> Int? { message[key].flatMap { Int($0) } }
    func bytes(_ key: String) -> UInt64? { message[key].flatMap { UInt64($0) } }
    func flag(_ key: String) -> Bool? { message[key].flatMap { Bool($0) } }
    func span(_ key: String) -> Span? { message[key].flatMap { Int64($0) }.map { Span(nanoseconds: $0) } }

    func posted(_ key: String) -> PostedEvent? { text(key).map { PostedEvent($0, message.info) } }
}

extension Field {
    init(_ key: String, _ span: Span) { self.init(key, String(span.nanoseconds)) }
    init(_ key: String, _ number: Int) { self.init(key, String(number)) }
    init(_ key: String, _ flag: Bool) { self.init(key, String(flag)) }
    init(_ request: RequestID) { self.init("request", request.rawValue) }

    static func request(_ request: RequestID?) -> [Field] { request.map { [Field($0)] } ?? [] }
}
