import CurfewClient

/// What a program under test has asked to be done later.
struct FakeSchedule: Sendable {
    var notifications: [LocalNotification] = []
    var lastNotification = 0
    var requests: [TaskRequest] = []
    var fetchInterval: Double?
    var payloads: [String: String] = [:]
    /// Why what is asked for next is refused; nil: it isn't.
    var refusal: String?
}

extension FakeApplication: RequestScheduling {
    // MARK: What the program under test calls

    public func scheduleLocalNotification(_ notification: LocalNotification) throws(ScheduleRefused) -> String? {
        try checked { schedule in
            var notification = notification
            if notification.identifier == nil {
                schedule.lastNotification += 1
                notification.identifier = "n\(schedule.lastNotification)"
            }
            schedule.notifications.removeAll { $0.identifier == notification.identifier }
            schedule.notifications.append(notification)
            return notification.identifier
        } ?? nil
    }

    public func cancelLocalNotification(_ identifier: String) throws(ScheduleRefused) {
        _ = try checked { $0.notifications.removeAll { $0.identifier == identifier } }
    }

    public func cancelAllLocalNotifications() throws(ScheduleRefused) {
        _ = try checked { $0.notifications = [] }
    }

    /// In the order in which they were scheduled.
    public func getPendingNotificationRequests() throws(ScheduleRefused) -> [PendingNotificationRequest] {
        try checked { $0.notifications.map { PendingNotificationRequest($0) } } ?? []
    }

    public func setMinimumBackgroundFetchInterval(_ interval: Double) throws(ScheduleRefused) {
        guard interval >= 0 else { throw ScheduleRefused(code: "invalid") }
        _ = try checked { $0.fetchInterval = interval }
    }

    /// One refresh and ten processing requests wait, as with a supervisor.
    public func submit(_ request: TaskRequest) throws(ScheduleRefused) {
        let isKept = try checked { schedule in
            let others = schedule.requests.filter { $0.identifier != request.identifier }
            let maximum = request.kind == .appRefresh ? 1 : 10
            guard others.count(where: { $0.kind == request.kind }) < maximum else { return false }
            schedule.requests = others + [request]
            return true
        }
        if isKept == false { throw ScheduleRefused(code: "too-many-requests") }
    }

    public func cancel(taskRequestWithIdentifier identifier: String) throws(ScheduleRefused) {
        _ = try checked { $0.requests.removeAll { $0.identifier == identifier } }
    }

    public func cancelAllTaskRequests() throws(ScheduleRefused) { _ = try checked { $0.requests = [] } }

    /// In the order of their submission.
    public func getPendingTaskRequests() throws(ScheduleRefused) -> [TaskRequest] { try checked { $0.requests } ?? [] }

    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String, launchHandler: @escaping @Sendable (RequestedTask) -> Void
    ) -> Bool {
        requestCaller.register(identifier, launchHandler)
    }

    public func remoteNotification(of event: LifecycleEvent) -> String? {
        event.info["push"].flatMap { push in schedule.withLock { $0.payloads[push] } }
    }

    /// Nil without a supervisor, where nothing happens.
    private func checked<Result>(_ body: (inout FakeSchedule) -> Result) throws(ScheduleRefused) -> Result? {
        guard isMultitaskingSupported else { return nil }
        let refusal = schedule.withLock { schedule in
            defer { schedule.refusal = nil }
            return schedule.refusal
        }
        if let refusal { throw ScheduleRefused(code: refusal) }
        return schedule.withLock(body)
    }

    // MARK: What the test says

    /// What the next call is refused for, such as `unsupported`.
    public func refuseNextRequest(_ code: String) { schedule.withLock { $0.refusal = code } }

    /// Wakes the app for the request of that identifier, which waits no more, and waits until its work is completed.
    ///
    /// - Throws: `NotAcknowledged` when it isn't within the limit; false where no such request waits.
    @discardableResult
    public func run(taskRequestWithIdentifier identifier: String, within limit: Duration = .seconds(30)) async throws
        -> Bool
    {
        let request = schedule.withLock { schedule -> TaskRequest? in
            guard let index = schedule.requests.firstIndex(where: { $0.identifier == identifier }) else { return nil }
            return schedule.requests.remove(at: index)
        }
        guard let request else { return false }
        try await stage.ask(.wake, name: request.kind.rawValue, info: ["request": identifier], within: limit)
        return true
    }

    /// Tells the app that its time for what it was woken for last is nearly over.
    public func expireRequestedTask() {
        stage.tell(.change, name: "taskWillExpire", info: ["seq": String(stage.lastSequence)])
    }

    /// Wakes the app for what was pushed, or tells it in front, and waits until that is acknowledged.
    public func push(_ payload: String, within limit: Duration = .seconds(30)) async throws {
        let number = schedule.withLock { schedule in
            let number = String(schedule.payloads.count + 1)
            schedule.payloads[number] = payload
            return number
        }
        let info = ["push": number, "bytes": String(payload.utf8.count)]
        try await stage.ask(.wake, name: "remote-notification", info: info, within: limit)
    }

    // MARK: What the test asks

    /// Those that wait, in the order in which they were scheduled.
    public var scheduledLocalNotifications: [LocalNotification] { schedule.withLock { $0.notifications } }

    /// Those that wait, in the order of their submission.
    public var pendingTaskRequests: [TaskRequest] { schedule.withLock { $0.requests } }

    /// Nil where the app has said nothing.
    public var minimumBackgroundFetchInterval: Double? { schedule.withLock { $0.fetchInterval } }

    /// The results of events that were completed with one, in order.
    public var fetchResults: [BackgroundFetchResult] {
        stage.outcomes.compactMap { if case .fetch(let result) = $0 { result } else { nil } }
    }

    /// Whether the work of requests has succeeded, in the order of its end.
    public var taskCompletions: [Bool] {
        stage.outcomes.compactMap { if case .task(let success) = $0 { success } else { nil } }
    }
}
