import CurfewWire

/// When something is due, as `curfew notify --at` takes it.
public struct FireDate: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Such as `2026-12-01 08:00`, `08:00`, `2026-12-01T08:00:00Z` or `@1796112000`.
    public let description: String

    public init(_ text: String) { description = text }

    public init(stringLiteral text: String) { description = text }

    /// A moment, the same everywhere; fractions of a second are cut off, and what is before 1970 or has no end is 1970.
    public init(secondsSince1970 seconds: Double) {
        description = "@" + String(Int64(exactly: max(0, seconds).rounded(.down)) ?? 0)
    }
}

/// What an app is told, or its user shown, at some moment, whether it runs by then or not: UIKit's `UILocalNotification`.
///
/// Source: docs/schedules.md.
public struct LocalNotification: Hashable, Sendable {
    public var alertTitle = ""
    /// Without it and a title it only changes the badge.
    public var alertBody: String
    /// Nil: at once.
    public var fireDate: FireDate?
    /// Whose clocks the date means: `local`, wherever the machine is by then, or a name such as `Europe/Berlin`. Nil: it is a
    /// moment.
    public var timeZone: String?
    /// `daily`, `weekly`, `monthly`, `yearly`, or seconds, 60 or more; nil: it comes once.
    public var repeatInterval: String?
    /// What its button says; nil: `Open`.
    public var alertAction: String?
    /// Whether it has a button; without one it can only be closed.
    public var hasAction = true
    /// The number at the app's name from then on; 0: none; nil: as it was.
    public var applicationIconBadgeNumber: Int?
    public var soundName: String?
    /// What travels with it: 8 pairs at most, keys of letters, digits, `-`, `_` and `.`.
    public var userInfo: [String: String] = [:]
    /// A new one takes the place of one of the same; nil: one is made up.
    public var identifier: String?

    public init(alertBody: String = "", fireDate: FireDate? = nil) {
        self.alertBody = alertBody
        self.fireDate = fireDate
    }

    /// Nil where a key can't stand on a line.
    var message: Message? {
        var fields: [Field] = []
        func add(_ key: String, _ value: String?) { if let value { fields.append(Field(key, value)) } }
        add("notification", identifier)
        add("title", alertTitle.isEmpty ? nil : alertTitle)
        add("body", alertBody.isEmpty ? nil : alertBody)
        add("at", fireDate?.description)
        add("zone", timeZone)
        add("repeat", repeatInterval)
        add("action", hasAction ? alertAction : "none")
        add("badge", applicationIconBadgeNumber.map { String($0) })
        add("sound", soundName)
        for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
            guard Self.isWord(key) else { return nil }
            add("info." + key, value)
        }
        return Message("notify", fields)
    }

    private static func isWord(_ key: String) -> Bool {
        !key.isEmpty
            && key.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [45, 46, 95].contains($0)
            }
    }
}
