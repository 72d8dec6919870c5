import CurfewScenario
import CurfewScenarioRun
import CurfewWire
import Testing

/// A statement that fails, and what is to be said of it.
struct FailureTrial: Sendable, CustomTestStringConvertible {
    let text: String
    let said: String
    let prepare: @Sendable (FakeStage) -> Void

    init(_ text: String, _ said: String, _ prepare: @escaping @Sendable (FakeStage) -> Void = { _ in }) {
        self.text = text
        self.said = said
        self.prepare = prepare
    }

    var testDescription: String { text }
}

/// What is said when a statement fails, for each that can.
@Suite("Playing a scenario: what is said of a failure")
struct FailureTextTests {
    /// The supervisor refuses whatever is asked.
    private static func refusing(_ verb: String) -> @Sendable (FakeStage) -> Void {
        { $0.answers[verb] = { _ in refusal } }
    }

    private static var refusal: FakeStage.Answer {
        FakeStage.Answer(refusal: ("terminating", "the app is being ended"))
    }

    private static let why = ": refused (terminating): the app is being ended"

    /// The program has ended by itself.
    private static let ended: @Sendable (FakeStage) -> Void = { stage in
        stage.answers["launch"] = { stage in
            stage.end(0)
            return .ok
        }
    }

    private static let status: @Sendable (FakeStage) -> Void = { stage in
        stage.answers["status"] = { _ in
            FakeStage.Answer(fields: [
                Field("state", "background"), Field("remaining", "12.5"), Field("footprint", "2097152"),
                Field("cpu", "0.25"), Field("processes", "3"),
            ])
        }
    }

    static let acting: [FailureTrial] = [
        FailureTrial("launch", "prog to be launched: it is running already"),
        FailureTrial("home", "the app to go home" + why, refusing("home")),
        FailureTrial("open", "the app to be opened" + why, refusing("open")),
        FailureTrial("sleep", "the app to be put to sleep" + why, refusing("sleep")),
        FailureTrial("sleep", "the app to be suspended: it is background, with 1 task open") { stage in
            stage.answers["status"] = { _ in
                FakeStage.Answer(fields: [Field("state", "background"), Field("open-tasks", "1")])
            }
        },
        FailureTrial("interrupt", "the app to be interrupted" + why, refusing("interrupt")),
        FailureTrial("dismiss", "what interrupts the app to go" + why, refusing("dismiss")),
        FailureTrial("quit", "the app to be asked to end" + why, refusing("quit")),
        FailureTrial("reclaim", "the app to be ended for its memory while it is suspended" + why, refusing("reclaim")),
        FailureTrial("wake fetch", "fetch to be told to the app" + why, refusing("wake")),
        FailureTrial("post zone", "zone to be told to the app" + why, refusing("post")),
        FailureTrial("warn", "the app to be warned" + why, refusing("warn")),
        FailureTrial("pressure critical", "the machine to be taken to be short of memory" + why, refusing("pressure")),
        FailureTrial("advance 5s", "its time to be moved" + why) { stage in
            stage.answers["advance"] = { stage in
                // The first lets the launch settle.
                stage.log.count { $0.hasPrefix("advance") } == 1 ? .ok : refusal
            }
        },
        FailureTrial("send hello", "the line to be written to the app's input: the app isn't running", ended),
        FailureTrial("key Enter", "the keys to be typed: the app isn't running", ended),
        FailureTrial("kill-supervisor", "the supervisor to be killed: the app isn't running", ended),
        FailureTrial(
            "kill-supervisor", "the app to be ended with its supervisor: it is still there",
            { $0.survivesSupervisor = true }),
        FailureTrial(
            "do ./client", "the command to exit with 0: it exits with 3, and wrote: no", { $0.client(3, "no") }),
        FailureTrial(
            "! do ./client", "the command to fail: it exits with 0", { $0.client(0) }),
        FailureTrial("app -- prog\nskip unless ./client\nlaunch", "skipped: `./client` exits with 1", { $0.client(1) }),
    ]

    static let looking: [FailureTrial] = [
        FailureTrial("expect state active", "the app to be active: it is background", status),
        FailureTrial(
            "expect event didEnterBackground",
            "the event didEnterBackground: nothing has happened since the last statement that acts on it"),
        FailureTrial(
            "expect events willResignActive didEnterBackground",
            "the events willResignActive, didEnterBackground, in this order: nothing has happened since the last statement that acts on it; "
                + "willResignActive is missing"),
        FailureTrial("expect task upload open", "the task upload to be open: no task is open"),
        FailureTrial("expect output up", "output that matches up: it has written nothing"),
        FailureTrial("! expect silence 1s", "no silence for 1 s: no output, no event and no CPU time"),
        FailureTrial("expect exit 0", "the app to exit with 0: it is still running"),
        FailureTrial("expect killed time-limit", "the app to be killed: time-limit: it is still running"),
        FailureTrial("expect pid changed", "another process than before: it was launched once, with pid 101"),
        FailureTrial("expect file a exists", "the file a: there is none"),
        FailureTrial("expect remaining > 10m", "remaining > 10m: it is 13 s (12.500 s)", status),
        FailureTrial("expect memory < 1M", "memory < 1M: it is 2 MiB (2097152 bytes)", status),
        FailureTrial("expect cpu = 1s", "cpu = 1s: it is 0.3 s (0.250 s)", status),
        FailureTrial("expect processes <= 2", "processes <= 2: it is 3", status),
    ]

    /// Only where the app isn't launched yet can a scenario be skipped.
    private func said(_ trial: FailureTrial) -> String {
        let play = Play()
        trial.prepare(play.stage)
        return play.failure(trial.text)
    }

    @Test("Of each that acts", arguments: acting)
    func acts(trial: FailureTrial) { #expect(said(trial) == trial.said) }

    @Test(
        "An input that takes nothing is no failure of the program",
        arguments: ["it has closed its input", "it doesn't read its input"])
    func deaf(why: String) {
        let deaf: @Sendable (FakeStage) -> Void = { $0.inputProblem = .broken(why) }
        #expect(
            said(FailureTrial("send hello", "", deaf)) == "broken, the line to be written to the app's input: \(why)")
        #expect(said(FailureTrial("key a Enter", "", deaf)) == "broken, the keys to be typed: \(why)")
    }

    @Test("Of each that looks", arguments: looking)
    func looks(trial: FailureTrial) { #expect(said(trial) == trial.said) }

    @Test("An await says how long it waited besides", arguments: looking.filter { $0.text.hasPrefix("expect ") })
    func awaited(trial: FailureTrial) {
        let text = "await " + trial.text.dropFirst("expect ".count) + " within 1s"
        #expect(said(FailureTrial(text, "", trial.prepare)).hasPrefix(trial.said))
    }

    @Test("None is missing: every statement that can fail, every condition")
    func complete() {
        let words = Self.acting.map {
            $0.text.replacing("app -- prog\n", with: "").split(separator: " ").first { $0 != "!" }.map(String.init)
                ?? ""
        }
        // They do nothing.
        let others: Set = ["app", "set", "matrix", "time-scale"]
        let acts = StatementDefinition.statements.filter { $0.kind == .action || $0.kind == .declaration }.map(\.name)
        #expect(Set(acts).subtracting(others) == Set(words))
        let conditions = Self.looking.map { $0.text.replacing("! ", with: "").split(separator: " ")[1] }
        #expect(Set(StatementDefinition.conditions.map(\.name)) == Set(conditions.map(String.init)))
    }
}

extension FakeStage {
    fileprivate func client(_ status: Int, _ output: String...) {
        helpers["./client"] = HelperEnd(status: status, output: output)
    }
}
