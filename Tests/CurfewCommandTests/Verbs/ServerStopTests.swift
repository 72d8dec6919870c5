import CCurfew
import CurfewLinux
import Glibc
import Testing

@testable import CurfewCommand

@Suite("Stopping a server")
struct ServerStopTests {
    private let runtime: ScriptedRuntime

    init() throws { runtime = try ScriptedRuntime() }

    private func stop() -> VerbOutcome { VerbOutcome.of { ServerStop.run("home", in: runtime.directory) } }

    @Test("It is asked to, and has ended once it has closed the channel and given back its name")
    func stopped() throws {
        try runtime.server("home", .ending("ok id=1", "event name=didEnd app=a"))
        #expect(stop() == VerbOutcome(status: 0))
        #expect(runtime.asked(server: "home") == ["stop id=1"])
    }

    @Test("Without an app it may be gone before it has answered")
    func unanswered() throws {
        try runtime.server("home", .ending())
        #expect(stop() == VerbOutcome(status: 0))
    }

    @Test("Nobody can't be stopped")
    func nobody() {
        #expect(
            stop() == VerbOutcome(status: 69, complaints: ["curfew: serve: no server called home is running"]))
    }

    @Test("A refusal and nonsense are told of, and it goes on")
    func refused() throws {
        try runtime.server("home", ["error id=1 code=forbidden message=no"], ["ok =x"])
        #expect(stop() == VerbOutcome(status: 1, complaints: ["curfew: serve: home: refused: no"]))
        #expect(
            stop()
                == VerbOutcome(
                    status: 1,
                    complaints: ["curfew: serve: home: its supervisor sent a malformed line: a value has no key"]))
    }

    @Test("Killed on its way it leaves its name; that is told once nobody has taken that away in time")
    func killed() throws {
        let path = runtime.directory.serverSocketPath("home")
        var bound = Descriptor(curfew_unix_listen(path, 1))
        bound.close()
        let outcome = VerbOutcome.of { ServerStop.awaitEnd(of: "home", path, until: 0) }
        #expect(outcome.status == 1)
        #expect(outcome.complaints.first?.contains("\(path) is still there") == true)
        unlink(path)
        #expect(VerbOutcome.of { ServerStop.awaitEnd(of: "home", path, until: 0) } == VerbOutcome(status: 0))
    }

    @Test("Whoever has taken its name since is another, and isn't waited for")
    func successor() throws {
        try runtime.server("home", [])
        let path = runtime.directory.serverSocketPath("home")
        #expect(VerbOutcome.of { ServerStop.awaitEnd(of: "home", path, until: 0) } == VerbOutcome(status: 0))
    }
}
