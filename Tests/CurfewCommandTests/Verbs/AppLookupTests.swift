import CurfewLinux
import Testing

@testable import CurfewCommand

@Suite("Which app is meant")
struct AppLookupTests {
    private let runtime: ScriptedRuntime

    init() throws { runtime = try ScriptedRuntime() }

    /// `variables`: the environment; nothing of the test's own.
    private func lookup(server: String? = nil, _ variables: [String: String] = [:]) -> AppLookup {
        var lookup = AppLookup(verb: "home", server: server, directory: runtime.directory)
        lookup.variable = { variables[$0] }
        return lookup
    }

    // MARK: Without a name

    @Test("Without a name it is the app that we are in, whoever else runs")
    func inherited() throws {
        try runtime.supervisor("mail", ["ok id=1 app=mail"])
        let target = try lookup(["CURFEW_SOCKET": "/run/a.sock"]).target(of: nil)
        #expect(target?.path == "/run/a.sock")
        #expect(runtime.asked("mail").isEmpty)
    }

    @Test("Else the only one that runs, in a supervisor of its own")
    func only() throws {
        try runtime.supervisor("mail", ["ok id=1 app=mail"])
        let target = try lookup().target(of: nil)
        #expect(target?.path == runtime.directory.socketPath("mail"))
        #expect(target?.app == nil)
    }

    @Test("Or in a server, which is asked for it by its name")
    func onlyServed() throws {
        try runtime.server("work", ["status id=1 app=web", "ok id=1 count=1"])
        let target = try lookup().target(of: nil)
        #expect(target?.path == runtime.directory.serverSocketPath("work"))
        #expect(target?.app == "web")
    }

    @Test("Of several none is, and all are named")
    func several() throws {
        try runtime.supervisor("mail", ["ok id=1 app=mail"])
        try runtime.server("home", ["status id=1 app=db", "ok id=1 count=1"])
        #expect(throws: UsageError("home", "several apps are running; say which: db, mail")) {
            try lookup().target(of: nil)
        }
    }

    @Test("Where none runs there is none, though a server does")
    func none() throws {
        #expect(try lookup().target(of: nil) == nil)
        try runtime.server("home", ["ok id=1 count=0"])
        #expect(try lookup().target(of: nil) == nil)
    }

    @Test("Who ends, or refuses, while he is asked isn't one of them; who is broken is told of")
    func silent() throws {
        try runtime.supervisor("ending", .ending())
        try runtime.supervisor("refusing", ["error id=1 code=forbidden message=no"])
        try runtime.supervisor("broken", ["ok =x"])
        try runtime.supervisor("mail", ["ok id=1 app=mail"])
        var target: AppTarget?
        let told = try Written.to(2) { target = try lookup().target(of: nil) }
        #expect(target?.path == runtime.directory.socketPath("mail"))
        #expect(told == ["curfew: home: broken: its supervisor sent a malformed line: a value has no key"])
    }

    // MARK: By a pid

    @Test("Its program, its `curfew run` and its supervisor are the app", arguments: ["40", "41", "42"])
    func pid(pid: String) throws {
        try runtime.supervisor("mail", ["ok id=1 app=mail pid=40 front=41 supervisor=42"])
        let target = try lookup().target(of: pid)
        #expect(target?.path == runtime.directory.socketPath("mail"))
        #expect(target?.subject == pid)
    }

    @Test("A server knows whose process it is, and is asked for the app by its name")
    func servedPid() throws {
        try runtime.server("home", ["ok id=1 app=web pid=7"])
        let target = try lookup().target(of: "8")
        #expect(target?.path == runtime.directory.serverSocketPath("home"))
        #expect(target?.app == "web")
        #expect(runtime.asked(server: "home") == ["status id=1 app=8"])
    }

    @Test("What could be two is none")
    func ambiguousPid() throws {
        try runtime.supervisor("mail", ["ok id=1 app=mail pid=40"])
        try runtime.server("home", ["ok id=1 app=web pid=40"])
        #expect(throws: UsageError("home", "the pid 40 could mean mail, web; say which by name")) {
            try lookup().target(of: "40")
        }
    }

    @Test("Nobody's pid is told of as one")
    func missingPid() throws {
        try runtime.supervisor("mail", ["ok id=1 app=mail pid=40"])
        try runtime.server("home", ["error id=1 code=no-app message=x"])
        let target = try lookup().target(of: "41")
        #expect(target?.absence == "no app has the pid 41; `curfew ps` lists those that run, with their pids")
    }

    @Test("What is neither a name nor a pid is refused", arguments: ["", "a b", "0", "99999999999", "-x", "a/b"])
    func neither(app: String) {
        #expect(throws: UsageError.self) { try lookup().target(of: app) }
    }

    // MARK: Which server

    @Test("The server that was asked for, else CURFEW_SERVER's, else the usual one")
    func server() throws {
        let variables = ["CURFEW_SERVER": "work"]
        #expect(try lookup(server: "mine", variables).chosenServer() == "mine")
        #expect(try lookup(variables).chosenServer() == "work")
        #expect(try lookup().chosenServer() == "home")
    }

    @Test("CURFEW_SERVER must be a name, but where one was asked for")
    func badServer() throws {
        let variables = ["CURFEW_SERVER": "../x"]
        #expect(throws: UsageError.self) { try lookup(variables).chosenServer() }
        #expect(try lookup(server: "mine", variables).chosenServer() == "mine")
    }
}
