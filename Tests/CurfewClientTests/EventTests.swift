import CurfewWire
import Testing

@testable import CurfewClient

@Suite("Events as a sequence", .timeLimit(.minutes(2)))
struct EventTests {
    private static let home = "event name=didEnterBackground seq=4 ack=required seconds=5.000"

    @Test("Nobody says hello before somebody listens")
    func lazyHello() throws {
        try withSupervisor { supervisor, application in
            _ = application.beginBackgroundTask(withName: "x") {}
            _ = application.events
            #expect(application.isMultitaskingSupported)
            #expect(supervisor.count("hello") == 0)
            let loop = application.events.makeAsyncIterator()
            let hello = try supervisor.wait(for: "hello").message
            #expect(hello["version"] == "1")
            #expect(hello["client"]?.isEmpty == false)
            withExtendedLifetime(loop) {}
        }
    }

    @Test("Every field of an event is there")
    func fields() async throws {
        try await withSupervisor { supervisor, application in
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send(
                [
                    "event name=didFinishLaunching seq=1 ack=required seconds=20.000 launched=background wake=push "
                        + "containment=tree info.url=\"a b\" info.url=second info.=empty",
                    "event name=settingsDidChange seq=2 kind=change info.exists=false",
                    "event name=push seq=3 kind=wake ack=required seconds=inf",
                    "event name=didRotate seq=4", "event name=change seq=5", "event name=x kind=later seq=many",
                ], to: connection)
            let launch = try #require(await loop.next())
            #expect(launch.kind == .didFinishLaunching && launch.sequence == 1 && launch.seconds == 20)
            #expect(launch.requiresAcknowledgement && launch.task == nil)
            #expect(
                launch.launchOptions
                    == LaunchOptions(isInBackground: true, wakingEvent: "push", info: ["url": "a b", "": "empty"]))
            #expect(launch.info == ["url": "a b", "": "empty"])
            let change = try #require(await loop.next())
            #expect(change.kind == .change && change.name == "settingsDidChange" && !change.requiresAcknowledgement)
            #expect(change.info == ["exists": "false"] && change.launchOptions == nil && change.seconds == nil)
            let wake = try #require(await loop.next())
            #expect(wake.kind == .wake && wake.name == "push" && wake.seconds == .greatestFiniteMagnitude)
            for name in ["didRotate", "change", "x"] {
                let unknown = try #require(await loop.next())
                #expect(unknown.kind == .other && unknown.name == name)
            }
        }
    }

    @Test("A launch tells whether the app is to come back as it was, and where it finds what it saved")
    func restoring() async throws {
        let supervisor = try FakeSupervisor()
        defer { supervisor.die() }
        let application = CurfewApplication(
            at: supervisor.address, stateDirectory: "/saved", patience: FakeSupervisor.patience)
        #expect(application.stateDirectory == "/saved")
        var loop = application.events.makeAsyncIterator()
        let connection = try await supervisor.wait(for: "hello").connection
        let launch = "event name=didFinishLaunching seq=1 ack=required launched=foreground"
        let pairs = [
            "info.restored=true info.ended=memory-pressure", "info.restored=true", "info.restored=yes", "",
            "restored=true ended=memory-pressure",
        ]
        supervisor.send(pairs.map { "\(launch) \($0)" }, to: connection)
        let expected: [(isRestored: Bool, endedBecause: String?)] = [
            (true, "memory-pressure"), (true, nil), (false, nil), (false, nil), (false, nil),
        ]
        for (isRestored, endedBecause) in expected {
            let options = try #require(await loop.next()?.launchOptions)
            #expect(options.isRestored == isRestored)
            #expect(options.endedBecause == endedBecause)
            #expect(options.stateDirectory == "/saved")
        }
    }

    @Test("A memory warning has its level, and nothing is owed for it")
    func memoryWarning() async throws {
        try await withSupervisor { supervisor, application in
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            let name = "event name=didReceiveMemoryWarning"
            supervisor.send(
                [
                    "\(name) seq=1 level=warning", "\(name) seq=2 level=critical", "\(name) seq=3 level=later",
                    "\(name) seq=4", "event name=didBecomeActive seq=5 level=critical",
                    "\(name) seq=6 kind=change level=critical", Self.home,
                ], to: connection)
            for level in [LifecycleEvent.MemoryWarningLevel.warning, .critical, .warning, .warning] {
                let event = try #require(await loop.next())
                #expect(event.kind == .didReceiveMemoryWarning && event.memoryWarningLevel == level)
                #expect(!event.requiresAcknowledgement && event.seconds == nil && event.info == [:])
            }
            for kind in [LifecycleEvent.Kind.didBecomeActive, .change] {
                let event = try #require(await loop.next())
                #expect(event.kind == kind && event.memoryWarningLevel == nil)
            }
            await loop.next()?.acknowledge()
            #expect(try await supervisor.wait(for: "ack").message["seq"] == "4")
        }
    }

    @Test("An event is acknowledged when the loop asks for the next, and once")
    func acknowledgedByLoop() async throws {
        try await withSupervisor { supervisor, application in
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send(["event name=willResignActive seq=3", Self.home], to: connection)
            _ = await loop.next()
            let event = try #require(await loop.next())
            #expect(event.kind == .didEnterBackground)
            // A round trip, for it to come.
            #expect(application.backgroundTimeRemaining == 571.204)
            #expect(supervisor.count("ack") == 0)
            supervisor.send(["event name=willEnterForeground seq=5"], to: connection)
            _ = await loop.next()
            let ack = try await supervisor.wait(for: "ack")
            #expect(ack.message.line == "ack seq=4" && ack.connection == connection)
            event.acknowledge()
            supervisor.send(["event name=didEnterBackground seq=6 ack=required"], to: connection)
            _ = await loop.next()
            supervisor.send(["event name=didBecomeActive seq=7"], to: connection)
            _ = await loop.next()
            #expect(try await supervisor.wait(for: "ack", count: 2).message["seq"] == "6")
        }
    }

    @Test("An event may be acknowledged earlier, and later")
    func acknowledgedByHand() async throws {
        try await withSupervisor { supervisor, application in
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send([Self.home, "event name=push kind=wake seq=5 ack=required"], to: connection)
            let home = try #require(await loop.next())
            home.acknowledge()
            home.acknowledge()
            #expect(try await supervisor.wait(for: "ack").message["seq"] == "4")
            let wake = try #require(await loop.next())
            wake.deferAcknowledgement()
            supervisor.send(["event name=other kind=wake seq=6 ack=required"], to: connection)
            _ = await loop.next()
            supervisor.send(["event name=didBecomeActive seq=7"], to: connection)
            _ = await loop.next()
            #expect(try await supervisor.wait(for: "ack", count: 2).message["seq"] == "6")
            wake.acknowledge()
            #expect(try await supervisor.wait(for: "ack", count: 3).message["seq"] == "5")
        }
    }

    @Test("A deferred event that nobody holds any more is handled")
    func deferredAndForgotten() async throws {
        try await withSupervisor { supervisor, application in
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send([Self.home, "event name=didBecomeActive seq=5"], to: connection)
            await loop.next()?.deferAcknowledgement()
            _ = await loop.next()
            #expect(try await supervisor.wait(for: "ack").message["seq"] == "4")
        }
    }

    @Test("With several listeners the last one counts")
    func severalListeners() async throws {
        try await withSupervisor { supervisor, application in
            var first = application.events.makeAsyncIterator()
            var second = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send([Self.home, "event name=didBecomeActive seq=5"], to: connection)
            for _ in 1...2 { _ = await first.next() }
            let kept = try #require(await second.next())
            #expect(application.backgroundTimeRemaining == 571.204)
            #expect(supervisor.count("ack") == 0)
            _ = await second.next()
            try await supervisor.wait(for: "ack")
            kept.acknowledge()
            #expect(supervisor.count("hello") == 1)
            #expect(supervisor.count("ack") == 1)
        }
    }

    @Test("When the last loop ends, what it left is handled and the app is plain; another loop says hello again")
    func plainAgain() async throws {
        try await withSupervisor { supervisor, application in
            for round in 1...3 {
                var loop: LifecycleEvents.AsyncIterator? = application.events.makeAsyncIterator()
                let connection = try await supervisor.wait(for: "hello", count: round).connection
                var other: LifecycleEvents.AsyncIterator? = application.events.makeAsyncIterator()
                supervisor.send([Self.home, "event name=push kind=wake seq=5 ack=required"], to: connection)
                let first = await loop?.next()?.name
                #expect(first == "didEnterBackground")
                // What hasn't come when the connection is closed can't be handled.
                for _ in 1...2 { _ = await other?.next() }
                loop = nil
                #expect(supervisor.count("closed") == round - 1)
                other = nil
                #expect(try await supervisor.wait(for: "closed", count: round).connection == connection)
                #expect(supervisor.count("ack") == 2 * round)
            }
            #expect(application.applicationState == .background)
        }
    }

    @Test("The connection stays as long as somebody still has an event to acknowledge")
    func staysForDeferred() async throws {
        try await withSupervisor { supervisor, application in
            var loop: LifecycleEvents.AsyncIterator? = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            supervisor.send([Self.home], to: connection)
            let event = try #require(await loop?.next())
            event.deferAcknowledgement()
            loop = nil
            // Listening anew finds the old connection.
            var next: LifecycleEvents.AsyncIterator? = application.events.makeAsyncIterator()
            #expect(application.backgroundTimeRemaining == 571.204)
            #expect(next != nil && supervisor.count("hello") == 1)
            next = nil
            event.acknowledge()
            try await supervisor.wait(for: "closed")
            #expect(supervisor.requests.suffix(2).map(\.message.line) == ["ack seq=4", "closed"])
        }
    }

    @Test("Where the app is follows the events")
    func stateFollows() async throws {
        try await withSupervisor { supervisor, application in
            var loop = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            for (sequence, (name, state)) in [
                ("didBecomeActive", ApplicationState.active), ("willResignActive", .inactive),
                ("didEnterBackground", .background), ("willEnterForeground", .inactive), ("change", .inactive),
                ("didReceiveMemoryWarning", .inactive),
            ].enumerated() {
                supervisor.send(["event name=\(name) seq=\(sequence)"], to: connection)
                _ = await loop.next()
                #expect(application.applicationState == state)
            }
            #expect(supervisor.count("status") == 0)
        }
    }

    @Test("A hello that is refused ends the loops")
    func helloRefused() async throws {
        let answering: FakeSupervisor.Answering = { ["error id=\($0["id"] ?? "") code=unknown"] }
        try await withSupervisor(answering: answering) { _, application in
            var loop = application.events.makeAsyncIterator()
            #expect(await loop.next() == nil)
        }
    }

    @Test("A loop that is cancelled ends, and loses nothing it was given: 200 races")
    func cancellation() async throws {
        try await withSupervisor { supervisor, application in
            // Keeps the connection through all the races.
            let holder = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            for round in 1...200 {
                let loop = Task {
                    var count = 0
                    for await _ in application.events { count += 1 }
                    return count
                }
                supervisor.send(["event name=didBecomeActive seq=\(round)"], to: connection)
                loop.cancel()
                // Those of the rounds before may come late.
                #expect(await loop.value <= round)
            }
            withExtendedLifetime(holder) {}
            #expect(supervisor.count("hello") == 1)
        }
    }

    @Test("Events that race with the end of their loop are all acknowledged: 200 races")
    func acknowledgementRaces() async throws {
        try await withSupervisor { supervisor, application in
            var holder: LifecycleEvents.AsyncIterator? = application.events.makeAsyncIterator()
            let connection = try await supervisor.wait(for: "hello").connection
            // Takes all, and so knows when all have come.
            var witness: LifecycleEvents.AsyncIterator? = application.events.makeAsyncIterator()
            // The holder never takes its events: they are handled when it ends.
            for round in 1...200 {
                let loop = Task {
                    for await _ in application.events { break }
                }
                supervisor.send(["event name=didEnterBackground seq=\(round) ack=required"], to: connection)
                if round.isMultiple(of: 2) { loop.cancel() }
                if !round.isMultiple(of: 2) {
                    // It may have begun after the event.
                    supervisor.send(["event name=didBecomeActive seq=\(1000 + round)"], to: connection)
                    loop.cancel()
                }
                await loop.value
            }
            supervisor.send(["event name=last seq=2000"], to: connection)
            while let event = await witness?.next(), event.name != "last" {}
            witness = nil
            #expect(holder != nil)
            #expect(supervisor.count("ack") == 0)
            holder = nil
            try await supervisor.wait(for: "ack", count: 200)
            try await supervisor.wait(for: "closed")
            let acknowledged = supervisor.requests.compactMap { $0.message["seq"].flatMap { Int($0) } }
            #expect(acknowledged.sorted() == Array(1...200))
        }
    }
}
