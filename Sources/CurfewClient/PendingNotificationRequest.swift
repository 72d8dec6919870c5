import CurfewWire

/// A notification that waits to be told or shown, as far as the server tells of it: UserNotifications' `UNNotificationRequest`.
public struct PendingNotificationRequest: Hashable, Sendable {
    public let identifier: String
    /// When it is due next, in seconds since 1970; nil where that isn't known.
    public let nextTriggerDate: Double?
    /// Where it has none, its body.
    public let title: String
    /// Whose clocks its date means; nil: it is a moment.
    public let timeZone: String?
    /// `daily`, `weekly`, `monthly`, `yearly`, or seconds; nil: it comes once.
    public let repeatInterval: String?
    /// The number at the app's name from then on; nil: as it was.
    public let applicationIconBadgeNumber: Int?

    /// As the test kit's server has it; a date that clocks show isn't known there.
    package init(_ notification: LocalNotification) {
        identifier = notification.identifier ?? ""
        let date = notification.fireDate?.description ?? ""
        nextTriggerDate = date.hasPrefix("@") ? Double(date.dropFirst()) : nil
        title = notification.alertTitle.isEmpty ? notification.alertBody : notification.alertTitle
        timeZone = notification.timeZone
        repeatInterval = notification.repeatInterval
        applicationIconBadgeNumber = notification.applicationIconBadgeNumber
    }

    /// Nil for anything else that an app has scheduled.
    init?(_ scheduled: Message) {
        guard scheduled["kind"] == "notification", let identifier = scheduled["notification"] else { return nil }
        self.identifier = identifier
        nextTriggerDate = scheduled["due"].flatMap { Double($0) }
        title = scheduled["title"] ?? ""
        timeZone = scheduled["zone"]
        repeatInterval = scheduled["repeat"]
        applicationIconBadgeNumber = scheduled["badge"].flatMap { Int($0) }
    }
}
