import CurfewCore
import CurfewWire

/// What a source may ask for.
enum SourceVerb: String, CaseIterable {
    case home, open, post, push, wake, warn

    /// Whether a request of it can carry a field of that key, besides `app=`.
    fileprivate func takes(_ key: String) -> Bool {
        switch self {
        case .home, .open: false
        case .warn: key == "level"
        case .push: key == "payload" || key == "apns-id"
        case .post, .wake: key == "name" || key.hasPrefix("info.")
        }
    }

    /// Whether it means somebody where no app is named: whoever is in front.
    fileprivate var needsNoApp: Bool { self == .home }

    /// For people: `home, open, post, push, wake and warn`.
    static var listed: String {
        let names = allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}

/// What one line of a source asks for.
///
/// A line is one of the control protocol, with fewer verbs and only the fields that these have: what a source was told by others
/// and passes on can become a value, never another request.
struct SourceRequest: Equatable {
    let verb: SourceVerb
    /// By its name, or the pid of any process of it; nil: whoever is in front.
    let app: String?
    let fields: [Field]

    /// Why a line is no request, for people.
    struct Problem: Error, Hashable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    /// Nil for a blank line. `line`: without its end.
    static func parse(_ line: [UInt8]) throws(Problem) -> SourceRequest? {
        let message: Message?
        do throws(MalformedLine) {
            message = try Message.parse(line)
        } catch {
            throw Problem("\(error.problem), at byte \(error.offset)")
        }
        return try message.map { message throws(Problem) in try SourceRequest(message) }
    }

    private init(_ message: Message) throws(Problem) {
        guard let verb = SourceVerb(rawValue: message.verb) else {
            throw Problem("a source may ask for \(SourceVerb.listed)")
        }
        self.verb = verb
        var seen: Set<String> = []
        for field in message.fields {
            guard field.key == "app" || verb.takes(field.key) else {
                throw Problem("\(verb.rawValue) takes no \(field.key)=")
            }
            guard seen.insert(field.key).inserted else { throw Problem("\(field.key)= stands there twice") }
        }
        app = message["app"]
        fields = message.fields.filter { $0.key != "app" }
        if app == nil, !verb.needsNoApp { throw Problem("\(verb.rawValue) needs app=NAME") }
    }

    /// As the server's own channel takes it. `app`: the name of whom it is about.
    func message(for app: String, id: Int) -> Message {
        Message(verb.rawValue, [Field("id", String(id)), Field("app", app)] + fields)
    }
}

extension SourceRequest: CustomStringConvertible {
    var description: String { Message(verb.rawValue, (app.map { [Field("app", $0)] } ?? []) + fields).line }
}
