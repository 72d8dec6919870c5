/// What clients can ask for, and who may.
enum ControlVerb: String, CaseIterable {
    case hello, ack, begin, end, remaining, tasks, status, events
    case keepAlive = "keep-alive"
    case home, open, interrupt, dismiss, post, wake, warn, pressure, quit, reclaim, advance, sleep
    case apps, launch, `switch`, remove, stop, reload, server, history, join
    case notify, cancel, schedule, fetch, completed, push, payload
    case fetchInterval = "fetch-interval"
    case submit
    case runRequest = "run-request"
    case expireRequest = "expire-request"
    case quitAll = "quit-all"

    /// What only a server of many apps does.
    var isServers: Bool {
        switch self {
        case .apps, .launch, .switch, .remove, .stop, .reload, .server, .history, .quitAll, .join, .notify, .cancel,
            .schedule, .fetch, .fetchInterval, .push, .payload, .submit, .runRequest, .expireRequest:
            true
        case .hello, .ack, .completed, .begin, .end, .remaining, .tasks, .status, .events, .keepAlive, .home, .open,
            .interrupt,
            .dismiss, .post, .wake, .warn, .pressure, .quit, .reclaim, .advance, .sleep:
            false
        }
    }

    func isAllowed(for role: ControlSession.Role) -> Bool {
        switch (self, role) {
        case (_, .stranger): false
        case (.hello, .app), (.ack, .app), (.begin, .app), (.end, .app), (.remaining, .app),
            (.keepAlive, .app), (.completed, .app):
            true
        case (.home, .operator), (.open, .operator), (.quit, .operator), (.reclaim, .operator): true
        case (.interrupt, .operator), (.dismiss, .operator), (.post, .operator), (.wake, .operator),
            (.warn, .operator), (.pressure, .operator), (.advance, .operator),
            (.sleep, .operator):
            true
        case (.apps, .operator), (.launch, .operator), (.switch, .operator), (.remove, .operator), (.stop, .operator),
            (.reload, .operator), (.server, .operator), (.history, .operator), (.quitAll, .operator),
            (.join, .operator), (.fetch, .operator), (.push, .operator), (.runRequest, .operator),
            (.expireRequest, .operator):
            true
        case (.tasks, _), (.status, _), (.events, _), (.notify, _), (.cancel, _), (.schedule, _),
            (.fetchInterval, _), (.payload, _), (.submit, _):
            true
        default: false
        }
    }

    var whyForbidden: String {
        switch self {
        case .home, .open, .interrupt, .dismiss, .post, .wake, .warn, .pressure, .quit, .reclaim, .advance,
            .sleep, .apps, .launch, .switch, .remove, .stop, .reload, .server, .history, .quitAll, .join,
            .fetch, .push, .runRequest, .expireRequest:
            "a process inside an app can't drive a supervisor"
        case .hello, .ack, .begin, .end, .remaining, .keepAlive, .completed:
            "only a process inside the app speaks for it"
        case .tasks, .status, .events, .notify, .cancel, .schedule, .fetchInterval, .payload, .submit:
            "only this user outside any app, and the app itself, may ask"
        }
    }
}
