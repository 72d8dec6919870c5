import CurfewClientTestKit
import CurfewWire
import Testing

@testable import CurfewClient

@Suite("What is to be done later", .timeLimit(.minutes(2)))
struct SchedulingTests {
    /// Answers each request of that verb with these lines.
    private static func answering(_ verb: String, _ lines: String...) -> FakeSupervisor.Answering {
        { message in
            guard message.verb == verb, let id = message["id"] else { return nil }
            return lines.map { $0.replacing("ID", with: id) }
        }
    }

    private static func answeringAll(_ verbs: String...) -> FakeSupervisor.Answering {
        { message in verbs.contains(message.verb) ? ["ok id=\(message["id"] ?? "")"] : nil }
    }

    private static func fields(_ request: FakeSupervisor.Request) -> [String] {
        request.message.fields.filter { $0.key != "id" }.map { "\($0.key)=\($0.value)" }
    }

    @Test("A notification is scheduled with all that it has; its identifier comes back")
    func notification() throws {
        let answer = Self.answering("notify", "ok id=ID notification=tea due=1796112240.000")
        try withSupervisor(answering: answer) { supervisor, application in
            var tea = LocalNotification(alertBody: "It is ready", fireDate: "08:00")
            tea.alertTitle = "Tea"
            tea.timeZone = "local"
            tea.repeatInterval = "daily"
            tea.alertAction = "Drink"
            tea.applicationIconBadgeNumber = 2
            tea.soundName = "bell"
            tea.userInfo = ["kind": "a b", "from": "ada"]
            tea.identifier = "tea"
            #expect(try application.scheduleLocalNotification(tea) == "tea")
            #expect(
                Self.fields(try supervisor.wait(for: "notify")) == [
                    "notification=tea", "title=Tea", "body=It is ready", "at=08:00", "zone=local", "repeat=daily",
                    "action=Drink", "badge=2", "sound=bell", "info.from=ada", "info.kind=a b",
                ])
            var plain = LocalNotification(alertBody: "x", fireDate: FireDate(secondsSince1970: 1_796_112_000.75))
            plain.hasAction = false
            _ = try application.scheduleLocalNotification(plain)
            #expect(
                Self.fields(try supervisor.wait(for: "notify", count: 2)) == [
                    "body=x", "at=@1796112000", "action=none",
                ])
        }
    }

    @Test("What can't stand on a line isn't sent")
    func invalid() throws {
        try withSupervisor { supervisor, application in
            var bad = LocalNotification(alertBody: "x")
            bad.userInfo = ["a b": "c"]
            let long = LocalNotification(alertBody: String(repeating: "x", count: 5_000))
            for notification in [bad, long] {
                #expect(throws: ScheduleRefused(code: "invalid")) {
                    try application.scheduleLocalNotification(notification)
                }
            }
            #expect(throws: ScheduleRefused(code: "invalid")) { try application.setMinimumBackgroundFetchInterval(-1) }
            #expect(supervisor.requests.isEmpty)
        }
    }

    @Test("Cancelling, and how often it fetches")
    func cancelling() throws {
        try withSupervisor(answering: Self.answeringAll("cancel", "fetch-interval")) { supervisor, application in
            try application.cancelLocalNotification("tea")
            try application.cancelAllLocalNotifications()
            try application.cancel(taskRequestWithIdentifier: "index")
            try application.cancelAllTaskRequests()
            for interval in [0, .infinity, 7200.25] as [Double] {
                try application.setMinimumBackgroundFetchInterval(interval)
            }
            #expect(
                supervisor.requests.flatMap(Self.fields) == [
                    "notification=tea", "all=1", "request=index", "all=requests", "seconds=minimum", "seconds=never",
                    "seconds=7200.250",
                ])
        }
    }

    @Test("Requests are submitted; a refusal is thrown, with its code")
    func requests() throws {
        let answer: FakeSupervisor.Answering = { message in
            guard message.verb == "submit" else { return nil }
            let isFirst = message["request"] == "inbox"
            return [(isFirst ? "ok" : "error code=too-many-requests") + " id=\(message["id"] ?? "")"]
        }
        try withSupervisor(answering: answer) { supervisor, application in
            try application.submit(TaskRequest(.appRefresh, identifier: "inbox"))
            var index = TaskRequest(.processing, identifier: "index", earliestBeginDate: "@1796112000")
            index.requiresNetworkConnectivity = true
            index.requiresExternalPower = true
            #expect(throws: ScheduleRefused(code: "too-many-requests")) { try application.submit(index) }
            #expect(
                supervisor.requests.map(Self.fields) == [
                    ["kind=refresh", "request=inbox"],
                    ["kind=processing", "request=index", "earliest=@1796112000", "needs-network=1", "needs-power=1"],
                ])
        }
    }

    @Test("Without a supervisor nothing happens")
    func absent() throws {
        let application = CurfewApplication(at: SupervisorAddress(socketPath: nil, inheritedDescriptor: nil))
        #expect(try application.scheduleLocalNotification(LocalNotification(alertBody: "x")) == nil)
        try application.submit(TaskRequest(.processing, identifier: "index"))
        #expect(!application.register(forTaskWithIdentifier: "index") { _ in })
        #expect(application.remoteNotification(of: LifecycleEvent(.wake, sequence: 1, info: ["push": "1"])) == nil)
    }

    private static let processing =
        "event name=processing seq=8 kind=wake ack=required seconds=600.000 info.request=index"
    private static let expiring =
        "event name=taskWillExpire seq=9 kind=change seconds=5.000 info.event=processing info.seq=8"

    @Test("A launch handler is called, and its task answered once it is completed, from wherever")
    func launched() throws {
        try withSupervisor { supervisor, application in
            let tasks = Witness<RequestedTask>()
            #expect(application.register(forTaskWithIdentifier: "index") { tasks.add($0) })
            let connection = try supervisor.wait(for: "hello").connection
            supervisor.send([Self.processing], to: connection)
            let task = try tasks.wait(count: 1)[0]
            #expect((task.identifier, task.kind) == ("index", .processing))
            #expect(supervisor.count("completed") == 0)
            task.setTaskCompleted(success: true)
            task.setTaskCompleted(success: false)
            #expect(Self.fields(try supervisor.wait(for: "completed")) == ["seq=8", "success=true"])
            // Nobody is registered for that one.
            supervisor.send(
                [Self.processing.replacing("=8", with: "=10").replacing("index", with: "x")], to: connection)
            #expect(try supervisor.wait(for: "ack").message["seq"] == "10")
        }
    }

    @Test("Expired, its handler is called; without one it has failed", arguments: [true, false])
    func expired(hasHandler: Bool) throws {
        try withSupervisor { supervisor, application in
            let calls = Witness<String>()
            application.register(forTaskWithIdentifier: "index") { task in
                if hasHandler {
                    task.expirationHandler = { [weak task] in
                        calls.add("expired")
                        task?.setTaskCompleted(success: false)
                    }
                }
                calls.add("working")
            }
            let connection = try supervisor.wait(for: "hello").connection
            supervisor.send(
                [Self.processing, Self.expiring.replacing("info.seq=8", with: "info.seq=7"), Self.expiring],
                to: connection)
            #expect(Self.fields(try supervisor.wait(for: "completed")) == ["seq=8", "success=false"])
            #expect(calls.all == (hasHandler ? ["working", "expired"] : ["working"]))
        }
    }

    @Test("The result of a fetch is told with its acknowledgement")
    func fetched() async throws {
        try await withSupervisor { supervisor, application in
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send(["event name=fetch seq=7 kind=wake ack=required seconds=30.000"], to: connection)
            let event = try #require(await loop.next())
            event.complete(with: .noData)
            event.complete(with: .newData)
            let told = try await supervisor.wait(for: "completed")
            #expect(Self.fields(told) == ["seq=7", "result=no-data"])
        }
    }

    @Test("A payload is read in parts; nil where there is none")
    func payload() throws {
        let answer: FakeSupervisor.Answering = { message in
            guard message.verb == "payload", let id = message["id"] else { return nil }
            if message["push"] != "3" { return ["error id=\(id) code=unknown-push"] }
            return [
                #"part id=\#(id) text="{\"aps\":{\"al""#, "part id=other text=no", #"part id=\#(id) text="ert\":1}}""#,
                "ok id=\(id) bytes=19",
            ]
        }
        try withSupervisor(answering: answer) { supervisor, application in
            func payload(_ info: [String: String]) -> String? {
                application.remoteNotification(
                    of: LifecycleEvent(.wake, name: "remote-notification", sequence: 1, info: info))
            }
            #expect(payload(["push": "3"]) == #"{"aps":{"alert":1}}"#)
            #expect(payload(["push": "4"]) == nil)
            #expect(payload([:]) == nil)
            #expect(supervisor.count("payload") == 2)
        }
    }

    private static let pending = [
        #"schedule id=ID app=a kind=processing request=now due=1.000 shown="" waits=runs"#,
        "schedule id=other app=a kind=refresh request=other due=2.000",
        #"schedule id=ID app=a kind=notification notification=tea due=1796112240.500 shown="" zone=local repeat=daily badge=2 title="Tea \"x\"""#,
        #"schedule id=ID app=a kind=fetch due=1796112241.000 shown="" repeat=7200"#,
        #"schedule id=ID app=a kind=processing request=index due=1796112242.000 shown="" earliest=1796112000.000 needs-network=1 needs-power=1"#,
        #"schedule id=ID app=a kind=refresh request=inbox due=1796112243.000 shown="" waits=offline"#,
        #"schedule id=ID app=a kind=notification notification=n1 due=1796112244.000 shown="" title=y"#,
        "ok id=ID count=6",
    ]

    @Test("What waits is listed, the soonest first, each kind by itself; what the app works on waits no more")
    func pending() throws {
        let answer: FakeSupervisor.Answering = { message in
            guard message.verb == "schedule", let id = message["id"] else { return nil }
            return Self.pending.map { $0.replacing("ID", with: id) }
        }
        try withSupervisor(answering: answer) { supervisor, application in
            let notifications = try application.getPendingNotificationRequests()
            #expect(notifications.map(\.identifier) == ["tea", "n1"])
            #expect(notifications.map(\.nextTriggerDate) == [1_796_112_240.5, 1_796_112_244])
            #expect(notifications.map(\.title) == [#"Tea "x""#, "y"])
            #expect(notifications.map(\.timeZone) == ["local", nil])
            #expect(notifications.map(\.repeatInterval) == ["daily", nil])
            #expect(notifications.map(\.applicationIconBadgeNumber) == [2, nil])
            var index = TaskRequest(.processing, identifier: "index", earliestBeginDate: "@1796112000")
            index.requiresNetworkConnectivity = true
            index.requiresExternalPower = true
            #expect(try application.getPendingTaskRequests() == [index, TaskRequest(.appRefresh, identifier: "inbox")])
            #expect(supervisor.requests.map(Self.fields) == [[], []])
        }
    }

    @Test("What waits can't be told: it is thrown; without a supervisor nothing waits")
    func pendingRefused() throws {
        try withSupervisor(answering: Self.answering("schedule", "error id=ID code=unsupported")) { _, application in
            #expect(throws: ScheduleRefused(code: "unsupported")) { try application.getPendingTaskRequests() }
            #expect(throws: ScheduleRefused(code: "unsupported")) { try application.getPendingNotificationRequests() }
        }
        let alone = CurfewApplication(at: SupervisorAddress(socketPath: nil, inheritedDescriptor: nil))
        #expect(try alone.getPendingTaskRequests().isEmpty)
        #expect(try alone.getPendingNotificationRequests().isEmpty)
    }

    @Test("The test kit plays a server: requests run, expire and are counted")
    func kit() async throws {
        try await withFakeApplication { application in
            application.register(forTaskWithIdentifier: "index") { task in
                task.expirationHandler = { [weak task] in task?.setTaskCompleted(success: false) }
                if (try? application.submit(TaskRequest(.appRefresh, identifier: "inbox"))) == nil { return }
                application.expireRequestedTask()
            }
            try application.submit(TaskRequest(.processing, identifier: "index"))
            let (first, second) = (
                try await application.run(taskRequestWithIdentifier: "index"),
                try await application.run(taskRequestWithIdentifier: "index")
            )
            #expect((first, second) == (true, false))
            #expect(application.taskCompletions == [false])
            #expect(application.pendingTaskRequests.map(\.identifier) == ["inbox"])
            #expect(throws: ScheduleRefused(code: "too-many-requests")) {
                try application.submit(TaskRequest(.appRefresh, identifier: "other"))
            }
            let id = try application.scheduleLocalNotification(LocalNotification(alertBody: "x"))
            #expect(application.scheduledLocalNotifications.map(\.identifier) == [id])
            let pending = try application.getPendingNotificationRequests()
            #expect(pending.map { [$0.identifier, $0.title] } == [[id, "x"]])
            #expect(try application.getPendingTaskRequests().map(\.identifier) == ["inbox"])
            try application.cancelAllLocalNotifications()
            application.refuseNextRequest("unsupported")
            #expect(throws: ScheduleRefused(code: "unsupported")) { try application.cancelAllTaskRequests() }
            try application.cancelAllTaskRequests()
            #expect(application.pendingTaskRequests.isEmpty && application.scheduledLocalNotifications.isEmpty)
        }
    }
}
