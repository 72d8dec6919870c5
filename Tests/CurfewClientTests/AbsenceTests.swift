import CurfewWire
import Glibc
import Testing

@testable import CurfewClient

@Suite("Without a supervisor, or with one that goes", .timeLimit(.minutes(2)))
struct AbsenceTests {
    private static let nobody = SupervisorAddress(socketPath: nil, inheritedDescriptor: nil)

    private final class Deaf: CurfewApplicationDelegate {
        func application(_ application: any BackgroundTaskScheduling, didFinishLaunching event: LifecycleEvent) {
            Issue.record("told of \(event.name) by nobody")
        }
    }

    private func expectNothing(of application: CurfewApplication) async throws {
        #expect(application.isMultitaskingSupported == false)
        #expect(application.beginBackgroundTask(withName: "x") { Issue.record("expired") } == .invalid)
        application.endBackgroundTask(BackgroundTaskIdentifier(rawValue: 3))
        #expect(!application.setKeepAliveTimeout(600) { Issue.record("kept alive") })
        application.clearKeepAliveTimeout()
        #expect(application.backgroundTimeRemaining == .greatestFiniteMagnitude)
        #expect(application.applicationState == .active)
        for await event in application.events { Issue.record("told of \(event.name)") }
        application.delegate = Deaf()
        #expect(application.delegate != nil)
        #expect(try await withBackgroundTask(named: "x", on: application) { 4 } == 4)
        #expect(try withBackgroundTask(named: "x", on: application) { $0.isExpired } == false)
    }

    @Test("Not under Curfew nothing happens, and that is said")
    func notUnderCurfew() async throws {
        try await expectNothing(of: CurfewApplication(at: AbsenceTests.nobody))
    }

    @Test(
        "Nor with an address where nobody is",
        arguments: ["/tmp/curfew-client-test-nobody", "", "/dev/null", "/tmp/" + String(repeating: "x", count: 103)])
    func nobodyThere(path: String) async throws {
        let address = SupervisorAddress(socketPath: path, inheritedDescriptor: 900)
        try await expectNothing(of: CurfewApplication(at: address))
    }

    @Test("A process that a supervisor doesn't know is under none")
    func stranger() async throws {
        let answering: FakeSupervisor.Answering = { ["error id=\($0["id"] ?? "") code=forbidden"] }
        try await withSupervisor(answering: answering) { _, application in
            try await expectNothing(of: application)
        }
    }

    @Test("An inherited number that is something else now is left alone")
    func descriptorReused() async throws {
        var pipeEnds: [Int32] = [-1, -1]
        try #require(pipe(&pipeEnds) == 0)
        let file = open("/tmp/curfew-client-test-file-\(getpid())", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        unlink("/tmp/curfew-client-test-file-\(getpid())")
        let datagram = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let unconnected = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let network = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let descriptors = pipeEnds + [file, datagram, unconnected, network]
        for descriptor in descriptors {
            let address = SupervisorAddress(socketPath: nil, inheritedDescriptor: descriptor)
            try await expectNothing(of: CurfewApplication(at: address))
        }
        #expect(lseek(file, 0, SEEK_END) == 0)
        for descriptor in descriptors { close(descriptor) }
    }

    @Test("A pipe whose other end is closed is nobody")
    func closedPipe() async throws {
        let supervisor = try FakeSupervisor(pipeAnswering: { _ in nil })
        supervisor.die()
        try await supervisor.wait(for: "closed")
        try await expectNothing(of: CurfewApplication(at: supervisor.address))
        close(try #require(supervisor.address.inheritedDescriptor))
    }

    @Test("A supervisor that dies while it is asked answers as none does")
    func diesWhileAsked() async throws {
        let supervisor = try FakeSupervisor(answering: { _ in [] })
        defer { supervisor.die() }
        let application = CurfewApplication(at: supervisor.address, patience: FakeSupervisor.patience)
        let answers = Witness<Bool>()
        try onThread { answers.add(application.beginBackgroundTask(withName: "x", expirationHandler: {}) == .invalid) }
        try onThread { answers.add(application.backgroundTimeRemaining == .greatestFiniteMagnitude) }
        try await supervisor.wait(for: "begin")
        try await supervisor.wait(for: "remaining")
        supervisor.die()
        #expect(try await answers.wait(count: 2) == [true, true])
        try await expectNothing(of: application)
    }

    @Test("Loops end and the delegate hears no more when the supervisor dies")
    func diesWhileListenedTo() async throws {
        let supervisor = try FakeSupervisor()
        defer { supervisor.die() }
        let application = CurfewApplication(at: supervisor.address, patience: FakeSupervisor.patience)
        let events = application.events
        let loop = Task {
            var names: [String] = []
            for await event in events { names.append(event.name) }
            return names
        }
        let hello = try await supervisor.wait(for: "hello")
        supervisor.send(["event name=willEnterForeground seq=1", "event name=half"], to: hello.connection)
        supervisor.sendBytes(Array("event name=didBecomeActive".utf8), to: hello.connection)
        supervisor.die()
        #expect(await loop.value == ["willEnterForeground", "half"])
        try await expectNothing(of: application)
    }

    @Test("A line without end ends the connection, and the next request makes another")
    func lineWithoutEnd() throws {
        let answering: FakeSupervisor.Answering = { message in
            message.verb == "begin" ? [String(repeating: "x", count: 5000)] : nil
        }
        try withSupervisor(answering: answering) { supervisor, application in
            #expect(application.beginBackgroundTask(withName: "x") == .invalid)
            try supervisor.wait(for: "closed")
            #expect(application.backgroundTimeRemaining == 571.204)
            #expect(try supervisor.wait(for: "remaining").connection == 2)
        }
    }

    @Test("A task begun after the caller has given up is ended again")
    func lateAnswer() throws {
        let supervisor = try FakeSupervisor(answering: { $0.verb == "begin" ? [] : nil })
        defer { supervisor.die() }
        let application = CurfewApplication(at: supervisor.address, patience: 0)
        #expect(application.beginBackgroundTask(withName: "x") { Issue.record("expired") } == .invalid)
        let begin = try supervisor.wait(for: "begin")
        supervisor.send(
            [
                "ok id=\(begin.message["id"] ?? "") task=\(supervisor.beginTask()) remaining=4.000",
                "event name=backgroundTaskWillExpire seq=1 task=1 seconds=4.000",
            ], to: begin.connection)
        try supervisor.waitUntilNoTaskIsOpen()
    }

    @Test("One that is there and doesn't answer is there, and promises no time")
    func silence() throws {
        let supervisor = try FakeSupervisor(answering: { _ in [] })
        defer { supervisor.die() }
        let application = CurfewApplication(at: supervisor.address, patience: 0)
        #expect(application.backgroundTimeRemaining == 0)
        #expect(application.isMultitaskingSupported)
        #expect(throws: BackgroundTaskRefused(name: "x")) {
            try withBackgroundTask(named: "x", on: application) { _ in Issue.record("begun") }
        }
    }

    @Test("What is connected is closed with the application")
    func closedWithTheApplication() async throws {
        let supervisor = try FakeSupervisor()
        defer { supervisor.die() }
        var application: CurfewApplication? = CurfewApplication(at: supervisor.address, patience: 30)
        _ = application?.beginBackgroundTask(withName: "x") {}
        application?.delegate = Deaf()
        try await supervisor.wait(for: "hello")
        application = nil
        try await supervisor.wait(for: "closed", count: 2)
    }

    @Test("The control pipe serves where there is no socket")
    func controlPipe() async throws {
        let supervisor = try FakeSupervisor(pipeAnswering: { _ in nil })
        let inherited = try #require(supervisor.address.inheritedDescriptor)
        // The number may be anybody's from now on: the library holds its own.
        let application = CurfewApplication(at: supervisor.address, patience: FakeSupervisor.patience)
        #expect(application.isMultitaskingSupported)
        close(inherited)
        var loop: LifecycleEvents.AsyncIterator? = application.events.makeAsyncIterator()
        try await supervisor.wait(for: "hello")
        supervisor.send(["event name=didEnterBackground seq=1 ack=required"], to: 1)
        #expect(await loop?.next()?.name == "didEnterBackground")
        loop = nil
        #expect(try await supervisor.wait(for: "ack").message["seq"] == "1")
        // It can't be closed for the others, so the app stays aware; what nobody hears is acknowledged for it.
        supervisor.send(["event name=didEnterBackground seq=2 ack=required"], to: 1)
        #expect(try await supervisor.wait(for: "ack", count: 2).message["seq"] == "2")
        loop = application.events.makeAsyncIterator()
        supervisor.send(["event name=willTerminate seq=3 ack=required"], to: 1)
        #expect(await loop?.next()?.name == "willTerminate")
        #expect(supervisor.count("ack") == 2)
        #expect(supervisor.requests.allSatisfy { $0.connection == 1 })
        supervisor.die()
        try await supervisor.wait(for: "closed")
    }
}
