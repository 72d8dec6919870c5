import CurfewClientTestKit
import CurfewWire
import Testing

@testable import CurfewClient

@Suite("Keep-alive", .timeLimit(.minutes(2)))
struct KeepAliveTests {
    private static func event(_ sequence: Int, _ name: String = "keepAlive") -> String {
        "event name=\(name) seq=\(sequence) kind=wake ack=required seconds=30.000"
    }

    @Test("It is asked for, then listened for; the handler's return acknowledges")
    func called() throws {
        try withSupervisor { supervisor, application in
            let calls = Witness<String>()
            #expect(application.setKeepAliveTimeout(600) { calls.add("alive") })
            #expect(try supervisor.wait(for: "keep-alive").message["seconds"] == "600.000")
            let connection = try supervisor.wait(for: "hello").connection
            supervisor.send([Self.event(7)], to: connection)
            #expect(try supervisor.wait(for: "ack").message["seq"] == "7")
            #expect(calls.all == ["alive"])
        }
    }

    @Test("Other waking events don't call it, and are acknowledged")
    func others() throws {
        try withSupervisor { supervisor, application in
            #expect(application.setKeepAliveTimeout(600) { Issue.record("called for another event") })
            let connection = try supervisor.wait(for: "hello").connection
            supervisor.send([Self.event(7, "fetch")], to: connection)
            #expect(try supervisor.wait(for: "ack").message["seq"] == "7")
        }
    }

    @Test("A second handler replaces the first")
    func replaced() throws {
        try withSupervisor { supervisor, application in
            let calls = Witness<String>()
            #expect(application.setKeepAliveTimeout(600) { calls.add("first") })
            #expect(application.setKeepAliveTimeout(1200.25) { calls.add("second") })
            #expect(try supervisor.wait(for: "keep-alive", count: 2).message["seconds"] == "1200.250")
            supervisor.send([Self.event(7)], to: try supervisor.wait(for: "hello").connection)
            try supervisor.wait(for: "ack")
            #expect(calls.all == ["second"])
            #expect(supervisor.count("hello") == 1)
        }
    }

    @Test("Refused, nobody listens, and what was set before holds")
    func refused() throws {
        let answering: FakeSupervisor.Answering = { message in
            guard message.verb == "keep-alive", message["seconds"] == "30.000" else { return nil }
            return ["error id=\(message["id"] ?? "") code=invalid minimum=600.000"]
        }
        try withSupervisor(answering: answering) { supervisor, application in
            #expect(!application.setKeepAliveTimeout(30) { Issue.record("called") })
            #expect(supervisor.count("hello") == 0)
            let calls = Witness<String>()
            #expect(application.setKeepAliveTimeout(600) { calls.add("alive") })
            #expect(!application.setKeepAliveTimeout(30) { Issue.record("called") })
            supervisor.send([Self.event(7)], to: try supervisor.wait(for: "hello").connection)
            #expect(try calls.wait(count: 1) == ["alive"])
        }
    }

    @Test("What is no time isn't asked for", arguments: [0, -1, .nan, .infinity, .greatestFiniteMagnitude, 0.0001])
    func noTime(timeout: Double) throws {
        try withSupervisor { supervisor, application in
            #expect(!application.setKeepAliveTimeout(timeout) {})
            #expect(supervisor.requests.isEmpty)
        }
    }

    @Test("Cleared, by its name or by no handler, the app is plain again", arguments: [false, true])
    func cleared(byNoHandler: Bool) throws {
        try withSupervisor { supervisor, application in
            #expect(application.setKeepAliveTimeout(600) {})
            try supervisor.wait(for: "hello")
            if byNoHandler {
                #expect(application.setKeepAliveTimeout(600, handler: nil))
            } else {
                application.clearKeepAliveTimeout()
            }
            #expect(try supervisor.wait(for: "keep-alive", count: 2).message["seconds"] == "0.000")
            try supervisor.wait(for: "closed")
        }
    }

    @Test("Without a thread to call it on it is taken back, and the app stays plain")
    func noThread() throws {
        let supervisor = try FakeSupervisor(answering: { _ in nil })
        defer { supervisor.die() }
        let application = CurfewApplication(
            at: supervisor.address, patience: FakeSupervisor.patience, startKeepAliveThread: { _ in false })
        #expect(!application.setKeepAliveTimeout(600) { Issue.record("called") })
        #expect(try supervisor.wait(for: "keep-alive", count: 2).message["seconds"] == "0.000")
        try supervisor.wait(for: "closed")
    }

    @Test("Where nothing can be heard no handler is set")
    func noFeed() {
        let caller = KeepAliveCaller(EventHub(SilentFeed()))
        #expect(!caller.set { Issue.record("called") })
        #expect(caller.set(nil))
    }

    @Test("A delegate hears of it too, and both have to be done")
    func delegate() throws {
        try withSupervisor { supervisor, application in
            let delegate = RecordingDelegate()
            application.delegate = delegate
            let calls = Witness<String>()
            #expect(application.setKeepAliveTimeout(600) { calls.add("alive") })
            supervisor.send([Self.event(7)], to: try supervisor.wait(for: "hello").connection)
            try supervisor.wait(for: "ack")
            #expect(delegate.calls.all == ["wake keepAlive"])
            #expect(calls.all == ["alive"])
            #expect(supervisor.count("ack") == 1)
        }
    }

    @Test("The test kit calls the handler where it wakes the app for it")
    func testKit() async throws {
        let application = FakeApplication()
        let calls = Witness<String>()
        #expect(!application.setKeepAliveTimeout(599) {})
        #expect(application.keepAliveTimeout == nil)
        #expect(application.setKeepAliveTimeout(600) { calls.add("alive") })
        #expect(application.keepAliveTimeout == 600)
        try await application.home()
        try await application.wake("keepAlive")
        #expect(calls.all == ["alive"])
        application.clearKeepAliveTimeout()
        #expect(application.keepAliveTimeout == nil)
    }
}

/// A feed that has nothing to say.
private final class SilentFeed: EventFeed {
    let isAvailable = true

    func start(_ sink: EventSink) -> Bool { false }
    func acknowledge(_ sequence: Int, _ outcome: EventOutcome?) {}
    func stop() -> Bool { true }
}
