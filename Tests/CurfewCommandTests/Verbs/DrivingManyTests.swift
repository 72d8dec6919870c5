import CurfewLinux
import Testing

@testable import CurfewCommand

/// `quit --all`, `sleep` and `home` against supervisors in this process.
@Suite("Driving every app, or whichever is in front")
struct DrivingManyTests {
    private let runtime: ScriptedRuntime

    init() throws { runtime = try ScriptedRuntime() }

    private typealias Verb = (ArgumentReader, RuntimeDirectory?) throws(UsageError) -> Int32

    private func run(_ verb: String, _ words: [String], _ body: Verb) throws -> VerbOutcome {
        try VerbOutcome.of(verb, words) { reader throws(UsageError) in try body(reader, runtime.directory) }
    }

    private func quit(_ words: String...) throws -> VerbOutcome { try run("quit", words, QuitVerb.run) }
    private func putToSleep(_ words: String...) throws -> VerbOutcome { try run("sleep", words, SleepVerb.run) }
    private func home(_ words: String...) throws -> VerbOutcome { try run("home", words, HomeVerb.run) }

    // MARK: quit

    @Test("All are asked to end, a server's at one request; those that only take part in it are asked themselves")
    func quitAll() throws {
        try runtime.supervisor("backup", ["ok id=1 app=backup"], .ending("ok id=2 state=active"))
        runtime.link("mail", to: "home")
        try runtime.server(
            "home",
            [
                "app name=mail state=active pid=5", "app name=old state=notRunning",
                "app name=vim state=active pid=7 joined=1", "ok id=1", "ok id=2",
            ])
        let outcome = try quit("--all", "--json")
        #expect(
            outcome
                == VerbOutcome(
                    status: 0, output: ["{", #"  "backup": "notRunning","#, #"  "mail": "notRunning""#, "}"]))
        #expect(runtime.asked("backup") == ["status id=1", "quit id=2"])
        #expect(runtime.asked(server: "home") == ["apps id=1", "quit-all id=2"])
    }

    @Test("Who refuses is told of, and the status is the first such one's; the others end all the same")
    func quitRefused() throws {
        try runtime.supervisor("a", ["ok id=1 app=a"], ["error id=2 code=busy message=later"])
        try runtime.supervisor("b", ["ok id=1 app=b"], ["error id=2 code=forbidden message=no"])
        try runtime.supervisor("c", ["ok id=1 app=c"], .ending("ok id=2 state=active"))
        let outcome = try quit("--all", "--json")
        #expect(outcome.status == 75)
        #expect(outcome.output == ["{", #"  "c": "notRunning""#, "}"])
        #expect(
            outcome.complaints == [
                "curfew: quit: a: refused (busy): later", "curfew: quit: b: refused (forbidden): no",
            ])
    }

    @Test("An app that is gone before it is asked has ended; a server that goes before all have hasn't said so")
    func quitGone() throws {
        try runtime.supervisor("a", ["ok id=1 app=a"])
        #expect(try quit("--all", "--json") == VerbOutcome(status: 0, output: ["{}"]))
        try runtime.server("home", .ending("app name=mail pid=5", "ok id=1"))
        let outcome = try quit("--all", "--json")
        #expect(outcome.status == 69)
        #expect(outcome.output == ["{}"])
        #expect(outcome.complaints == ["curfew: quit: the server home ended before it answered"])
    }

    @Test("Of a server that was asked for all are, and nobody else; it must be there")
    func quitServer() throws {
        try runtime.supervisor("a", ["ok id=1 app=a"])
        try runtime.server("work", ["ok id=1", "ok id=2"])
        #expect(try quit("--all", "--server", "work") == VerbOutcome(status: 0))
        #expect(runtime.asked("a").isEmpty)
        let gone = try quit("--all", "--server", "work")
        #expect(gone.status == 69)
        #expect(
            gone.complaints == ["curfew: quit: no server called work is running; `curfew serve` starts one"])
    }

    @Test("Where nothing runs all have ended")
    func quitNobody() throws { #expect(try quit("--all") == VerbOutcome(status: 0)) }

    @Test("It is one app, or all", arguments: [["--all", "a"], []])
    func quitWhom(words: [String]) {
        #expect(throws: UsageError.self) { try run("quit", words, QuitVerb.run) }
        #expect(throws: UsageError.self) { try run("sleep", words, SleepVerb.run) }
    }

    // MARK: sleep

    @Test("All are put to sleep in turn, each asked for it by whoever holds it")
    func sleepAll() throws {
        try runtime.supervisor("backup", ["ok id=1 app=backup"], ["ok id=1 state=suspended"])
        try runtime.server("home", ["status id=1 app=mail", "ok id=1 count=1"], ["ok id=1 state=suspended"])
        let outcome = try putToSleep("--all", "--stay", "--json")
        #expect(
            outcome
                == VerbOutcome(status: 0, output: ["{", #"  "backup": "suspended","#, #"  "mail": "suspended""#, "}"]))
        #expect(runtime.asked("backup") == ["status id=1", "sleep id=1 stay=1"])
        #expect(runtime.asked(server: "home") == ["status id=1", "sleep id=1 stay=1 app=mail"])
    }

    @Test("Who can't sleep is named, and the status is the first such one's; who has ended meanwhile isn't")
    func sleepRefused() throws {
        try runtime.supervisor("a", ["ok id=1 app=a"], .ending())
        try runtime.supervisor("b", ["ok id=1 app=b"], ["error id=1 code=holds-task message=busy"])
        try runtime.supervisor("c", ["ok id=1 app=c"], ["error id=1 code=forbidden message=no"])
        try runtime.supervisor("d", ["ok id=1 app=d"], ["ok id=1 state=suspended"])
        let outcome = try putToSleep("--all", "--json")
        #expect(outcome.status == 75)
        #expect(outcome.output == ["{", #"  "d": "suspended""#, "}"])
        #expect(
            outcome.complaints == [
                "curfew: sleep: b: refused (holds-task): busy (b)", "curfew: sleep: c: refused (forbidden): no (c)",
            ])
    }

    @Test("One is asked by its name, and stays asleep where that was said")
    func sleepOne() throws {
        try runtime.supervisor("a", ["ok id=1 state=suspended"])
        #expect(
            try putToSleep("a", "--json") == VerbOutcome(status: 0, output: ["{", #"  "state": "suspended""#, "}"]))
        #expect(runtime.asked("a") == ["sleep id=1"])
    }

    // MARK: home

    @Test("Without a name it is whoever is in front of the server")
    func homeOfServer() throws {
        try runtime.supervisor("a", ["ok id=1 app=a"])
        try runtime.server("home", ["ok id=1 state=background"])
        #expect(try home("--json") == VerbOutcome(status: 0, output: ["{", #"  "state": "background""#, "}"]))
        #expect(runtime.asked(server: "home") == ["home id=1"])
        #expect(runtime.asked("a").isEmpty)
    }

    @Test("Where nobody is in front there, or there is no server, it is the only app that has a supervisor of its own")
    func homeOfOnly() throws {
        try runtime.server("home", ["error id=1 code=no-app message=x"])
        for _ in 0..<2 {
            try runtime.supervisor("a", ["ok id=1 app=a"], ["ok id=1 state=background"])
            #expect(try home() == VerbOutcome(status: 0))
            #expect(runtime.asked("a") == ["status id=1", "home id=1"])
        }
    }

    @Test("Of several, or of none, it says so")
    func homeOfNobody() throws {
        #expect(throws: UsageError("home", "no app is in front; `curfew ps` lists those that run")) { try home() }
        try runtime.supervisor("b", ["ok id=1 app=b"])
        try runtime.supervisor("a", ["ok id=1 app=a"])
        #expect(throws: UsageError("home", "several apps are running; say which goes home: a, b")) { try home() }
    }

    @Test("A server that was asked for is the only one that is, and another refusal is one")
    func homeRefused() throws {
        try runtime.supervisor("a", ["ok id=1 app=a"])
        try runtime.server("home", ["error id=1 code=no-app message=nobody"], ["error id=1 code=forbidden message=no"])
        #expect(
            try home("--server", "home")
                == VerbOutcome(status: 69, complaints: ["curfew: home: the server home: refused (no-app): nobody"]))
        #expect(
            try home() == VerbOutcome(status: 1, complaints: ["curfew: home: the server home: refused (forbidden): no"])
        )
        #expect(runtime.asked("a").isEmpty)
    }

    @Test("By its name it is that one")
    func homeByName() throws {
        try runtime.supervisor("a", ["ok id=1 state=background"])
        try runtime.server("home", ["ok id=1 state=background"])
        #expect(try home("a") == VerbOutcome(status: 0))
        #expect(runtime.asked(server: "home").isEmpty)
    }
}
