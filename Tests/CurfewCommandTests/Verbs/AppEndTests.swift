import Testing

@testable import CurfewCommand

@Suite("Ending an app")
struct AppEndTests {
    private func end(of app: String? = nil, isOver: Bool = false, _ answers: String...) throws -> [String] {
        let supervisor = ScriptedSupervisor(answers, isOver: isOver)
        var client = supervisor.client(of: app)
        try AppEnd.ask("quit", &client)
        try AppEnd.await(&client)
        return supervisor.requests
    }

    @Test("A supervisor of one app goes with it, before it has answered or after")
    func alone() throws {
        #expect(try end(isOver: true, "ok id=2 state=active") == ["quit id=2"])
        #expect(try end(isOver: true) == ["quit id=2"])
    }

    @Test("A server stays: the end is an event")
    func served() throws {
        #expect(
            try end(
                of: "a", "event name=didEnd number=3 app=a status=0", "ok id=1", "ok id=2 state=active",
                "event name=stateDidChange number=5 app=a from=active to=notRunning",
                "event name=didEnd number=6 app=a status=143") == ["events id=1 follow=1 app=a", "quit id=2 app=a"])
    }

    @Test("An end of the server before that is told")
    func serverGone() {
        #expect(throws: ControlClient.Failure.ended) { try end(of: "a", isOver: true, "ok id=1", "ok id=2") }
    }

    @Test("A refusal is one")
    func refused() {
        let failure = ControlClient.Failure.refused(code: "not-running", message: "it doesn't run")
        #expect(throws: failure) { try end("error id=2 code=not-running message=\"it doesn't run\"") }
        #expect(throws: failure) {
            try end(of: "a", "ok id=1", "error id=2 code=not-running message=\"it doesn't run\"")
        }
    }
}
