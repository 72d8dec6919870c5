import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import CurfewWire
import Testing

/// What could pass, or be called skipped or broken, though it isn't.
@Suite("Playing a scenario: verdicts")
struct VerdictTests {
    private let play = Play()

    private func ends(_ status: Int, _ reason: String? = nil) {
        play.stage.answers["quit"] = { stage in
            stage.end(status, reason)
            return .ok
        }
    }

    @Test("What has ended by itself, or was quit, isn't opened: a crash isn't hidden by a launch")
    func crashed() {
        ends(3)
        #expect(
            play.failure("quit\nopen")
                == "the app to be opened: it isn't running: it ended with 3; `launch` starts it anew")
        ends(124, "background-task-timeout")
        #expect(
            play.failure("quit\nopen").hasSuffix("it ended with 124, background-task-timeout; `launch` starts it anew"))
        ends(3)
        #expect(play.failure("quit\nlaunch\nexpect state active") == "passed")
    }

    @Test(
        "What was ended for memory is launched anew", arguments: ["memory-pressure", "memory-highwater", "idle-exit"])
    func reclaimed(reason: String) {
        ends(137, reason)
        #expect(play.failure("quit\nopen") == "passed")
        #expect(
            play.stage.log.contains("launch --launch-option restored=true --launch-option ended=\(reason) -- prog"))
    }

    @Test(
        "A word that a variable fills is one of those that there are",
        arguments: ["expect state $x", "! expect state $x", "! expect killed $x", "warn $x", "pressure $x"])
    func filled(statement: String) {
        let said = play.failure("app -- prog\nset x nonsense\nlaunch\n\(statement)")
        #expect(said.hasPrefix("broken, a statement that can be done: there is no "), "\(said)")
    }

    @Test("A tool that isn't there skips, as one that says no")
    func missingTool() {
        #expect(
            play.failure("app -- prog\nskip unless ./nowhere\nlaunch")
                == "skipped: can't run ./nowhere: No such file or directory")
    }

    @Test("What a supervisor doesn't tell isn't taken for 0")
    func untold() {
        play.stage.answers["status"] = { _ in FakeStage.Answer(fields: [Field("state", "active")]) }
        #expect(play.failure("expect memory < 64M") == "broken, memory < 64M: its supervisor doesn't tell its memory")
    }

    @Test("An amount of an app that has ended isn't waited for")
    func endedAmount() {
        ends(0)
        let before = play.stage.now
        #expect(play.failure("quit\nawait memory < 64M").hasPrefix("memory < 64M: the app isn't running"))
        #expect(play.stage.now - before < 5_000_000_000)
    }

    @Test("What is to be named may have more to come, as long as its line has no end")
    func unfinished() {
        play.stage.answers["launch"] = { stage in
            stage.write("port 80")
            return .ok
        }
        play.stage.after(1) { $0.write("80\n") }
        #expect(play.failure("await output 'port (\\d+)' as p\nsend $p") == "passed")
        #expect(play.stage.log.contains("write 8080\n"))
    }

    @Test("With nothing to name, and at the deadline, an unfinished line is enough")
    func prompt() {
        play.stage.answers["launch"] = { stage in
            stage.write("login: me")
            return .ok
        }
        let before = play.stage.now
        #expect(play.failure("await output 'login'") == "passed")
        #expect(play.stage.now - before < 1_000_000_000)
        #expect(play.failure("await output 'login: (\\w+)' as w within 2s\nsend $w") == "passed")
        #expect(play.stage.log.contains("write me\n"))
    }

    @Test("Output that wasn't kept can't be denied")
    func dropped() {
        play.stage.answers["launch"] = { stage in
            stage.write("ERROR\n")
            for _ in 0..<80 { stage.write(String(repeating: "y", count: 1 << 14)) }
            return .ok
        }
        #expect(
            play.failure("! expect output ERROR").hasPrefix(
                "broken, not output that matches ERROR: of 1310726 bytes only"))
    }

    @Test("Each statement of `after` is done, whatever came of the one before; the first that failed is told")
    func after() {
        play.stage.helpers["./no"] = HelperEnd(status: 1, output: [])
        play.stage.helpers["./yes"] = HelperEnd(status: 0, output: [])
        let said = play.failure("app -- prog\nscenario a\nlaunch\nafter\ndo ./no\ndo ./yes\ndo ./no 2")
        #expect(said == "the command to exit with 0: it exits with 1")
        #expect(play.stage.log.suffix(3) == ["do ./no", "do ./yes", "do ./no 2"])
    }

    @Test("Skipped once something was done, `after` is done")
    func skippedLate() {
        play.stage.helpers["./no"] = HelperEnd(status: 1, output: [])
        play.stage.helpers["./yes"] = HelperEnd(status: 0, output: [])
        let said = play.failure(
            "app -- prog\nbefore\ndo ./yes\nscenario a\nskip unless ./no\nlaunch\nafter\ndo ./yes clean")
        #expect(said == "skipped: `./no` exits with 1")
        #expect(play.stage.log.last == "do ./yes clean")
    }

    @Test("What is told along with an answer isn't slept over")
    func toldWithAnswer() {
        // The event comes before the wait that it would end.
        play.stage.answers["status"] = { stage in
            if stage.state == "active" { stage.tell("stateDidChange", [("to", "suspended")]) }
            defer { stage.state = "suspended" }
            return FakeStage.Answer(fields: [Field("state", stage.state)])
        }
        let before = play.stage.now
        #expect(play.failure("await state suspended") == "passed")
        #expect(play.stage.now - before < 1_000_000_000)
    }

    @Test("Cut off by the scenario's limit, an await says so")
    func limit() {
        let said = play.failure("await event willTerminate within 20m")
        #expect(said.hasSuffix("; then the scenario's 5 min were over; `--limit` allows more"), "\(said)")
    }
}
