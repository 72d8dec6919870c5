import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("A supervisor waits for all that concerns its apps, and each has its turn")
struct AppsHostTurnsTests {
    private let scene = HostScene()
    private var host: HostScene.Host { scene.host }

    // MARK: Whose turn it is

    /// Sources, by their numbers; a client has a token of its own.
    private func source(_ number: Int) -> curfew_ready {
        curfew_ready(token: EventLoop.Kind.source.token(number), events: EventLoop.readable)
    }

    /// A client whose last turn was over at that moment, with a request that it has sent before.
    private func goingOn(since turn: Int64) throws -> (client: ControlClient, ready: curfew_ready) {
        let (client, session) = try scene.client()
        Array("remaining id=1\n".utf8).withUnsafeBytes { session.reader.append($0) }
        session.hasBacklog = true
        session.lastTurn = turn
        let token = EventLoop.Kind.connection.token(session.id.rawValue)
        return (client, curfew_ready(token: token, events: EventLoop.writable))
    }

    private func handleAll(_ ready: curfew_ready...) { ready.withUnsafeBufferPointer { host.handleAll($0) } }

    @Test("A client that goes on waits for all others that have come, and is heard then")
    func goesOn() throws {
        scene.hold()
        let (client, ready) = try goingOn(since: 10)
        defer { client.close() }
        var before: [[String]] = []
        host.onSource = { _ in before.append(client.read()) }
        handleAll(ready, source(1), source(2))
        #expect(before == [[], []])
        #expect(client.read().map { $0.prefix(7) } == ["ok id=1"])
    }

    @Test("Of several that go on one is heard, whose last turn is over longest")
    func oneOfSeveral() throws {
        scene.hold()
        let (late, lateReady) = try goingOn(since: 20)
        let (early, earlyReady) = try goingOn(since: 10)
        defer { for client in [late, early] { client.close() } }
        handleAll(lateReady, earlyReady)
        #expect(late.read() == [])
        #expect(early.read().count == 1)
        // The other has its turn once more have come.
        handleAll(lateReady)
        #expect(late.read().count == 1)
    }

    @Test("Where nobody goes on all are heard, in the order in which they have come")
    func inOrder() throws {
        var heard: [Int] = []
        host.onSource = { heard.append($0) }
        handleAll(source(2), source(1), source(3))
        #expect(heard == [2, 1, 3])
    }

    @Test("Once it is over nothing else is heard, and whoever goes on neither")
    func overMeanwhile() throws {
        scene.hold()
        let (client, ready) = try goingOn(since: 10)
        defer { client.close() }
        var heard: [Int] = []
        host.onSource = { [host] in
            heard.append($0)
            host.isOver = true
        }
        handleAll(ready, source(1), source(2))
        #expect(heard == [1])
        #expect(client.read() == [])
    }

    // MARK: One wait

    @Test("It waits again and again until it is over, and knows when it was last woken")
    func untilOver() {
        let event = ReadyEvent()
        host.loop.add(event.descriptor, EventLoop.Kind.records.token())
        let before = host.kernel.now
        var count = 0
        host.onRecords = { [host] in
            count += 1
            host.isOver = count == 3
        }
        host.waitForAll()
        #expect(count == 3)
        #expect(host.turnBegan > before)
        #expect(host.turnBegan <= host.kernel.now)
    }

    @Test("What is due is done once, by the timer, although something else has come as well")
    func timer() {
        let event = ReadyEvent()
        host.loop.add(event.descriptor, EventLoop.Kind.records.token())
        var dues = 0
        host.onTime = { [host] in
            dues += 1
            host.due = nil
        }
        host.due = Instant(nanoseconds: 1)
        for _ in 0..<100 { host.waitOnce() }
        #expect(dues == 1)
    }

    @Test(
        "Where there is no descriptor for a timer it is done at each wait as long as it is due, whatever else has come")
    func noTimer() {
        host.descriptors = DescriptorLimit(count: 4)
        let event = ReadyEvent()
        host.loop.add(event.descriptor, EventLoop.Kind.records.token())
        var (dues, heard) = (0, 0)
        host.onTime = { dues += 1 }
        host.onRecords = { heard += 1 }
        host.due = Instant(nanoseconds: 1)
        host.waitOnce()
        host.waitOnce()
        #expect(dues == 2)
        #expect(heard == 2)
        host.due = .distantFuture
        host.waitOnce()
        #expect(dues == 2)
        #expect(heard == 3)
    }

    @Test("And where nothing has come when that is waited for in vain")
    func timeOut() {
        host.descriptors = DescriptorLimit(count: 4)
        var dues = 0
        host.onTime = { dues += 1 }
        host.due = host.kernel.now + .milliseconds(1)
        host.waitOnce()
        #expect(dues == 1)
    }

    // MARK: Time that is held

    /// `advance` of five seconds is under way, and nothing is owed.
    private func beginAdvance() throws -> ControlClient {
        scene.kernel.clock = host.kernel.now
        host.engine.holdTime()
        scene.hold()
        let (client, session) = try scene.client()
        let message = Message("advance", [Field("id", "1"), Field("seconds", "5")])
        #expect(host.beginAdvance(ControlRequest(session, message), of: .a) == nil)
        return client
    }

    @Test("Held time moves once nothing has come, and not before")
    func advance() throws {
        let client = try beginAdvance()
        defer { client.close() }
        let began = host.engine.now.lifecycle
        let event = ReadyEvent()
        host.loop.add(event.descriptor, EventLoop.Kind.records.token())
        host.waitOnce()
        #expect(host.engine.now.lifecycle == began)
        host.loop.remove(event.descriptor)
        host.waitOnce()
        #expect(host.engine.now.lifecycle == began + .seconds(5))
        #expect(host.pendingAdvance != nil)
        host.waitOnce()
        #expect(host.pendingAdvance == nil)
        #expect(client.read().last?.hasPrefix("ok id=1 seconds=5.000 left=0.000 ") == true)
    }

    @Test("Once it is over held time doesn't move any more")
    func advanceAtTheEnd() throws {
        let client = try beginAdvance()
        defer { client.close() }
        let began = host.engine.now.lifecycle
        host.onTime = { [host] in host.isOver = true }
        host.waitOnce()
        #expect(host.isOver)
        #expect(host.engine.now.lifecycle == began)
    }

    // MARK: Descriptors

    @Test("Where clients find none left our limit is raised again, and who may keep which is decided by that")
    func raisedLimit() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        #expect(getrlimit(resource, &limit) == 0)
        var lowered = limit
        lowered.rlim_cur = min(limit.rlim_max, 512)
        #expect(setrlimit(resource, &lowered) == 0)
        defer { _ = setrlimit(resource, &limit) }
        let control = ControlServer(listening: .none, loop: host.loop, host: host)
        host.control = control
        for descriptors in [host.descriptors, control.descriptors] { #expect(descriptors.count == 1024) }
        host.raiseDescriptorLimit()
        var raised = rlimit()
        #expect(getrlimit(resource, &raised) == 0)
        #expect(raised.rlim_cur == limit.rlim_max)
        #expect(host.descriptors.count == Int(clamping: limit.rlim_max))
        #expect(control.descriptors == host.descriptors)
    }
}
