import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

/// As clients see it, over a real socket.
@Suite("Who moves held time, and what is answered")
struct AdvanceDeskTests {
    private let scene = ControlScene()

    init() { scene.engine.holdTime() }

    private var lifecycle: Instant { scene.engine.now.lifecycle }

    /// Nothing else is there to do until it is answered; what its client then hears.
    private func answer(to client: ControlClient) -> [String] {
        for _ in 0..<10_000 {
            guard let pending = scene.pendingAdvance else { return client.read() }
            scene.kernel.clock = max(scene.kernel.clock, pending.nextLook)
            scene.desk.goOn(isIdle: true)
        }
        Issue.record("it isn't answered")
        return []
    }

    /// At home, on its budget of 600 s, with a task that nobody ends.
    private func atHomeWithTask() -> ControlClient {
        let client = scene.client()
        _ = scene.ask(scene.pipe(), "begin name=upload")
        _ = scene.ask(client, "home")
        #expect(scene.app(.a)?.state == .background)
        return client
    }

    // MARK: Who may

    @Test("Where time runs by itself nobody moves it")
    func running() {
        let scene = ControlScene()
        let answer = scene.ask(scene.client(), "advance seconds=1")
        #expect(answer.count == 1)
        #expect(answer.first?.hasPrefix("error code=unsupported ") == true)
        #expect(scene.pendingAdvance == nil)
    }

    @Test("It is moved for one at a time, until that one is answered or gone")
    func busy() {
        let (first, second) = (scene.client(), scene.client())
        #expect(scene.ask(first, "advance seconds=1") == [])
        let refusal = ["error code=busy message=\"another `curfew advance` is under way\""]
        #expect(scene.ask(second, "advance seconds=1") == refusal)
        #expect(answer(to: first).count == 1)
        #expect(scene.ask(first, "advance seconds=1") == [])
        first.close()
        scene.run()
        #expect(scene.ask(second, "advance seconds=2") == [])
        #expect(answer(to: second) == ["ok seconds=2.000 left=0.000 state=active"])
    }

    @Test(
        "What isn't a time is refused",
        arguments: ["", " seconds=-1", " seconds=soon", " seconds=inf"])
    func noTime(words: String) {
        let refusal = ["error code=invalid message=\"advance needs seconds=NUMBER, 0 or more\""]
        #expect(scene.ask(scene.client(), "advance" + words) == refusal)
        #expect(scene.pendingAdvance == nil)
    }

    @Test("And so is what nothing can settle in", arguments: ["0", "-1", "soon", "inf"])
    func noSettle(settle: String) {
        let refusal = ["error code=invalid message=\"settle is a number of seconds, more than 0\""]
        #expect(scene.ask(scene.client(), "advance seconds=1 settle=\(settle)") == refusal)
        #expect(scene.pendingAdvance == nil)
    }

    @Test("How long who owes something must be quiet can be asked for")
    func settle() {
        let client = scene.client()
        _ = scene.ask(client, "advance seconds=1")
        #expect(scene.pendingAdvance?.advance.settle == Advance.defaultSettle)
        _ = answer(to: client)
        _ = scene.ask(client, "advance seconds=1 settle=0.3")
        #expect(scene.pendingAdvance?.advance.settle == .milliseconds(300))
    }

    // MARK: When time moves

    @Test("Not before nothing else is there to do, but after ten seconds all the same")
    func idle() {
        let before = lifecycle
        _ = scene.ask(scene.client(), "advance seconds=60")
        scene.desk.goOn(isIdle: false)
        #expect(lifecycle == before)
        scene.kernel.clock = scene.kernel.clock + .milliseconds(9_999)
        scene.desk.goOn(isIdle: false)
        #expect(lifecycle == before)
        scene.kernel.clock = scene.kernel.clock + .milliseconds(1)
        scene.desk.goOn(isIdle: false)
        #expect(lifecycle == before + .seconds(60))
    }

    @Test("For whoever has gone it isn't moved")
    func gone() {
        let before = lifecycle
        let client = scene.client()
        _ = scene.ask(client, "advance seconds=60")
        client.close()
        scene.run()
        #expect(scene.pendingAdvance != nil)
        scene.desk.goOn(isIdle: true)
        #expect(scene.pendingAdvance == nil)
        #expect(lifecycle == before)
    }

    @Test("Without anybody who asks it isn't moved")
    func nobody() {
        let before = lifecycle
        scene.desk.goOn(isIdle: true)
        scene.desk.answer()
        #expect(lifecycle == before)
    }

    // MARK: What is answered

    @Test("Where nothing happens all of it passes", arguments: [("0", "0.000"), ("10", "10.000")])
    func nothing(asked: String, passed: String) {
        let client = scene.client()
        _ = scene.ask(client, "advance seconds=\(asked) id=7")
        #expect(answer(to: client) == ["ok id=7 seconds=\(passed) left=0.000 state=active"])
    }

    @Test("It stops at what happens first, which is told, and nothing of before; the next goes on from there")
    func happens() {
        let client = atHomeWithTask()
        _ = scene.ask(client, "advance seconds=1000")
        #expect(
            answer(to: client) == [
                "event name=backgroundTasksWillExpire app=backup tasks=1",
                "event name=didDeliver app=backup event=backgroundTaskWillExpire seq=1",
                "ok seconds=595.000 left=405.000 state=background",
            ])
        _ = scene.ask(client, "advance seconds=4")
        #expect(answer(to: client) == ["ok seconds=4.000 left=0.000 state=background"])
    }

    @Test("Its end is the answer when it comes, however long the kernel takes")
    func ends() throws {
        let client = atHomeWithTask()
        _ = scene.ask(client, "advance seconds=595")
        _ = answer(to: client)
        _ = scene.ask(client, "advance seconds=1000")
        for _ in 0..<100 {
            let pending = try #require(scene.pendingAdvance)
            scene.kernel.clock = max(scene.kernel.clock, pending.nextLook)
            scene.desk.goOn(isIdle: true)
        }
        #expect(client.read() == [])
        scene.engine.childrenChanged()
        let told = client.read()
        #expect(told.first?.hasPrefix("event name=willKill app=backup reason=background-task-timeout ") == true)
        #expect(told.dropLast().last?.hasPrefix("event name=didEnd app=backup ") == true)
        #expect(told.last == "ok seconds=5.000 left=995.000 state=notRunning")
        #expect(scene.pendingAdvance == nil)
    }
}
