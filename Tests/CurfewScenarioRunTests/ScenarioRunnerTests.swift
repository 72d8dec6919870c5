import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import CurfewWire
import Testing

/// Plays a scenario's text on a fake stage.
struct Play {
    let stage = FakeStage()

    /// What came of it.
    func run(_ body: String, values: [String: String] = [:]) -> ScenarioResult.Outcome {
        result(body, values: values).outcome
    }

    /// The same with how far its time was moved.
    func result(
        _ body: String, values: [String: String] = [:]
    ) -> (outcome: ScenarioResult.Outcome, advances: [ScenarioAdvance]) {
        let text = body.hasPrefix("app") ? body : "app -- prog\nlaunch\n" + body
        let (file, diagnostics) = ScenarioReader.read(text, path: "test.curfew")
        if let first = diagnostics.first(where: { $0.severity == .error }) {
            Issue.record("\(first.text(in: "test.curfew"))")
            return (.passed, [])
        }
        stage.restart()
        let runner = ScenarioRunner(file.scenarios[0], values, on: stage)
        let outcome = runner.run(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        return (outcome, runner.advances)
    }

    /// `expected: seen`, where it failed.
    func failure(_ body: String) -> String {
        switch run(body) {
        case .failed(let failure): "\(failure.expected): \(failure.seen)"
        case .broken(let failure): "broken, \(failure.expected): \(failure.seen)"
        case .passed: "passed"
        case .skipped(let why): "skipped: \(why)"
        }
    }
}

@Suite("Playing a scenario: what acts")
struct ActingTests {
    private let play = Play()

    private func log(_ body: String) -> [String] {
        #expect(play.failure(body) == "passed")
        return play.stage.log
    }

    @Test("The app is launched as the scenario says")
    func launch() {
        #expect(log("app --budget 10m -- ./prog --x 'a b'\nlaunch").first == "launch --budget 10m -- ./prog --x a b")
    }

    @Test("After each act the app is let settle: no time passes, and what it owes is waited for")
    func settling() {
        #expect(log("home").suffix(2) == ["home", "advance seconds=0"])
    }

    @Test("What each of the last twelve advances stopped at is kept; what lets the app settle is none")
    func advances() {
        play.stage.answers["advance"] = { stage in
            if stage.log.last == "advance seconds=0" { return .ok }
            stage.tell("backgroundTasksWillExpire", [("tasks", "1")])
            return FakeStage.Answer(fields: [
                Field("seconds", "595.000"), Field("left", "5"), Field("state", "background"),
            ])
        }
        let (outcome, advances) = play.result("home\n" + String(repeating: "advance 10m\n", count: 14))
        #expect(outcome == .passed)
        #expect(advances.map(\.line) == Array(6...17))
        let last = ScenarioAdvance(
            line: 17, passed: 595_000_000_000, left: 5_000_000_000, state: "background",
            events: ["backgroundTasksWillExpire tasks=1"])
        #expect(advances.last == last)
    }

    @Test("With a time scale its time runs, and nothing can be waited for")
    func timeScale() {
        #expect(log("app -- prog\ntime-scale 60\nlaunch\nhome") == ["launch --time-scale 60.0 -- prog", "home"])
    }

    @Test(
        "What drives an app asks its supervisor",
        arguments: [
            ("home", "home"), ("open", "open"), ("interrupt", "interrupt"), ("dismiss", "dismiss"), ("quit", "quit"),
            ("wake fetch a=1", "wake name=fetch info.a=1"), ("post settings b=x", "post name=settings info.b=x"),
            ("warn", "warn"), ("warn critical", "warn level=critical"),
            ("pressure critical", "pressure level=critical"),
            ("advance 9m55s", "advance seconds=595.000"),
        ])
    func driving(statement: String, request: String) { #expect(log(statement).contains(request)) }

    @Test("What a supervisor refuses fails the scenario")
    func refused() {
        play.stage.answers["home"] = { _ in FakeStage.Answer(refusal: ("busy", "not now")) }
        #expect(play.failure("home") == "the app to go home: refused (busy): not now")
    }

    @Test("Put to sleep it is suspended, once all has settled; what isn't fails the scenario")
    func sleep() {
        play.stage.answers["sleep"] = { stage in
            stage.state = "suspended"
            return .ok
        }
        #expect(log("sleep").suffix(2) == ["sleep", "advance seconds=0"])
        play.stage.answers["advance"] = { stage in
            // Its input was there before it slept.
            if stage.log.suffix(2) == ["sleep", "advance seconds=0"] { stage.state = "active" }
            return .ok
        }
        #expect(play.failure("sleep") == "the app to be suspended: it is active")
        play.stage.answers["sleep"] = { stage in
            stage.end(1)
            return .ok
        }
        #expect(play.failure("sleep") == "the app to be suspended: it isn't running: it ended with 1")
    }

    @Test("What holds a task can't sleep, which is said in its words")
    func awake() {
        play.stage.answers["sleep"] = { _ in
            FakeStage.Answer(refusal: ("holds-task", "the app has background tasks open"))
        }
        #expect(
            play.failure("sleep")
                == "the app to be put to sleep: refused (holds-task): the app has background tasks open")
    }

    @Test("Nor can an app be driven that has ended")
    func gone() {
        play.stage.answers["launch"] = { stage in
            stage.end(0)
            return .ok
        }
        #expect(play.failure("home") == "the app to go home: the app isn't running")
    }

    @Test("What curfew run can't start is no failure of the program")
    func notStarted() {
        play.stage.answers["launch"] = { stage in
            stage.record.changeCurrent { $0.pid = 0 }
            stage.write("curfew: run: prog: not found\n")
            stage.end(127)
            return .ok
        }
        #expect(
            play.failure("home")
                == "broken, prog to be launched: `curfew run` ended with 127: curfew: run: prog: not found")
    }

    @Test("Reclaimed and opened, it is launched anew and told so")
    func reclaim() {
        play.stage.answers["reclaim"] = { stage in
            stage.end(137, "memory-pressure")
            return .ok
        }
        let lines = log("home\nreclaim\nexpect exit 137\nexpect killed memory-pressure\nopen\nexpect pid changed")
        #expect(
            lines.contains("launch --launch-option restored=true --launch-option ended=memory-pressure -- prog"))
    }

    @Test("Launched twice it fails: one runs already")
    func twice() { #expect(play.failure("launch") == "prog to be launched: it is running already") }

    @Test("Helpers, with what they may exit with")
    func helpers() {
        play.stage.helpers = [
            "good": HelperEnd(status: 0, output: []), "bad": HelperEnd(status: 3, output: ["oh", "no"]),
        ]
        #expect(play.failure("do good\n! do bad\ndo good &") == "passed")
        #expect(play.failure("do bad") == "the command to exit with 0: it exits with 3, and wrote: oh / no")
        #expect(play.failure("! do good") == "the command to fail: it exits with 0")
        #expect(
            play.failure("do missing")
                == "broken, the command to be run: can't run missing: No such file or directory")
    }

    @Test("Lines and keys")
    func input() {
        #expect(
            log("send 'a b'\nkey C-z Enter ab Up").filter { $0.hasPrefix("write") } == [
                "write a b\n", "write \u{1A}\rab\u{1B}[A",
            ])
    }

    @Test("Skipped unless a command says so")
    func skip() {
        play.stage.helpers["test"] = HelperEnd(status: 1, output: [])
        #expect(
            play.failure("app -- prog\nskip unless test -x /usr/bin/redis-server\nlaunch")
                == "skipped: `test -x /usr/bin/redis-server` exits with 1")
        #expect(!play.stage.log.contains { $0.hasPrefix("launch") })
    }

    @Test("Variables: set, of a matrix, and without a value")
    func variables() {
        #expect(
            play.run("app -- prog\nmatrix N 1 2\nset WHO you\nlaunch\nsend \"$WHO $N\"", values: ["N": "2"]) == .passed)
        #expect(play.stage.log.contains("write you 2\n"))
    }

    @Test("Killed, the supervisor takes its app along")
    func killSupervisor() { #expect(log("kill-supervisor\nexpect exit 125").contains("kill supervisor")) }

    @Test("A scenario that takes for ever is ended")
    func limit() {
        play.stage.after(400) { _ in }
        #expect(
            play.failure("expect silence 10min\nhome")
                == "the scenario to be done in 5 min: that much time has passed; `--limit` allows more")
    }

    @Test("What stands under `after` is done whatever came before")
    func after() {
        play.stage.helpers["clean"] = HelperEnd(status: 0, output: [])
        let text = "app -- prog\nscenario \"one\"\nlaunch\nexpect state suspended\nafter\ndo clean\n"
        guard case .failed = play.run(text) else {
            Issue.record("it didn't fail")
            return
        }
        #expect(play.stage.log.last == "do clean")
    }
}

@Suite("Playing a scenario: what looks")
struct LookingTests {
    private let play = Play()

    @Test("A state, and what else there is to say of another")
    func state() {
        play.stage.answers["status"] = { _ in
            FakeStage.Answer(fields: [
                Field("state", "background"), Field("open-tasks", "1"), Field("unacknowledged", "didEnterBackground"),
            ])
        }
        #expect(play.failure("expect state background\n! expect state suspended") == "passed")
        #expect(
            play.failure("expect state suspended")
                == "the app to be suspended: it is background, with 1 task open, and hasn't acknowledged didEnterBackground"
        )
        #expect(play.failure("! expect state background").hasPrefix("not the app to be background: it is background"))
    }

    @Test("An await ends when it is so, and fails when its time is over")
    func await() {
        play.stage.after(3) { $0.deliver("didBecomeActive") }
        #expect(play.failure("await event didBecomeActive") == "passed")
        #expect(
            play.failure("await event willTerminate within 2s")
                == "the event willTerminate: nothing has happened since the last statement that acts on it; waited for 2 s"
        )
    }

    @Test("Events count since the last statement that acts on the app")
    func recent() {
        play.stage.answers["home"] = { stage in
            stage.deliver("willResignActive")
            stage.deliver("didEnterBackground", [("seq", "4")])
            return .ok
        }
        #expect(play.failure("home\nexpect events willResignActive didEnterBackground") == "passed")
        #expect(play.failure("home\nexpect event didEnterBackground seq=4") == "passed")
        #expect(
            play.failure("home\nexpect events didEnterBackground willResignActive")
                == "the events didEnterBackground, willResignActive, in this order: since the last statement that acts on it: "
                + "willResignActive, didEnterBackground seq=4; willResignActive is missing")
        #expect(
            play.failure("home\nopen\nexpect event didEnterBackground").hasPrefix(
                "the event didEnterBackground: nothing"))
    }

    @Test("An event's pairs, posted ones by their own names")
    func pairs() {
        play.stage.answers["open"] = { stage in
            stage.deliver("didFinishLaunching", [("info.restored", "true")])
            return .ok
        }
        #expect(play.failure("open\nexpect event didFinishLaunching restored=true") == "passed")
        #expect(play.failure("open\nexpect event didFinishLaunching restored=false").hasSuffix("info.restored=true"))
    }

    @Test("Output: awaited behind the last match, expected anywhere, groups by name")
    func output() {
        play.stage.answers["launch"] = { stage in
            stage.write("port 7\nport 8\nunfinished")
            return .ok
        }
        #expect(play.failure("await output 'port (\\d)' as p\nawait output 'port (\\d)' as q\nsend $p$q") == "passed")
        #expect(play.stage.log.contains("write 78\n"))
        #expect(play.failure("expect output '^port 7$'\nexpect output unfinished") == "passed")
        #expect(play.failure("expect output nine") == "output that matches nine: the last line is: unfinished")
    }

    @Test("What can't come any more isn't waited for")
    func hopeless() {
        play.stage.answers["launch"] = { stage in
            stage.write("oh\n")
            stage.end(3)
            return .ok
        }
        let before = play.stage.now
        #expect(play.failure("await output up") == "output that matches up: the last line is: oh")
        #expect(play.stage.now - before < 1_000_000_000)
        #expect(play.failure("expect exit 0") == "the app to exit with 0: it ended with 3")
        #expect(
            play.failure("expect killed time-limit") == "the app to be killed: time-limit: it ended by itself, with 3")
        #expect(play.failure("await state suspended") == "the app to be suspended: it isn't running: it ended with 3")
    }

    @Test("Tasks, by their names")
    func tasks() {
        play.stage.answers["tasks"] = { _ in
            FakeStage.Answer(items: [Message("task", [Field("task", "1"), Field("name", "upload")])])
        }
        play.stage.tell("taskDidBegin", [("task", "2"), ("title", "sync")])
        #expect(play.failure("expect task upload open\nexpect task sync ended") == "passed")
        #expect(play.failure("expect task upload ended") == "the task upload to be ended: it is open")
        #expect(play.failure("expect task other open") == "the task other to be open: open are upload")
    }

    @Test("Silence, and what breaks it")
    func silence() {
        #expect(play.failure("expect silence 2s") == "passed")
        play.stage.after(1) { $0.write("noise\n") }
        #expect(
            play.failure("expect silence 2s") == "silence for 2 s: it has written 6 bytes, the last line: noise")
        #expect(play.failure("! expect silence 1s") == "no silence for 1 s: no output, no event and no CPU time")
    }

    @Test("Files")
    func files() {
        play.stage.files = ["a": "one\ntwo\n"]
        #expect(play.failure("expect file a exists\nexpect file b absent\nexpect file a contains '^two$'") == "passed")
        #expect(play.failure("expect file b exists") == "the file b: there is none")
        #expect(play.failure("expect file a absent") == "no file a: it is there")
        #expect(play.failure("expect file a contains three") == "a to contain three: its last line is: two")
    }

    @Test("Amounts, in their units")
    func amounts() {
        play.stage.answers["status"] = { _ in
            FakeStage.Answer(fields: [
                Field("remaining", "600.000"), Field("footprint", "1048576"), Field("cpu", "0.5"),
                Field("processes", "2"),
            ])
        }
        #expect(
            play.failure(
                "expect remaining = 10m\nexpect memory <= 1M\nexpect cpu < 1s\nexpect processes >= 2\nexpect remaining > 5m"
            )
                == "passed")
        #expect(play.failure("expect processes < 2") == "processes < 2: it is 2")
        #expect(play.failure("expect memory > 1M") == "memory > 1M: it is 1 MiB (1048576 bytes)")
    }

    @Test("A statement that goes over two lines is shown whole, and its neighbours end with the scenario")
    func continued() {
        let body = "app -- prog\nscenario a\nlaunch\nexpect output \\\n  nine\nscenario b\nlaunch"
        guard case .failed(let failure) = play.run(body) else {
            Issue.record("it didn't fail")
            return
        }
        #expect(failure.statement == "expect output \\\nnine")
        #expect(failure.neighbours.map(\.number) == [2, 3, 4, 5])
    }

    @Test("A failure shows where it is, what came last, and its neighbours")
    func failure() {
        play.stage.answers["launch"] = { stage in
            stage.tell("stateDidChange", [("from", "notRunning"), ("to", "active")])
            stage.write("up\n")
            return .ok
        }
        guard case .failed(let failure) = play.run("# a comment\n  expect exit 0\nhome") else {
            Issue.record("it didn't fail")
            return
        }
        #expect((failure.line, failure.column) == (4, 3))
        #expect(failure.statement == "expect exit 0")
        #expect(failure.neighbours.map(\.number) == [2, 3, 4, 5])
        #expect(failure.events == ["stateDidChange from=notRunning to=active"])
        #expect(failure.output == ["up"])
    }
}
