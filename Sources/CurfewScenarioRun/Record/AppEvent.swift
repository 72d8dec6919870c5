import CurfewWire

/// One thing that happened to the app, as its supervisor tells its followers.
public struct AppEvent: Sendable, Equatable {
    /// As the supervisor numbers it: grows within a launch.
    public var number: Int
    public var name: String
    /// Without name, number and app's name.
    public var fields: [Field]

    public init(number: Int, name: String, fields: [Field]) {
        self.number = number
        self.name = name
        self.fields = fields
    }

    /// Of a line `event name=… number=… …`; nil when it is none.
    public init?(_ message: Message) {
        guard message.verb == "event", let name = message["name"], let number = message["number"].flatMap(Int.init)
        else {
            return nil
        }
        let known = ["id", "name", "number", "app"]
        self.init(number: number, name: name, fields: message.fields.filter { !known.contains($0.key) })
    }

    public subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

    /// What a scenario calls it: an event that was delivered by its own name, anything else by what the history says.
    public var title: String { name == "didDeliver" ? self["event"] ?? name : name }

    /// Whether it has that name, and these pairs among its own; what was posted with it may leave out `info.`.
    public func matches(_ title: String, _ pairs: [(key: String, value: String)]) -> Bool {
        guard title == self.title || title == name else { return false }
        return pairs.allSatisfy { pair in
            fields.contains { ($0.key == pair.key || $0.key == "info." + pair.key) && $0.value == pair.value }
        }
    }

    /// `didEnterBackground seq=4`, for people.
    public var line: String {
        let rest = fields.filter { $0.key != "time" && !(name == "didDeliver" && $0.key == "event") }
        return ([title] + rest.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    }
}
