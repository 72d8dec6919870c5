import CurfewCore
import CurfewWire

/// What `notify-send` is to show, and the words for it.
struct DesktopNotice: Hashable {
    var number: Int
    var app: String
    var title: String
    var body: String
    /// What its button says; nil: it has none, and nobody waits.
    var action: String?
    var sound: String?

    /// What the desktop is called for a click on the notification itself, too.
    ///
    /// Source: Desktop Notifications Specification, "org.freedesktop.Notifications.Notify", actions.
    static let actionKey = "default"

    /// Text stands after `--`, so that none of it is an option.
    func words(withAction: Bool) -> [String] {
        var words = ["notify-send", "--app-name=\(app)"]
        if withAction, let action { words.append("--action=\(Self.actionKey)=\(action)") }
        if let sound { words.append("--hint=string:sound-name:\(sound)") }
        // A summary is needed, and isn't markup.
        words += ["--", title.isEmpty ? app : title]
        return body.isEmpty ? words : words + [Self.escaped(body)]
    }

    /// A body is markup, and before that a C string: `notify-send` reads its backslashes.
    ///
    /// Source: Desktop Notifications Specification, "Markup"; libnotify, notify-send.c, g_strcompress().
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\\": result += "\\\\"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    // MARK: On its way to the process that shows it

    /// `environment`: what isn't as it was when that process began.
    func message(_ environment: [(key: String, value: String)]) -> Message {
        var fields = [
            Field("number", String(number)), Field("app", app), Field("title", title), Field("body", body),
        ]
        if let action { fields.append(Field("action", action)) }
        if let sound { fields.append(Field("sound", sound)) }
        return Message("show", fields + environment.map { Field("environment." + $0.key, $0.value) })
    }

    /// Nil for what `message` doesn't make.
    init?(_ message: Message) {
        guard message.verb == "show", let number = message["number"].flatMap({ Int($0) }), let app = message["app"],
            let title = message["title"], let body = message["body"]
        else { return nil }
        self.init(
            number: number, app: app, title: title, body: body, action: message["action"], sound: message["sound"])
    }

    init(number: Int, app: String, title: String, body: String, action: String? = nil, sound: String? = nil) {
        self.number = number
        self.app = app
        self.title = title
        self.body = body
        self.action = action
        self.sound = sound
    }
}

/// What became of one.
enum DesktopAnswer: Hashable {
    /// Its button was pressed.
    case chosen(Int)
    /// It was closed, or shown without a button.
    case closed(Int)
    /// Nothing shows it, and why.
    case failed(Int, reason: String)

    var number: Int {
        switch self {
        case .chosen(let number), .closed(let number), .failed(let number, _): number
        }
    }

    var message: Message {
        switch self {
        case .chosen(let number): Message("chosen", [Field("number", String(number))])
        case .closed(let number): Message("closed", [Field("number", String(number))])
        case .failed(let number, let reason):
            Message("failed", [Field("number", String(number)), Field("reason", reason)])
        }
    }

    init?(_ message: Message) {
        guard let number = message["number"].flatMap({ Int($0) }) else { return nil }
        switch message.verb {
        case "chosen": self = .chosen(number)
        case "closed": self = .closed(number)
        case "failed": self = .failed(number, reason: message["reason"] ?? "")
        default: return nil
        }
    }
}
