import CurfewScenario
import CurfewTestReports
import CurfewWire

/// What acts: on the app, on its surroundings.
extension ScenarioRunner {
    /// One statement by itself.
    package func perform(_ statement: Statement) throws(Problem) {
        try checkLimit()
        if statement.kind.actsOnApp { stage.record.act() }
        switch statement.kind {
        case .app(let options, let command): app = (options, command)
        case .timeScale(let factor): timeScale = try value(factor).value
        case .set(let name, let word): variables[name] = try text(word)
        case .matrix: break
        case .skipUnless(let words): try skip(unless: words)
        case .launch: try launch()
        case .home: try drive(Message("home"), "the app to go home")
        case .open: try open()
        case .sleep: try sleep()
        case .interrupt: try drive(Message("interrupt"), "the app to be interrupted")
        case .dismiss: try drive(Message("dismiss"), "what interrupts the app to go")
        case .quit: try quit()
        case .reclaim: try reclaim()
        case .killSupervisor: try killSupervisor()
        case .wake(let name, let info): try post("wake", name, info)
        case .post(let name, let info): try post("post", name, info)
        case .pressure(let level):
            let level = try known(level, "level", among: Vocabulary.pressureLevels)
            let message = Message("pressure", [Field("level", level)])
            try drive(message, "the machine to be taken to be short of memory")
        case .warn(let level):
            let fields =
                try level.map { level throws(Problem) in
                    [Field("level", try known(level, "level", among: Vocabulary.warningLevels))]
                } ?? []
            try drive(Message("warn", fields), "the app to be warned")
        case .advance(let span): try advance(try value(span), line: statement.position.line)
        case .run(let helper): try run(helper)
        case .send(let word):
            try write(Array((try text(word) + "\n").utf8), "the line to be written to the app's input")
        case .key(let words): try write(Keys.bytes(try texts(words)), "the keys to be typed")
        case .await(let condition, let within): try self.await(condition, within: within)
        case .expect(let condition): try expect(condition)
        case .expectNot(let condition): try expectNot(condition)
        }
    }

    private func checkLimit() throws(Problem) {
        guard stage.now >= deadline else { return }
        throw .failed(
            expected: "the scenario to be done in \(HumanText.duration(nanoseconds: limits.scenario))",
            seen: "that much time has passed; `--limit` allows more")
    }

    // MARK: Launching

    private func launch() throws(Problem) {
        guard let app else { throw .broken(expected: "an app to launch", seen: "no `app` statement comes before") }
        var options = try texts(app.options)
        if let timeScale { options = ["--time-scale", "\(timeScale)"] + options }
        let command = AppCommand(
            options: options, command: try texts(app.command), isTimeHeld: timeScale == nil, hasTerminal: hasTerminal)
        self.command = command
        try start(command)
    }

    private func start(_ command: AppCommand) throws(Problem) {
        let expected = "\(command.command.first ?? "the command") to be launched"
        if stage.record.isRunning { throw .failed(expected: expected, seen: "it is running already") }
        do throws(StageProblem) {
            try stage.launch(command)
        } catch {
            throw error.problem(expected)
        }
        if let end = stage.record.current?.end, stage.record.current?.pid == 0, Self.notStarted.contains(end.status) {
            let said = stage.record.current?.output.lastLines(3).joined(separator: "; ") ?? ""
            throw .broken(
                expected: expected, seen: "`curfew run` ended with \(end.status)" + (said.isEmpty ? "" : ": \(said)"))
        }
        try settle()
    }

    /// What `curfew run` ends with itself: wrong usage, its own failure, a command that can't be run or isn't there.
    private static let notStarted = [64, 125, 126, 127]

    /// One that was ended for its memory is launched anew, and told so.
    private func open() throws(Problem) {
        guard !stage.record.isRunning, let end = stage.record.current?.end, var command else {
            return try drive(Message("open"), "the app to be opened")
        }
        guard let reason = end.reason, Vocabulary.reclaimingReasons.contains(reason) else {
            let why = end.reason.map { ", \($0)" } ?? ""
            throw .failed(
                expected: "the app to be opened",
                seen: "it isn't running: it ended with \(end.status)\(why); `launch` starts it anew")
        }
        command.options += ["--launch-option", "restored=true", "--launch-option", "ended=\(reason)"]
        try start(command)
    }

    // MARK: Driving

    /// Asks the supervisor for it, and returns once it is done.
    private func drive(_ message: Message, _ expected: String) throws(Problem) {
        _ = try ask(message, expected)
        try settle()
    }

    private func ask(_ message: Message, _ expected: String) throws(Problem) -> Message {
        do throws(StageProblem) {
            return try stage.ask(message).final
        } catch {
            throw error.problem(expected)
        }
    }

    private func post(_ verb: String, _ name: Word, _ info: [Word]) throws(Problem) {
        let name = try text(name)
        let pairs = try pairs(info).map { Field("info." + $0.key, $0.value) }
        try drive(Message(verb, [Field("name", name)] + pairs), "\(name) to be told to the app")
    }

    private func sleep() throws(Problem) {
        try drive(Message("sleep"), "the app to be put to sleep")
        // What was there for it has woken it by now.
        if case .differs(let expected, let seen) = try lookAtState("suspended") {
            throw .failed(expected: expected, seen: seen)
        }
    }

    private func reclaim() throws(Problem) {
        try drive(Message("reclaim"), "the app to be ended for its memory while it is suspended")
        try untilGone("the app to be gone once it is reclaimed")
    }

    private func killSupervisor() throws(Problem) {
        do throws(StageProblem) {
            try stage.killSupervisor()
        } catch {
            throw error.problem("the supervisor to be killed")
        }
        try untilGone("the app to be ended with its supervisor")
    }

    /// An end takes its time, and much of it waiting for a disk: it isn't given up when the app first stands still.
    private func quit() throws(Problem) {
        let expected = "the app to be asked to end"
        try drive(Message("quit"), expected)
        let limit = stage.now + Self.quitPatience
        while stage.record.isRunning, stage.now < limit { _ = try wait(until: limit, expected) }
    }

    /// In real time; one that doesn't heed it runs on until its own time is moved.
    private static let quitPatience: Int64 = 3_000_000_000

    private func untilGone(_ expected: String) throws(Problem) {
        let limit = stage.now + limits.await
        while stage.record.isRunning {
            if try !wait(until: limit, expected) { throw .failed(expected: expected, seen: "it is still there") }
        }
    }

    /// Time moves, to whatever happens first.
    private func advance(_ span: Duration, line: Int) throws(Problem) {
        let answer = try ask(advanceRequest(Seconds.text(nanoseconds: span.nanoseconds)), "its time to be moved")
        func nanoseconds(_ key: String) -> Int64 { answer[key].flatMap(Seconds.parse) ?? 0 }
        let advance = ScenarioAdvance(
            line: line, passed: nanoseconds("seconds"), left: nanoseconds("left"), state: answer["state"] ?? "",
            events: stage.record.recent.map(\.line))
        advances = (advances + [advance]).suffix(Self.lastAdvances)
        try settle()
    }

    private func advanceRequest(_ seconds: String) -> Message {
        let settle = limits.settle.map { [Field("settle", Seconds.text(nanoseconds: $0))] } ?? []
        return Message("advance", [Field("seconds", seconds)] + settle)
    }

    /// Returns once the app has done what it owes, or doesn't run any more, and all that was set off is done.
    ///
    /// Without held time the answer to what was asked is all that can be waited for.
    private func settle() throws(Problem) {
        guard command?.isTimeHeld == true, stage.record.isRunning else { return }
        do throws(StageProblem) {
            _ = try stage.ask(advanceRequest("0"))
        } catch .gone {
            return
        } catch {
            throw error.problem("the app to settle")
        }
    }

    // MARK: Beside the app

    private func skip(unless words: [Word]) throws(Problem) {
        let command = try texts(words)
        let end: HelperEnd
        do throws(Problem) {
            end = try finish(command)
        } catch {
            // What can't be run says as much as what says no.
            guard case .broken(_, let seen) = error else { throw error }
            throw .skipped(seen)
        }
        if end.status != 0 { throw .skipped("`\(command.joined(separator: " "))` exits with \(end.status)") }
    }

    private func run(_ helper: Statement.Helper) throws(Problem) {
        let command = try texts(helper.command)
        if helper.isBeside {
            do throws(StageProblem) {
                return try stage.begin(command)
            } catch {
                throw error.problem("the helper to be started")
            }
        }
        let end = try finish(command)
        guard (end.status == 0) == helper.mustFail else { return }
        let said = end.output.isEmpty ? "" : ", and wrote: " + end.output.joined(separator: " / ")
        throw .failed(
            expected: helper.mustFail ? "the command to fail" : "the command to exit with 0",
            seen: "it exits with \(end.status)\(said)")
    }

    private func finish(_ command: [String]) throws(Problem) -> HelperEnd {
        do throws(StageProblem) {
            if let end = try stage.run(command, until: deadline) { return end }
        } catch {
            throw error.problem("the command to be run")
        }
        throw .failed(
            expected: "the command to end",
            seen: "it still runs when the scenario's \(HumanText.duration(nanoseconds: limits.scenario)) are over; "
                + "`&` at its end lets it run beside")
    }

    private func write(_ bytes: [UInt8], _ expected: String) throws(Problem) {
        do throws(StageProblem) {
            try stage.write(bytes)
        } catch {
            throw error.problem(expected)
        }
    }

    /// Takes in what comes; false when nothing has by then.
    func wait(until limit: Int64, _ expected: String) throws(Problem) -> Bool {
        try checkLimit()
        do throws(StageProblem) {
            return try stage.wait(until: min(limit, deadline))
        } catch {
            throw error.problem(expected)
        }
    }
}
