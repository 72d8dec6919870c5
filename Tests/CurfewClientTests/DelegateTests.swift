import CurfewWire
import Testing

@testable import CurfewClient

/// Writes down which of its methods are called.
final class RecordingDelegate: CurfewApplicationDelegate {
    let calls = Witness<String>()
    private let during: @Sendable (String, any BackgroundTaskScheduling) -> Void

    init(during: @escaping @Sendable (String, any BackgroundTaskScheduling) -> Void = { _, _ in }) {
        self.during = during
    }

    private func note(_ call: String, _ application: any BackgroundTaskScheduling) {
        during(call, application)
        calls.add(call)
    }

    func application(_ application: any BackgroundTaskScheduling, didFinishLaunching event: LifecycleEvent) {
        note("launch \(event.info)", application)
    }
    func applicationDidBecomeActive(_ application: any BackgroundTaskScheduling) { note("active", application) }
    func applicationWillResignActive(_ application: any BackgroundTaskScheduling) { note("resign", application) }
    func applicationDidEnterBackground(_ application: any BackgroundTaskScheduling) {
        note("background", application)
    }
    func applicationWillEnterForeground(_ application: any BackgroundTaskScheduling) {
        note("foreground", application)
    }
    func applicationWillTerminate(_ application: any BackgroundTaskScheduling) { note("terminate", application) }
    func applicationDidReceiveMemoryWarning(
        _ application: any BackgroundTaskScheduling, level: LifecycleEvent.MemoryWarningLevel
    ) {
        note("memory \(level)", application)
    }
    func application(
        _ application: any BackgroundTaskScheduling, backgroundTaskWillExpire task: BackgroundTaskIdentifier
    ) {
        note("expire \(task.rawValue)", application)
    }
    func application(_ application: any BackgroundTaskScheduling, didChange event: LifecycleEvent) {
        note("change \(event.name) \(event.info)", application)
    }
    func application(_ application: any BackgroundTaskScheduling, didWakeFor event: LifecycleEvent) {
        note("wake \(event.name)", application)
    }
    func application(_ application: any BackgroundTaskScheduling, didReceive event: LifecycleEvent) {
        note("other \(event.name)", application)
    }
}

@Suite("Events as a delegate hears them", .timeLimit(.minutes(2)))
struct DelegateTests {
    private final class Indifferent: CurfewApplicationDelegate {}

    private static let everything = [
        "event name=didFinishLaunching seq=1 ack=required launched=foreground info.a=b",
        "event name=didBecomeActive seq=2", "event name=willResignActive seq=3",
        "event name=didEnterBackground seq=4 ack=required", "event name=backgroundTaskWillExpire seq=5 task=8",
        "event name=push seq=6 kind=wake ack=required", "event name=willEnterForeground seq=7",
        "event name=locale seq=8 kind=change info.to=de", "event name=didRotate seq=9",
        "event name=didReceiveMemoryWarning seq=10 level=critical", "event name=didReceiveMemoryWarning seq=11",
        "event name=willTerminate seq=12 ack=required",
    ]

    @Test("Each event calls its method, in order, and is acknowledged")
    func everyMethod() throws {
        try withSupervisor { supervisor, application in
            let delegate = RecordingDelegate()
            application.delegate = delegate
            #expect(application.delegate === delegate)
            supervisor.send(Self.everything, to: try supervisor.wait(for: "hello").connection)
            #expect(
                try delegate.calls.wait(count: 12) == [
                    "launch [\"a\": \"b\"]", "active", "resign", "background", "expire 8", "wake push", "foreground",
                    "change locale [\"to\": \"de\"]", "other didRotate", "memory critical", "memory warning",
                    "terminate",
                ])
            try supervisor.wait(for: "ack", count: 4)
            #expect(supervisor.requests.compactMap { $0.message["seq"] } == ["1", "4", "6", "12"])
        }
    }

    /// Restores what it is told to.
    private final class Restoring: CurfewApplicationDelegate {
        let launches = Witness<LaunchOptions>()

        func application(
            _ application: any BackgroundTaskScheduling, didFinishLaunchingWithOptions options: LaunchOptions
        ) {
            launches.add(options)
        }
    }

    @Test("A launch comes with its options, and is acknowledged once that is dealt with")
    func launchOptions() throws {
        try withSupervisor { supervisor, application in
            let delegate = Restoring()
            application.delegate = delegate
            supervisor.send(
                [
                    "event name=didFinishLaunching seq=1 ack=required launched=background wake=fetch "
                        + "info.restored=true info.ended=idle-exit"
                ], to: try supervisor.wait(for: "hello").connection)
            #expect(try supervisor.wait(for: "ack").message["seq"] == "1")
            let info = ["restored": "true", "ended": "idle-exit"]
            #expect(
                delegate.launches.all == [LaunchOptions(isInBackground: true, wakingEvent: "fetch", info: info)])
        }
    }

    @Test("A delegate without methods owes nothing")
    func defaults() throws {
        try withSupervisor { supervisor, application in
            application.delegate = Indifferent()
            supervisor.send(Self.everything, to: try supervisor.wait(for: "hello").connection)
            #expect(try supervisor.wait(for: "ack", count: 4).message["seq"] == "12")
        }
    }

    @Test("An event is acknowledged after its method has returned, and what that began is begun before")
    func acknowledgedAfterwards() throws {
        try withSupervisor { supervisor, application in
            let delegate = RecordingDelegate { _, application in
                let task = application.beginBackgroundTask(withName: "save")
                #expect(application.backgroundTimeRemaining == 571.204)
                #expect(supervisor.count("ack") == 0)
                application.endBackgroundTask(task)
            }
            application.delegate = delegate
            let connection = try supervisor.wait(for: "hello").connection
            supervisor.send(["event name=didEnterBackground seq=4 ack=required"], to: connection)
            try supervisor.wait(for: "ack")
            #expect(delegate.calls.all == ["background"])
            #expect(supervisor.requests.filter { $0.message.verb == "begin" }.count == 1)
        }
    }

    @Test("A method may put its acknowledgement off")
    func deferred() throws {
        final class Deferring: CurfewApplicationDelegate {
            let events = Witness<LifecycleEvent>()

            func application(_ application: any BackgroundTaskScheduling, didWakeFor event: LifecycleEvent) {
                event.deferAcknowledgement()
                events.add(event)
            }
        }
        try withSupervisor { supervisor, application in
            let delegate = Deferring()
            application.delegate = delegate
            let connection = try supervisor.wait(for: "hello").connection
            supervisor.send(
                [
                    "event name=push seq=1 kind=wake ack=required",
                    "event name=didEnterBackground seq=2 ack=required",
                ], to: connection)
            #expect(try supervisor.wait(for: "ack").message["seq"] == "2")
            try delegate.events.wait(count: 1)[0].acknowledge()
            #expect(try supervisor.wait(for: "ack", count: 2).message["seq"] == "1")
        }
    }

    @Test("A delegate may be replaced, and taken away by itself")
    func replaced() throws {
        try withSupervisor { supervisor, application in
            let first = RecordingDelegate()
            let replacement = RecordingDelegate { _, _ in application.delegate = nil }
            application.delegate = first
            let connection = try supervisor.wait(for: "hello").connection
            supervisor.send(["event name=didBecomeActive seq=1"], to: connection)
            try first.calls.wait(count: 1)
            application.delegate = replacement
            supervisor.send(["event name=didEnterBackground seq=2 ack=required"], to: connection)
            try replacement.calls.wait(count: 1)
            try supervisor.wait(for: "closed")
            #expect(supervisor.count("ack") == 1)
            #expect(application.delegate == nil)
            application.delegate = first
            let second = try supervisor.wait(for: "hello", count: 2).connection
            supervisor.send(["event name=willTerminate seq=3 ack=required"], to: second)
            #expect(try first.calls.wait(count: 2) == ["active", "terminate"])
            #expect(replacement.calls.all == ["background"])
        }
    }

    @Test("A delegate and a loop hear the same, and the slower one counts")
    func besideALoop() async throws {
        try await withSupervisor { supervisor, application in
            let delegate = RecordingDelegate()
            application.delegate = delegate
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send(["event name=didEnterBackground seq=2 ack=required"], to: connection)
            try await delegate.calls.wait(count: 1)
            #expect(await loop.next()?.name == "didEnterBackground")
            #expect(application.backgroundTimeRemaining == 571.204)
            #expect(supervisor.count("ack") == 0)
            supervisor.send(["event name=didBecomeActive seq=3"], to: connection)
            _ = await loop.next()
            try await supervisor.wait(for: "ack")
        }
    }
}
