/// What a key asks an app's supervisor for.
public struct TopRequest: Sendable, Equatable {
    public enum Verb: String, Sendable, CaseIterable { case home, open, warn, quit }

    public let verb: Verb
    public let app: String

    public init(_ verb: Verb, _ app: String) {
        self.verb = verb
        self.app = app
    }

    /// What came of it. `state`: the one that the app is in now.
    func done(state: String) -> String {
        switch verb {
        case .home: "\(app) is home: \(state) now"
        case .open: "\(app) is open: \(state) now"
        case .warn: "\(app) was told that memory runs short"
        case .quit: "\(app) was told to end, and is killed if it doesn't"
        }
    }

    func refused(_ code: String, _ message: String) -> String {
        "\(app): \(verb.rawValue) was refused (\(code)): \(message)"
    }

    var unanswered: String { "\(app): its supervisor doesn't answer \(verb.rawValue); \(app) is as it was" }
}

/// What is to be done for a key.
public enum TopAction: Sendable, Equatable {
    case none
    /// It is over.
    case leave
    case ask(TopRequest)
    /// All of the screen anew: somebody else has written there.
    case drawAnew
}
