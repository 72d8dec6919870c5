import CurfewClient
import CurfewClientTestKit
import Testing

@Suite("The test kit", .timeLimit(.minutes(2)))
struct TestKitTests {
    // MARK: Background tasks

    @Test("What leaked is named, and why it could")
    func leaks() async {
        let application = FakeApplication()
        let good = application.beginBackgroundTask(withName: "good") { application.endBackgroundTask($0) }
        _ = application.beginBackgroundTask(withName: "without handler")
        _ = application.beginBackgroundTask(withName: "idle handler") {}
        #expect(application.openTasks.map(\.name) == ["good", "without handler", "idle handler"])
        let leaked = application.expireBackgroundTasks()
        #expect(
            leaked.map(\.description) == [
                "task 2 \"without handler\" (expired, has no expiration handler)",
                "task 3 \"idle handler\" (expired)",
            ])
        #expect(await application.leaks(within: .zero) == leaked)
        #expect(application.tasks.first { $0.identifier == good }?.description == "task 1 \"good\" (ended, expired)")
        #expect(application.mistakes == [])
    }

    @Test("A task that is ended soon after its handler is no leak")
    func endedSoon() async throws {
        let application = FakeApplication()
        let task = application.beginBackgroundTask(withName: "x")
        #expect(application.expireBackgroundTasks().map(\.name) == ["x"])
        async let leaks = application.leaks(within: .seconds(30))
        try onThread { application.endBackgroundTask(task) }
        #expect(await leaks == [])
    }

    @Test("Ends that are none are named")
    func mistakes() {
        let application = FakeApplication()
        let task = application.beginBackgroundTask(withName: "x") {}
        application.endBackgroundTask(task)
        application.endBackgroundTask(task)
        application.endBackgroundTask(BackgroundTaskIdentifier(rawValue: 7))
        application.endBackgroundTask(BackgroundTaskIdentifier(rawValue: -1))
        application.endBackgroundTask(.invalid)
        #expect(
            application.mistakes == [
                "task 1 \"x\" was ended twice", "task 7 was ended and never begun",
                "task -1 was ended and never begun",
            ])
    }

    @Test("Each handler is called once, whatever expires it", arguments: FakeApplication.Expiration.allCases)
    func handlerOnce(expiration: FakeApplication.Expiration) throws {
        let application = FakeApplication(expiring: expiration)
        let called = Witness<String>()
        let task = application.beginBackgroundTask(withName: "x") { called.add("x") }
        if expiration == .insideBegin { #expect(called.all == ["x"]) }
        if expiration == .afterBegin { try called.wait(count: 1) }
        if expiration == .whenTold { #expect(called.all == []) }
        application.expireBackgroundTasks()
        application.expireBackgroundTasks()
        #expect(called.all == ["x"])
        application.endBackgroundTask(task)
        #expect(application.openTasks == [])
    }

    @Test("An ended task doesn't expire")
    func endedBefore() {
        let application = FakeApplication()
        let task = application.beginBackgroundTask(withName: "x") { Issue.record("expired") }
        application.endBackgroundTask(task)
        #expect(application.expireBackgroundTasks() == [])
        #expect(application.tasks.map(\.hasExpired) == [false])
    }

    @Test("Begins are refused when told, and once all has expired, until the app is in front again")
    func refusal() async throws {
        let application = FakeApplication()
        application.refusesTasks = true
        #expect(application.beginBackgroundTask(withName: "x") == .invalid)
        application.refusesTasks = false
        try await application.home()
        application.expireBackgroundTasks()
        #expect(application.beginBackgroundTask(withName: "x") == .invalid)
        #expect(application.backgroundTimeRemaining == 0)
        application.open()
        #expect(application.beginBackgroundTask(withName: "x") != .invalid)
    }

    @Test("A test's body is held to what it leaves")
    func scope() async throws {
        let answer = try await withFakeApplication { application in
            _ = application.beginBackgroundTask(withName: "x") { application.endBackgroundTask($0) }
            return 42
        }
        #expect(answer == 42)
        do {
            try await withFakeApplication(within: .zero) { application in
                _ = application.beginBackgroundTask(withName: "upload") {}
                application.endBackgroundTask(BackgroundTaskIdentifier(rawValue: 9))
            }
            Issue.record("the leak wasn't seen")
        } catch let error as BackgroundTaskMistakes {
            #expect(
                error.description
                    == "task 1 \"upload\" (expired) was never ended; task 9 was ended and never begun")
        }
    }

    @Test("It finds the leak of a program that ends its task only on success")
    func typicalBug() async {
        struct Offline: Error {}
        func upload(on application: some BackgroundTaskScheduling, isOnline: Bool) throws {
            let task = application.beginBackgroundTask(withName: "upload")
            guard isOnline else { throw Offline() }
            application.endBackgroundTask(task)
        }
        await #expect(throws: Never.self) {
            try await withFakeApplication(within: .zero) { try upload(on: $0, isOnline: true) }
        }
        await #expect(throws: BackgroundTaskMistakes.self) {
            try await withFakeApplication(within: .zero) { try? upload(on: $0, isOnline: false) }
        }
    }

    // MARK: The lifecycle

    @Test("The events come in the supervisor's order")
    func orders() async throws {
        let application = FakeApplication()
        let delegate = RecordingDelegate()
        application.delegate = delegate
        try await application.launch(info: ["file": "a"])
        application.interrupt()
        application.dismiss()
        try await application.home()
        try await application.home()
        try await application.wake("push", info: ["id": "7"])
        application.open(changes: ["locale": ["to": "de"], "battery": [:]])
        try await application.wake("push")
        application.dismiss()
        try await application.quit()
        #expect(
            try await delegate.calls.wait(count: 14) == [
                "launch [\"file\": \"a\"]", "active", "resign", "active", "resign", "background",
                "background", "wake push", "foreground", "change battery [:]", "change locale [\"to\": \"de\"]",
                "active", "wake push", "terminate",
            ])
    }

    @Test("A launch into the background becomes active only when opened")
    func backgroundLaunch() async throws {
        let application = FakeApplication()
        var loop = application.events.makeAsyncIterator()
        let launching = Task { try await application.launchInBackground(wakingEvent: "push", info: ["id": "7"]) }
        let launch = try #require(await loop.next())
        #expect(launch.launchOptions == LaunchOptions(isInBackground: true, wakingEvent: "push"))
        #expect(application.applicationState == .background)
        #expect(await loop.next()?.kind == .didEnterBackground)
        let wake = try #require(await loop.next())
        #expect(wake.kind == .wake && wake.name == "push" && wake.info == ["id": "7"])
        #expect(application.isSuspended == false)
        wake.acknowledge()
        try await launching.value
        #expect(application.isSuspended)
        application.open()
        #expect(await loop.next()?.kind == .willEnterForeground)
        #expect(await loop.next()?.kind == .didBecomeActive)
        #expect(application.applicationState == .active)
    }

    @Test("Two runs with one directory: the second is told to restore, and finds what the first has saved")
    func restoring() async throws {
        let first = FakeApplication(stateDirectory: "/saved")
        #expect(first.stateDirectory == "/saved")
        #expect(FakeApplication().stateDirectory == nil)
        var loop = first.events.makeAsyncIterator()
        let launching = Task { try await first.launch(info: ["file": "a"]) }
        let launch = try #require(await loop.next())
        #expect(launch.launchOptions == LaunchOptions(info: ["file": "a"], stateDirectory: "/saved"))
        #expect(launch.launchOptions?.isRestored == false)
        launch.acknowledge()
        try await launching.value

        let second = FakeApplication(stateDirectory: first.stateDirectory)
        var secondLoop = second.events.makeAsyncIterator()
        let relaunching = Task {
            try await second.launchInBackground(
                wakingEvent: "push", restoredAfter: "memory-pressure", info: ["id": "7"])
        }
        let relaunch = try #require(await secondLoop.next())
        let options = try #require(relaunch.launchOptions)
        #expect(options.isInBackground && options.wakingEvent == "push" && options.stateDirectory == "/saved")
        #expect(options.isRestored && options.endedBecause == "memory-pressure")
        #expect(relaunch.info == ["restored": "true", "ended": "memory-pressure"])
        #expect(await secondLoop.next()?.kind == .didEnterBackground)
        let wake = try #require(await secondLoop.next())
        #expect(wake.info == ["id": "7"])
        wake.acknowledge()
        try await relaunching.value
    }

    @Test("An app that holds an event up is found out")
    func notAcknowledged() async throws {
        let application = FakeApplication()
        var loop = application.events.makeAsyncIterator()
        await #expect(throws: NotAcknowledged(event: "didEnterBackground", limit: .zero)) {
            try await application.home(within: .zero)
        }
        #expect(application.isSuspended == false)
        _ = await loop.next()
        #expect("\(NotAcknowledged(event: "x", limit: .seconds(5)))" == "x was not acknowledged within 5.0 seconds")
    }

    @Test("A task keeps the app from being suspended, and its expiration is an event too")
    func taskInBackground() async throws {
        let application = FakeApplication()
        let delegate = RecordingDelegate()
        application.delegate = delegate
        #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
        let task = application.beginBackgroundTask(withName: "x") { application.endBackgroundTask($0) }
        try await application.home()
        #expect(application.backgroundTimeRemaining == 600)
        #expect(application.isSuspended == false)
        #expect(application.expireBackgroundTasks() == [])
        #expect(application.isSuspended)
        #expect(try await delegate.calls.wait(count: 3) == ["resign", "background", "expire \(task.rawValue)"])
        try await application.quit()
        application.open()
        #expect(try await delegate.calls.wait(count: 5).suffix(2) == ["foreground", "active"])
    }

    @Test("A memory warning is heard in front and on the budget, and not while suspended")
    func memoryWarning() async throws {
        let application = FakeApplication()
        let delegate = RecordingDelegate()
        application.delegate = delegate
        application.sendMemoryWarning()
        let task = application.beginBackgroundTask(withName: "x")
        try await application.home()
        application.sendMemoryWarning(.critical)
        application.endBackgroundTask(task)
        #expect(application.isSuspended)
        application.sendMemoryWarning(.critical)
        application.open()
        #expect(
            try await delegate.calls.wait(count: 6) == [
                "memory warning", "resign", "background", "memory critical", "foreground", "active",
            ])
    }

    @Test("Without a supervisor, or a listener, nothing is owed")
    func nobodyListens() async throws {
        let alone = FakeApplication(isMultitaskingSupported: false)
        for await event in alone.events { Issue.record("told of \(event.name)") }
        try await alone.home()
        alone.sendMemoryWarning()
        #expect(alone.applicationState == .active)
        #expect(alone.beginBackgroundTask(withName: "x") == .invalid)
        let deaf = FakeApplication()
        try await deaf.launch()
        try await deaf.home()
        #expect(deaf.isSuspended)
    }
}
