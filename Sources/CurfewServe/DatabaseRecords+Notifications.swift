import CurfewCore
import CurfewEngine
import CurfewStore

/// Notifications as they are kept, in both directions.
extension DatabaseRecords {
    static func stored(_ record: NotificationRecord) -> StoredNotification {
        let (notification, content) = (record.notification, record.notification.content)
        var stored = StoredNotification(
            key: StoredNotification.Key(app: record.app, id: notification.id),
            repetition: notification.rule.repetition?.text, passed: record.passed,
            content: StoredNotification.Content(
                title: content.title, body: content.body, action: content.action, badge: content.badge,
                sound: content.sound, info: content.info.map { StoredNotification.Pair($0.key, $0.value) }))
        switch notification.rule.start {
        case .moment(let time): stored.moment = time.microseconds
        case .civil(let time, let zone):
            stored.civil = time.text
            stored.zone = if case .named(let name) = zone { name } else { localZone }
        }
        return stored
    }

    /// Nil for what a newer curfew has written in words that this one doesn't know.
    static func notification(_ stored: StoredNotification) -> NotificationRecord? {
        guard let start = start(of: stored) else { return nil }
        var rule = CalendarRule(start)
        if let text = stored.repetition {
            guard let repetition = CalendarRule.Repetition(text) else { return nil }
            rule.repetition = repetition
        }
        let content = stored.content
        return NotificationRecord(
            app: stored.key.app,
            notification: LocalNotification(
                id: stored.key.id, rule: rule,
                content: LocalNotification.Content(
                    title: content.title, body: content.body, action: content.action, badge: content.badge,
                    sound: content.sound, info: content.info.map { Info($0.key, $0.value) })),
            passed: stored.passed)
    }

    private static let localZone = "local"

    private static func start(of stored: StoredNotification) -> CalendarRule.Start? {
        if let moment = stored.moment { return .moment(WallTime(microseconds: moment)) }
        guard let civil = stored.civil.flatMap({ CivilTime($0) }), let zone = stored.zone else { return nil }
        return .civil(civil, zone == localZone ? .local : .named(zone))
    }
}
