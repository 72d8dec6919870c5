import CurfewCore
import CurfewWire

/// A remote notification's payload, as Apple's push service takes it.
///
/// Source: Apple, "Generating a remote notification".
struct RemotePayload: Hashable {
    /// What tells of it to an app that is in front.
    static let event = "didReceiveRemoteNotification"

    var title = ""
    var body = ""
    var badge: Int?
    var sound: String?
    /// Its app is woken for it.
    var isContentAvailable = false

    /// More is refused. Source: Apple, "Sending notification requests to APNs": 4096 bytes, `PayloadTooLarge`.
    static let maximumBytes = 4096

    /// Whether nothing of it is shown, and nobody hears it.
    var isSilent: Bool { title.isEmpty && body.isEmpty && badge == nil && sound == nil }

    /// Throws for what isn't such a payload.
    init(_ bytes: [UInt8]) throws(BadNotification) {
        guard let json = try? JSON.parse(String(decoding: bytes, as: UTF8.self)), case .object? = json["aps"],
            let aps = json["aps"]
        else { throw BadNotification("the payload isn't a JSON object with an object aps") }
        switch aps["alert"] {
        case nil: break
        case .string(let text)?: body = text
        case .object?:
            let alert = aps["alert"]
            title = Self.text(alert, "title", orKey: "title-loc-key")
            let subtitle = Self.text(alert, "subtitle", orKey: "subtitle-loc-key")
            body = [subtitle, Self.text(alert, "body", orKey: "loc-key")].filter { !$0.isEmpty }
                .joined(separator: "\n")
        default: throw BadNotification("aps.alert is neither text nor an object")
        }
        if let value = aps["badge"] {
            guard case .integer(let number) = value, 0...Int64(Int32.max) ~= number else {
                throw BadNotification("aps.badge isn't a number, 0 or more")
            }
            badge = Int(number)
        }
        // Of a critical alert's only the name counts.
        if let value = aps["sound"] { sound = Self.string(value["name"] ?? value) }
        if case .integer(1)? = aps["content-available"] { isContentAvailable = true }
        guard isContentAvailable || !isSilent else {
            throw BadNotification("aps has none of alert, badge, sound and content-available")
        }
        for text in [title, body, sound ?? ""] where text.utf8.contains(0) {
            throw BadNotification("no text can hold a NUL")
        }
    }

    /// Of what is looked up in an app's tables the key is shown, as where they lack it.
    private static func text(_ alert: JSON?, _ name: String, orKey key: String) -> String {
        let text = string(alert?[name])
        return text.isEmpty ? string(alert?[key]) : text
    }

    private static func string(_ value: JSON?) -> String { if case .string(let text)? = value { text } else { "" } }
}
