import CurfewWire

/// One thing that happened to an app, named as docs/json.md names events.
public struct Happening: Equatable, Sendable {
    /// Nanoseconds of the timeline's clock.
    public var time: Int64
    public var name: String
    /// What else is told of it: neither its time, its number nor its app.
    public var fields: [Field]
    /// 1 for the app's first; nil where that isn't told.
    public var number: Int?

    public init(time: Int64, name: String, fields: [Field] = [], number: Int? = nil) {
        self.time = time
        self.name = name
        self.fields = fields
        self.number = number
    }

    subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

    private static let common: Set = ["name", "number", "time", "app", "id"]

    /// Of an `event` line of the control channel; nil for one without a name or a time.
    public init?(_ message: Message) {
        guard let name = message["name"], !name.isEmpty, let time = message["time"].flatMap(Seconds.parse),
            time >= 0, time != .max
        else { return nil }
        self.init(
            time: time, name: name, fields: message.fields.filter { !Self.common.contains($0.key) },
            number: message["number"].flatMap { Int($0) })
    }

    /// Of an object as `curfew events --json` and a report have it; nil for one without a name or a time.
    init?(_ json: JSON) {
        guard case .object(let members) = json, case .string(let name)? = json["name"], !name.isEmpty,
            let time = json["time"].flatMap(Self.nanoseconds)
        else { return nil }
        let fields = members.filter { !Self.common.contains($0.key) }.compactMap { key, value in
            Self.text(value).map { Field(key, $0) }
        }
        var number: Int?
        if case .integer(let told)? = json["number"] { number = Int(exactly: told) }
        self.init(time: time, name: name, fields: fields, number: number)
    }

    /// Of seconds; a number of seconds since 1970 is exact to microseconds. Nil for what no clock shows.
    static func nanoseconds(_ json: JSON) -> Int64? {
        switch json {
        case .integer(let seconds) where (0...9_000_000_000).contains(seconds): seconds * 1_000_000_000
        case .number(let seconds) where seconds >= 0 && seconds <= 9e9: Int64((seconds * 1e6).rounded()) * 1000
        default: nil
        }
    }

    static func text(_ json: JSON) -> String? {
        switch json {
        case .null: nil
        case .string(let text): text
        case .bool, .integer, .number, .array, .object: json.text
        }
    }
}
