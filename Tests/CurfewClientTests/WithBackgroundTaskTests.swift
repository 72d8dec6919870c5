import CurfewClientTestKit
import CurfewWire
import Testing

@testable import CurfewClient

private struct Broken: Error, Equatable {}

@Suite("A background task held for a piece of work", .timeLimit(.minutes(2)))
struct WithBackgroundTaskTests {
    /// Waits until the task is cancelled.
    private static func waitForCancellation() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
        try Task.checkCancellation()
    }

    private func expectOneEndEach(_ application: FakeApplication, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(application.openTasks == [], sourceLocation: sourceLocation)
        #expect(application.mistakes == [], sourceLocation: sourceLocation)
    }

    @Test("It is open while the work runs, and ends with it", arguments: BackgroundTaskExpiration.allCases)
    func success(onExpiration: BackgroundTaskExpiration) async throws {
        let application = FakeApplication()
        let name = try await withBackgroundTask(named: "upload", on: application, onExpiration: onExpiration) {
            application.openTasks.map(\.name)
        }
        #expect(name == ["upload"])
        let inside = try withBackgroundTask(named: "save", on: application, onExpiration: onExpiration) { status in
            #expect(status.isExpired == false)
            return application.openTasks.map(\.name)
        }
        #expect(inside == ["save"])
        expectOneEndEach(application)
        #expect(application.tasks.count == 2)
    }

    @Test("It ends when the work throws")
    func failure() async {
        let application = FakeApplication()
        await #expect(throws: Broken()) {
            try await withBackgroundTask(named: "x", on: application) { throw Broken() }
        }
        #expect(throws: Broken()) {
            try withBackgroundTask(named: "x", on: application) { _ in throw Broken() }
        }
        expectOneEndEach(application)
        #expect(application.tasks.count == 2)
    }

    @Test("The caller's cancellation is the work's")
    func cancellation() async throws {
        let application = FakeApplication()
        let hasBegun = Witness<Void>()
        let caller = Task {
            try await withBackgroundTask(named: "x", on: application) {
                hasBegun.add(())
                try await Self.waitForCancellation()
            }
        }
        try await hasBegun.wait(count: 1)
        #expect(application.openTasks.count == 1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        expectOneEndEach(application)
    }

    @Test("Expiration cancels the work and ends the task at once")
    func expirationEnds() async throws {
        let application = FakeApplication()
        let hasBegun = Witness<Void>()
        let mayReturn = AsyncStream.makeStream(of: Void.self)
        let caller = Task {
            try await withBackgroundTask(named: "x", on: application) {
                hasBegun.add(())
                try? await Self.waitForCancellation()
                // A new task of the pool: this one is cancelled, and so wouldn't wait.
                return await Task {
                    for await _ in mayReturn.stream { return "saved" }
                    return "nothing"
                }.value
            }
        }
        try await hasBegun.wait(count: 1)
        #expect(application.expireBackgroundTasks() == [])
        expectOneEndEach(application)
        mayReturn.continuation.yield()
        #expect(try await caller.value == "saved")
        expectOneEndEach(application)
    }

    @Test("Expiration cancels the work and ends the task when that has returned")
    func expirationWaits() async throws {
        let application = FakeApplication()
        let hasBegun = Witness<Void>()
        let mayReturn = AsyncStream.makeStream(of: Void.self)
        let caller = Task {
            try await withBackgroundTask(named: "x", on: application, onExpiration: .awaitOperation) {
                hasBegun.add(())
                try? await Self.waitForCancellation()
                await Task { for await _ in mayReturn.stream { return } }.value
            }
        }
        try await hasBegun.wait(count: 1)
        #expect(application.expireBackgroundTasks().map(\.name) == ["x"])
        mayReturn.continuation.yield()
        try await caller.value
        #expect(await application.leaks() == [])
        expectOneEndEach(application)
    }

    @Test("Expired before it was begun, the work starts cancelled", arguments: BackgroundTaskExpiration.allCases)
    func expiredInsideBegin(onExpiration: BackgroundTaskExpiration) async throws {
        let application = FakeApplication(expiring: .insideBegin)
        let sawCancellation = try await withBackgroundTask(
            named: "x", on: application, onExpiration: onExpiration
        ) { Task.isCancelled }
        #expect(sawCancellation)
        let sawExpiration = try withBackgroundTask(named: "x", on: application, onExpiration: onExpiration) { status in
            #expect(application.openTasks.isEmpty == (onExpiration == .endTask))
            return status.isExpired
        }
        #expect(sawExpiration)
        expectOneEndEach(application)
        #expect(application.tasks.map(\.hasExpired) == [true, true])
    }

    @Test("Synchronous work sees the expiration")
    func synchronousExpiration() throws {
        let application = FakeApplication()
        try withBackgroundTask(named: "x", on: application) { status in
            #expect(status.isExpired == false)
            application.expireBackgroundTasks()
            #expect(status.isExpired)
            #expect(application.openTasks == [])
        }
        expectOneEndEach(application)
    }

    @Test("Refused, the work isn't begun")
    func refusal() async {
        let application = FakeApplication()
        application.refusesTasks = true
        await #expect(throws: BackgroundTaskRefused(name: "x")) {
            try await withBackgroundTask(named: "x", on: application) { Issue.record("begun") }
        }
        #expect(throws: BackgroundTaskRefused(name: "x")) {
            try withBackgroundTask(named: "x", on: application) { _ in Issue.record("begun") }
        }
        #expect(application.tasks == [])
        #expect("\(BackgroundTaskRefused(name: "x"))".contains("\"x\" was refused: the background time is spent"))
    }

    @Test("Without a supervisor it just runs")
    func unsupported() async throws {
        let application = FakeApplication(isMultitaskingSupported: false)
        #expect(try await withBackgroundTask(named: "x", on: application) { 1 } == 1)
        #expect(try withBackgroundTask(named: "x", on: application) { _ in 2 } == 2)
        #expect(application.tasks == [])
    }

    @Test("A task that expires as its work ends is ended once: 200 races", arguments: BackgroundTaskExpiration.allCases)
    func races(onExpiration: BackgroundTaskExpiration) async throws {
        let application = FakeApplication(expiring: .afterBegin)
        for round in 1...200 {
            try await withBackgroundTask(named: "\(round)", on: application, onExpiration: onExpiration) {
                for _ in 0..<round % 5 { await Task.yield() }
            }
            try withBackgroundTask(named: "\(round)", on: application, onExpiration: onExpiration) { _ in }
        }
        // Whoever ends a task first, its work or its expiration, may say so late.
        #expect(await application.leaks(within: .seconds(FakeSupervisor.patience)) == [])
        expectOneEndEach(application)
        #expect(application.tasks.count == 400)
    }

    @Test("So it is over a connection: 200 races", arguments: BackgroundTaskExpiration.allCases)
    func racesOverConnection(onExpiration: BackgroundTaskExpiration) async throws {
        let answering: FakeSupervisor.Answering = { message in
            guard message.verb == "begin", let id = message["id"], let name = message["name"] else { return nil }
            return ["ok id=\(id) task=\(name)", "event name=backgroundTaskWillExpire seq=\(name) task=\(name)"]
        }
        try await withSupervisor(answering: answering) { supervisor, application in
            for round in 1...200 {
                try await withBackgroundTask(named: "\(round)", on: application, onExpiration: onExpiration) {
                    for _ in 0..<round % 5 { await Task.yield() }
                }
            }
            try await supervisor.wait(for: "end", count: 200)
            #expect(application.backgroundTimeRemaining == 571.204)
            let ended = supervisor.requests.filter { $0.message.verb == "end" }.compactMap { $0.message["task"] }
            // Each once, in whatever order: whoever ends a task first, its work or its expiration, may say so late.
            #expect(ended.sorted() == (1...200).map(String.init).sorted())
        }
    }

    @Test("Many at once, expired all together, are ended once each")
    func manyAtOnce() async throws {
        let application = FakeApplication()
        let hasBegun = Witness<Void>()
        let callers = (0..<50).map { number in
            Task {
                try await withBackgroundTask(named: "\(number)", on: application) {
                    hasBegun.add(())
                    try await Self.waitForCancellation()
                }
            }
        }
        try await hasBegun.wait(count: 50)
        application.expireBackgroundTasks()
        // Cancelled, the work may be what ends a task, on a thread of its own.
        #expect(await application.leaks(within: .seconds(FakeSupervisor.patience)) == [])
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        expectOneEndEach(application)
        #expect(application.tasks.count == 50)
    }

    @Test("The work inherits what the caller's task has")
    func inheritance() async throws {
        try await Inherited.$value.withValue(7) {
            let application = FakeApplication()
            let value = try await withBackgroundTask(named: "x", on: application) { Inherited.value }
            #expect(value == 7)
        }
    }
}

private enum Inherited {
    @TaskLocal static var value = 0
}
