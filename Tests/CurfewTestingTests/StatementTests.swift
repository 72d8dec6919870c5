import CurfewScenarioRun
import CurfewWire
import Testing

@testable import CurfewTesting

extension App {
    /// The stage, where a test says what it does.
    func prepare(_ change: @Sendable (StubStage) -> Void) throws { change(try #require(stage as? StubStage)) }

    func log() throws -> [String] { try #require(stage as? StubStage).log }

    var isClosed: Bool { (stage as? StubStage)?.isClosed == true }

    static func stub(_ change: (inout Setting) -> Void = { _ in }) throws -> App {
        var setting = Setting(command: ["./server", "a b"])
        change(&setting)
        return try App(setting, on: StubStage())
    }
}

/// What is done with an app, and what comes of it.
struct Deed: Sendable, CustomTestStringConvertible {
    let text: String
    let run: @Sendable (isolated App) throws -> Void

    init(_ text: String, _ run: @escaping @Sendable (isolated App) throws -> Void) {
        self.text = text
        self.run = run
    }

    var testDescription: String { text }
}

/// What a failure says, in one line.
func failure(_ body: () async throws -> Void) async throws -> String {
    do {
        try await body()
    } catch let failure as AppFailure {
        return "\(failure.isBroken ? "broken, " : "")\(failure.expected): \(failure.seen)"
    }
    return "it went through"
}

@Suite("In Swift Testing: what acts on an app")
struct StatementTests {
    @Test(
        "Each statement asks for what the scenario's does",
        arguments: [
            Deed("home") { try $0.home() },
            Deed("open") { try $0.open() },
            Deed("sleep") { try $0.sleep() },
            Deed("interrupt") { try $0.interrupt() },
            Deed("dismiss") { try $0.dismiss() },
            Deed("quit") { try $0.quit() },
            Deed("reclaim") { try $0.reclaim() },
            Deed("kill supervisor") { try $0.killSupervisor() },
            Deed("wake name=fetch info.reason=nightly") { try $0.wake("fetch", ["reason": "nightly"]) },
            Deed("post name=theme info.dark=a=b c") { try $0.post("theme", ["dark": "a=b c"]) },
            Deed("warn level=warning") { try $0.warn() },
            Deed("warn level=critical") { try $0.warn(.critical) },
            Deed("pressure level=critical") { try $0.pressure(.critical) },
            Deed("advance seconds=595.000") { try $0.advance(.seconds(595)) },
            Deed("write delete 3\n") { try $0.send("delete 3") },
            Deed("write i\u{3}") { try $0.key("i", "C-c") },
            Deed("run ./client $x") { try $0.run("./client", "$x") },
            Deed("begin ./client") { try $0.begin("./client") },
        ])
    func acts(deed: Deed) async throws {
        let app = try App.stub()
        try await app.launch()
        try await deed.run(app)
        #expect(try await app.log() == ["launch -- ./server a b", deed.text])
    }

    @Test("It is launched by its options, its time scale, and in a terminal")
    func launch() async throws {
        let app = try App.stub {
            $0.options = ["--budget", "10m"]
            $0.timeScale = 60
            $0.hasTerminal = true
        }
        try await app.launch()
        #expect(try await app.log() == ["launch --time-scale 60.0 --budget 10m -- ./server a b (terminal)"])
    }

    @Test("What was reclaimed is launched anew, and told so")
    func restored() async throws {
        let app = try App.stub()
        try await app.launch()
        try await app.reclaim()
        try await app.expectKilled("memory-pressure")
        try await app.open()
        try await app.expectPid(.changed)
        let last = try await app.log().last
        #expect(last == "launch --launch-option restored=true --launch-option ended=memory-pressure -- ./server a b")
    }

    @Test("What is refused, what isn't running, and what fails")
    func failures() async throws {
        let app = try App.stub()
        #expect(try await failure { try await app.home() } == "the app to go home: the app isn't running")
        try await app.launch()
        try await app.prepare { $0.refusals["reclaim"] = ("not-suspended", "it is active") }
        #expect(
            try await failure { try await app.reclaim() }
                == "the app to be ended for its memory while it is suspended: refused (not-suspended): it is active")
        #expect(try await failure { try await app.run("false") } == "the command to exit with 0: it exits with 1")
    }
}

@Suite("In Swift Testing: what is looked at")
struct ConditionTests {
    private static let theme = "since the last statement that acts on it: theme info.dark=true"

    @Test(
        "Each condition says what was expected and seen",
        arguments: [
            Deed("the app to be suspended: it is active") { try $0.expectState(.suspended) },
            Deed("the app to be background: it is active; waited for 0 s") {
                try $0.awaitState(.background, within: .zero)
            },
            Deed("the app to exit with 3: it is still running") { try $0.expectExit(3) },
            Deed("the app to be killed: memory-limit: it is still running") { try $0.expectKilled("memory-limit") },
            Deed("another process than before: it was launched once, with pid 100") { try $0.expectPid(.changed) },
            Deed("the event theme dark=false: \(theme)") { try $0.expectEvent("theme", ["dark": "false"]) },
            Deed("not the event theme: \(theme)") { try $0.expectNoEvent("theme") },
            Deed("the events theme, other, in this order: \(theme); other is missing") {
                try $0.expectEvents("theme", "other")
            },
            Deed("the task upload to be open: no task is open") { try $0.expectTask("upload", .open) },
            Deed("output that matches x(y): the last line is: port 80") { try $0.expectOutput("x(y)") },
            Deed("not output that matches port: it has written port") { try $0.expectNoOutput("port") },
            Deed("no silence for 2 s: no output, no event and no CPU time") { try $0.expectNoSilence(.seconds(2)) },
            Deed("memory to be let go: it isn't so; waited in vain") {
                try $0.awaitThat("memory to be let go") { try $0.memory() > 0 }
            },
        ])
    func conditions(deed: Deed) async throws {
        let app = try App.stub()
        try await app.launch()
        try await app.prepare {
            $0.tell("didDeliver", ["event": "theme", "info.dark": "true"])
            $0.write("listening\nport 80\n")
        }
        #expect(try await failure { try await deed.run(app) } == deed.text)
    }

    @Test("What holds goes through, and output gives its groups")
    func holds() async throws {
        let app = try App.stub()
        try await app.launch()
        try await app.prepare {
            $0.tell("didDeliver", ["event": "theme", "info.dark": "true"])
            $0.write("port 80\nport 81\n")
        }
        try await app.awaitState(.active)
        try await app.awaitEvent("theme", ["dark": "true"])
        try await app.awaitEvents("theme")
        #expect(try await app.awaitOutput(#"port (\d+)"#) == ["port 80", "80"])
        #expect(try await app.awaitOutput(#"port (\d+)"#) == ["port 81", "81"])
        #expect(try await app.expectOutput(#"port (\d+)"#) == ["port 80", "80"])
        try await app.expectSilence(.seconds(2))
        try await app.awaitSilence(.seconds(2))
        try await app.expectPid(.same)
        try await app.prepare { stage in stage.whileWaiting = { $0.end(3) } }
        try await app.awaitExit(3)
        try await app.awaitState(.notRunning)
        #expect(await (app.exitStatus, app.endReason, app.output, app.pid) == (3, nil, "port 80\nport 81\n", 100))
    }

    @Test("What it is now")
    func now() async throws {
        let app = try App.stub()
        #expect(await app.pid == nil)
        #expect(try await app.state() == .notRunning)
        try await app.launch()
        try await app.prepare { $0.status.append(Field("footprint", "4096")) }
        #expect(try await app.state() == .active)
        #expect(try await app.remaining() == nil)
        #expect(try await app.cpu() == .milliseconds(1500))
        #expect(try await (app.memory(), app.processes()) == (4096, 2))
        try await app.prepare { $0.status[1] = Field("remaining", "600.000") }
        #expect(try await app.remaining() == .seconds(600))
    }
}

@Suite("In Swift Testing: what is recorded")
struct RecordingTests {
    @Test("The statement that failed, with what was seen and what happened last; nothing behind it is done")
    func issue() async throws {
        let app = try App.stub()
        let line = #line + 8
        try await withKnownIssue {
            try await play(app) { app in
                try await app.launch()
                try await app.prepare {
                    $0.tell("stateDidChange", ["from": "notRunning", "to": "active"])
                    $0.write("up\n")
                }
                try await app.expectState(.suspended)
                try await app.home()
            }
        } matching: { issue in
            let text = """
                expected  the app to be suspended
                seen      it is active

                last events
                | stateDidChange from=notRunning to=active

                last output
                | up
                """
            return issue.comments.map(\.rawValue) == [text] && issue.sourceLocation?.line == line
        }
        #expect(try await app.log() == ["launch -- ./server a b"])
        #expect(await app.isClosed)
    }

    private struct Oops: Error {}

    @Test("Another error is passed on, and the app is ended all the same")
    func otherErrors() async throws {
        let app = try App.stub()
        await #expect(throws: Oops.self) { try await play(app) { _ in throw Oops() } }
        #expect(await app.isClosed)
    }

    @Test("A curfew that isn't there")
    func withoutCurfew() async throws {
        try await withKnownIssue {
            try await withApp("true", curfew: "/nonexistent/curfew") { _ in
                Issue.record("it was run by no curfew")
            }
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["can't make an app: /nonexistent/curfew is no program"]
        }
    }
}
