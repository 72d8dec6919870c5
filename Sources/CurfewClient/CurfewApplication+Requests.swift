import CurfewWire

extension CurfewApplication: RequestScheduling {
    public func scheduleLocalNotification(_ notification: LocalNotification) throws(ScheduleRefused) -> String? {
        guard let message = notification.message else { throw ScheduleRefused(code: "invalid") }
        return try tell(message)?["notification"]
    }

    public func cancelLocalNotification(_ identifier: String) throws(ScheduleRefused) {
        try tell(Message("cancel", [Field("notification", identifier)]))
    }

    public func cancelAllLocalNotifications() throws(ScheduleRefused) {
        try tell(Message("cancel", [Field("all", "1")]))
    }

    public func getPendingNotificationRequests() throws(ScheduleRefused) -> [PendingNotificationRequest] {
        try scheduled().compactMap { PendingNotificationRequest($0) }
    }

    public func setMinimumBackgroundFetchInterval(_ interval: Double) throws(ScheduleRefused) {
        guard interval >= 0 else { throw ScheduleRefused(code: "invalid") }
        let seconds =
            interval == 0
            ? "minimum"
            : interval >= 9e9 ? "never" : Seconds.text(nanoseconds: Int64((interval * 1000).rounded()) * 1_000_000)
        try tell(Message("fetch-interval", [Field("seconds", seconds)]))
    }

    public func submit(_ request: TaskRequest) throws(ScheduleRefused) { try tell(request.message) }

    public func cancel(taskRequestWithIdentifier identifier: String) throws(ScheduleRefused) {
        try tell(Message("cancel", [Field("request", identifier)]))
    }

    public func cancelAllTaskRequests() throws(ScheduleRefused) {
        try tell(Message("cancel", [Field("all", "requests")]))
    }

    public func getPendingTaskRequests() throws(ScheduleRefused) -> [TaskRequest] {
        try scheduled().compactMap { TaskRequest(scheduled: $0) }
    }

    /// All that the app has scheduled, the soonest first; nothing where nobody is there.
    private func scheduled() throws(ScheduleRefused) -> [Message] {
        guard supervisor.channel() != nil else { return [] }
        switch supervisor.askAtLength(Message("schedule", [])) {
        case .ok(_, let parts)?: return parts
        case .refused(let code)?: throw ScheduleRefused(code: code)
        case nil: throw ScheduleRefused(code: "unanswered")
        }
    }

    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String, launchHandler: @escaping @Sendable (RequestedTask) -> Void
    ) -> Bool {
        requestCaller.register(identifier, launchHandler)
    }

    public func remoteNotification(of event: LifecycleEvent) -> String? {
        guard let push = event.info["push"],
            case .ok(_, let parts)? = supervisor.askAtLength(Message("payload", [Field("push", push)]))
        else { return nil }
        return parts.map { $0["text"] ?? "" }.joined()
    }

    /// What was answered; nil where nobody is there.
    @discardableResult
    private func tell(_ message: Message) throws(ScheduleRefused) -> Message? {
        var bytes: [UInt8] = []
        // With the longest id that there can be.
        Message(message.verb, [Field("id", String(repeating: "0", count: 32))] + message.fields).encodeWhole(
            into: &bytes)
        if bytes.count > LineReader.maximumLineBytes { throw ScheduleRefused(code: "invalid") }
        switch supervisor.ask(message) {
        case .ok(let reply): return reply
        case .gone: return nil
        case .silence: throw ScheduleRefused(code: "unanswered")
        case .refused(let code): throw ScheduleRefused(code: code)
        }
    }
}
