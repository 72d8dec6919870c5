import CurfewCore
import Testing

@testable import CurfewCommand

@Suite("Waiting for an app's state")
struct StateWaitTests {
    private static let asked = ["events id=1 follow=1", "status id=2"]

    /// What it comes to with these answers; waiting no longer than for them.
    private func outcome(
        _ state: LifecycleState, of app: String? = nil, isOver: Bool = false, _ answers: String...
    ) throws -> StateWait.Outcome {
        let supervisor = ScriptedSupervisor(answers, isOver: isOver)
        var client = supervisor.client()
        return try StateWait(state: state, app: app).outcome(&client, until: 0)
    }

    @Test("It is so already")
    func already() throws {
        #expect(try outcome(.suspended, "ok id=1", "ok id=2 app=a state=suspended") == .reached)
    }

    @Test("It becomes so")
    func becomes() throws {
        #expect(
            try outcome(
                .suspended, "ok id=1", "ok id=2 app=a state=active",
                "event name=stateDidChange number=7 app=a from=active to=background",
                "event name=stateDidChange number=8 app=a from=background to=suspended") == .reached)
    }

    @Test("What has happened before it asks is over; what happens while it asks counts")
    func order() throws {
        let change = "event name=stateDidChange number=7 app=a from=active to=suspended"
        #expect(try outcome(.suspended, change, "ok id=1", "ok id=2 app=a state=active") == .timedOut(.active))
        #expect(try outcome(.suspended, "ok id=1", change, "ok id=2 app=a state=active") == .reached)
    }

    @Test("Events are followed before the state is asked for, and the app is named to a server alone")
    func requests() throws {
        for app in [nil, "a"] {
            let supervisor = ScriptedSupervisor(["ok id=1", "ok id=2 app=a state=active"])
            var client = supervisor.client()
            _ = try StateWait(state: .active, app: app).outcome(&client, until: 0)
            #expect(supervisor.requests == ["events id=1 follow=1", app == nil ? "status id=2" : "status id=2 app=a"])
        }
    }

    @Test("When the time is over it says what it was last")
    func late() throws {
        #expect(
            try outcome(
                .suspended, "ok id=1", "ok id=2 app=a state=active",
                "event name=stateDidChange number=7 app=a from=active to=background") == .timedOut(.background))
    }

    @Test("With the channel's end the app is gone: then it isn't running, and nothing else any more")
    func ended() throws {
        #expect(try outcome(.notRunning, isOver: true, "ok id=1", "ok id=2 app=a state=active") == .reached)
        #expect(try outcome(.suspended, isOver: true, "ok id=1", "ok id=2 app=a state=active") == .ended)
        #expect(try outcome(.suspended, isOver: true, "ok id=1") == .ended)
        #expect(try outcome(.notRunning, isOver: true) == .reached)
        let end = "event name=didEnd number=9 app=a status=0"
        #expect(try outcome(.notRunning, "ok id=1", "ok id=2 app=a state=active", end) == .reached)
    }

    @Test("Of a server's apps only the one is heeded, and its end isn't the last word")
    func served() throws {
        #expect(
            try outcome(
                .suspended, of: "a", "ok id=1", "ok id=2 app=a state=active",
                "event name=stateDidChange number=7 app=b from=active to=suspended") == .timedOut(.active))
        #expect(
            try outcome(
                .active, of: "a", "ok id=1", "ok id=2 app=a state=background",
                "event name=didEnd number=9 app=a status=0",
                "event name=stateDidChange number=1 app=a from=notRunning to=active") == .reached)
        #expect(throws: ControlClient.Failure.ended) {
            try outcome(.active, of: "a", isOver: true, "ok id=1", "ok id=2 app=a state=background")
        }
    }

    @Test("One that a server knows and that doesn't run is waited for, or isn't running")
    func notRunning() throws {
        let refusal = "error id=2 code=not-running message=\"it doesn't run\""
        #expect(try outcome(.notRunning, of: "a", "ok id=1", refusal) == .reached)
        #expect(
            try outcome(
                .active, of: "a", "ok id=1", refusal,
                "event name=stateDidChange number=1 app=a from=notRunning to=active") == .reached)
        #expect(try outcome(.active, of: "a", "ok id=1", refusal) == .timedOut(.notRunning))
    }

    @Test("A refusal is one")
    func refused() {
        #expect(throws: ControlClient.Failure.refused(code: "forbidden", message: "no")) {
            try outcome(.active, "error id=1 code=forbidden message=no")
        }
        #expect(throws: ControlClient.Failure.refused(code: "no-app", message: "who?")) {
            try outcome(.active, of: "a", "ok id=1", "error id=2 code=no-app message=\"who?\"")
        }
    }
}
