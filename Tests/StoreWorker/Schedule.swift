import CurfewStore

/// What an app schedules in a turn, each row with the turn's number in it; one of two is over in the same turn.
enum Schedule {
    static func begun(of app: String, _ number: Int) -> [(what: String, change: StoreChange)] {
        let time = Int64(number)
        return [
            (
                "scheduled",
                .together(["series", "once"].map { .notificationKept(notification($0, of: app, time)) })
            ),
            ("badged", .badgeSet(app, number)),
            ("submitted", .together(["stays", "once"].map { .requestKept(request($0, of: app, time)) })),
            (
                "pushed",
                .pushKept(
                    StoredPush(app: app, number: number, received: time, apnsID: nil, isSilent: false, payload: "{}"))
            ),
            ("fetched", .fetchSet(StoredFetch(app: app, interval: time, last: nil, fruitless: 0))),
            ("opened", .opened(StoredOpening(app: app, time: time, shown: "2096-07-01T08:00:00"))),
        ]
    }

    static func over(of app: String, _ number: Int) -> [(what: String, change: StoreChange)] {
        [
            ("passed", .notificationPassed(StoredNotification.Key(app: app, id: "once"), nil)),
            ("done", .requestOver(StoredRequest.Key(app: app, id: "once"))),
            ("delivered", .pushDelivered(app: app, number: number, at: 1)),
        ]
    }

    private static func notification(_ id: String, of app: String, _ passed: Int64) -> StoredNotification {
        StoredNotification(
            key: StoredNotification.Key(app: app, id: id), moment: 0, repetition: "daily", passed: passed,
            content: #"{"title":"a","body":"","info":[]}"#)
    }

    private static func request(_ id: String, of app: String, _ submitted: Int64) -> StoredRequest {
        StoredRequest(key: StoredRequest.Key(app: app, id: id), kind: "refresh", submitted: submitted)
    }
}
