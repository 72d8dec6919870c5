import CurfewCore
import CurfewEngine
import CurfewStore

/// Notifications as they are kept, in both directions.
extension DatabaseRecords {
    static func stored(_ record: NotificationRecord) -> StoredNotification {
        let (notification, content) = (record.notification, record.notification.content)
        var (moment, civil, zone): (Int64?, String?, String?)
        switch notification.rule.start {
        case .moment(let time): moment = time.microseconds
        case .civil(let time, let ofZone):
            civil = time.text
            zone = if case .named(let name) = ofZone { name } else { localZone }
        }
        return StoredNotification(
            key: StoredNotification.Key(app: record.app, id: notification.id), moment: moment, civil: civil, zone: zone,
            repetition: notification.rule.repetition?.text, passed: record.passed,
            content: StoredNotification.Content(
                title: content.title, body: content.body, action: content.action, badge: content.badge,
                sound: content.sound, info: content.info.map { StoredNotification.Pair($0.key, $0.value) }
            ).text)
    }

    /// Nil for what a newer curfew has written in words that this one doesn't know.
    static func notification(_ stored: StoredNotification) -> (notification: LocalNotification, passed: Int64)? {
        guard let start = start(of: stored) else { return nil }
        var rule = CalendarRule(start)
        if let text = stored.repetition {
            guard let repetition = CalendarRule.Repetition(text) else { return nil }
            rule.repetition = repetition
        }
        return (
            LocalNotification(id: stored.key.id, rule: rule, written: stored.content, read: Self.content), stored.passed
        )
    }

    /// What somebody else has written is shown as it stands.
    @Sendable private static func content(_ text: String) -> LocalNotification.Content {
        guard let content = StoredNotification.Content(text) else { return LocalNotification.Content(body: text) }
        return LocalNotification.Content(
            title: content.title, body: content.body, action: content.action, badge: content.badge,
            sound: content.sound, info: content.info.map { Info($0.key, $0.value) })
    }

    private static let localZone = "local"

    private static func start(of stored: StoredNotification) -> CalendarRule.Start? {
        if let moment = stored.moment { return .moment(WallTime(microseconds: moment)) }
        guard let civil = stored.civil.flatMap({ CivilTime($0) }), let zone = stored.zone else { return nil }
        return .civil(civil, zone == localZone ? .local : .named(zone))
    }
}
