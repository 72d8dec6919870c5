import Testing

@testable import CurfewScenario

@Suite("Statements")
struct StatementTests {
    /// What the line after `app` and `launch` is, its words by their text.
    private func read(_ line: String) -> Statement.Kind? {
        let (file, diagnostics) = ScenarioReader.read("app -- ./p\nset x 1\nlaunch\n" + line, path: "a.curfew")
        #expect(diagnostics.filter { $0.severity == .error } == [], "\(line)")
        return file.scenarios.first?.statements.last?.kind
    }

    private func texts(_ words: [Word]) -> [String] { words.map { $0.constant ?? "$" } }

    @Test("Those of one word")
    func short() {
        #expect(read("launch") == .launch)
        #expect(read("home") == .home)
        #expect(read("open") == .open)
        #expect(read("sleep") == .sleep)
        #expect(read("sleep  # D") == .sleep)
        #expect(read("interrupt") == .interrupt)
        #expect(read("dismiss") == .dismiss)
        #expect(read("quit") == .quit)
        #expect(read("reclaim") == .reclaim)
        #expect(read("kill-supervisor") == .killSupervisor)
        #expect(read("warn") == .warn(level: nil))
    }

    @Test("app: with options, without, and without --")
    func app() {
        func parts(_ text: String) -> [[String]] {
            guard case .app(let options, let command)? = statements(text).first else { return [] }
            return [texts(options), texts(command)]
        }
        #expect(parts("app --budget 10m -- ./a --port 0") == [["--budget", "10m"], ["./a", "--port", "0"]])
        #expect(parts("app -- ./a") == [[], ["./a"]])
        #expect(parts("app ./a -- b") == [[], ["./a", "--", "b"]])
        #expect(parts("app --aware \\\n  -- ./a") == [["--aware"], ["./a"]])
    }

    @Test("Declarations")
    func declarations() {
        guard case .set("x", let value)? = statements("set x 'a b'").first else {
            return unexpected()
        }
        #expect(value.constant == "a b")
        guard case .matrix("x", let values)? = statements("matrix x 1 '' 3").first else {
            return unexpected()
        }
        #expect(texts(values) == ["1", "", "3"])
        guard case .timeScale(.known(let factor, _))? = statements("time-scale 60").first else {
            return unexpected()
        }
        #expect(factor.value == 60)
        guard case .skipUnless(let command)? = statements("skip unless test -e x").first else {
            return unexpected()
        }
        #expect(texts(command) == ["test", "-e", "x"])
    }

    @Test("do: beside, and denied")
    func helpers() {
        func helper(_ line: String) -> Statement.Helper? {
            if case .run(let helper)? = read(line) { helper } else { nil }
        }
        #expect(helper("do a b")?.isBeside == false)
        #expect(helper("do a b &")?.isBeside == true)
        #expect(helper("do a b &").map { texts($0.command) } == ["a", "b"])
        #expect(helper("do a '&'").map { texts($0.command) } == ["a", "&"])
        #expect(helper("do a '&'")?.isBeside == false)
        #expect(helper("! do a")?.mustFail == true)
        #expect(helper("do a")?.mustFail == false)
        #expect(helper("do sh -c 'a | b'").map { texts($0.command) } == ["sh", "-c", "a | b"])
    }

    @Test("Events that are posted")
    func posted() {
        guard case .wake(let name, let info)? = read("wake fetch reason=nightly note='a b'") else {
            return unexpected()
        }
        #expect(name.constant == "fetch")
        #expect(texts(info) == ["reason=nightly", "note=a b"])
        guard case .post(let other, let pairs)? = read("post a.b-c $x=1 k=$x") else {
            return unexpected()
        }
        #expect(other.constant == "a.b-c")
        #expect(pairs.count == 2)
    }

    @Test("Time, input and keys")
    func others() {
        guard case .advance(.known(let duration, _))? = read("advance 9m55s") else {
            return unexpected()
        }
        #expect(duration.nanoseconds == 595_000_000_000)
        guard case .advance(.pending)? = read("advance ${x}s") else { return unexpected() }
        guard case .send(let text)? = read("send 'delete 3'") else { return unexpected() }
        #expect(text.constant == "delete 3")
        guard case .key(let keys)? = read("key i hello Escape") else { return unexpected() }
        #expect(texts(keys) == ["i", "hello", "Escape"])
        guard case .pressure(let shortage)? = read("pressure normal") else { return unexpected() }
        #expect(shortage.constant == "normal")
        guard case .warn(let level)? = read("warn critical") else { return unexpected() }
        #expect(level?.constant == "critical")
    }

    @Test("await and its deadline; expect and its denial")
    func looks() {
        guard case .await(.state(let state), .known(let deadline, _))? = read("await state suspended within 500ms")
        else {
            return unexpected()
        }
        #expect(state.constant == "suspended")
        #expect(deadline.nanoseconds == 500_000_000)
        guard case .await(.state, nil)? = read("await state active") else {
            return unexpected()
        }
        guard case .await(.state, .pending)? = read("await state active within $x") else {
            return unexpected()
        }
        guard case .expect(.pid(isChanged: true))? = read("expect pid changed") else {
            return unexpected()
        }
        guard case .expectNot(.pid(isChanged: false))? = read("! expect pid same") else {
            return unexpected()
        }
    }

    @Test("Conditions")
    func conditions() {
        func condition(_ line: String) -> Condition? { read("expect " + line)?.condition }
        guard case .event(let name, let info)? = condition("event didFinishLaunching restored=true") else {
            return unexpected()
        }
        #expect(name.constant == "didFinishLaunching")
        #expect(texts(info) == ["restored=true"])
        guard case .events(let names)? = condition("events willResignActive didEnterBackground") else {
            return unexpected()
        }
        #expect(texts(names) == ["willResignActive", "didEnterBackground"])
        guard case .task(let task, let isOpen)? = condition("task 'nightly upload' ended") else {
            return unexpected()
        }
        #expect(task.constant == "nightly upload")
        #expect(!isOpen)
        guard case .output(.known(let pattern, _), let groups)? = condition(#"output "on (\d+) (.)" as port rest"#)
        else {
            return unexpected()
        }
        #expect(pattern.text == #"on (\d+) (.)"#)
        #expect(groups == ["port", "rest"])
        guard case .silence(.known(let silence, _))? = condition("silence 2s") else {
            return unexpected()
        }
        #expect(silence.nanoseconds == 2_000_000_000)
        guard case .exit(.known(let status, _))? = condition("exit 255") else {
            return unexpected()
        }
        #expect(status.value == 255)
        guard case .killed(let reason)? = condition("killed memory-limit") else {
            return unexpected()
        }
        #expect(reason.constant == "memory-limit")
        guard case .file(let path, .exists)? = condition("file a exists") else {
            return unexpected()
        }
        #expect(path.constant == "a")
        guard case .file(_, .absent)? = condition("file a absent") else { return unexpected() }
        guard case .file(_, .contains(.known(let text, _)))? = condition("file a contains ^b") else {
            return unexpected()
        }
        #expect(text.text == "^b")
        guard case .amount(.memory, .atMost, let size)? = condition("memory <= 64M") else {
            return unexpected()
        }
        #expect(size.constant == "64M")
    }

    @Test(
        "What is compared, in its unit",
        arguments: [
            (.remaining, "5s", 5_000_000_000), (.remaining, "inf", UInt64(Int64.max)), (.cpu, "1.5", 1_500_000_000),
            (.memory, "64M", 67_108_864), (.memory, "0", 0), (.processes, "3", 3), (.processes, "0", 0),
        ] as [(Condition.Quantity, String, UInt64)])
    func quantities(quantity: Condition.Quantity, text: String, value: UInt64) throws {
        #expect(try quantity.read(text, at: Position(line: 1, column: 1)) == value)
    }

    @Test("A value with a variable in it is read once that has one")
    func pending() throws {
        guard case .advance(let value)? = read("advance ${x}m") else { return unexpected() }
        #expect(try value.resolved(with: ["x": "2"]).nanoseconds == 120_000_000_000)
        #expect(
            throws: Diagnostic(
                at: Position(line: 4, column: 9), "\"ym\" isn't a duration such as 90, 1.5s, 10m or 1h30min")
        ) {
            try value.resolved(with: ["x": "y"])
        }
        #expect(
            throws: Diagnostic(at: Position(line: 4, column: 9), "$x has no value; `set`, `as` and `matrix` give one")
        ) {
            try value.resolved(with: [:])
        }
    }

    @Test("A statement over several lines knows its last one")
    func lastLine() {
        let (file, _) = ScenarioReader.read("app -- \\\n ./p \\\n  x\nlaunch", path: "a.curfew")
        #expect(file.scenarios.first?.statements.map(\.lastLine) == [3, 4])
        #expect(file.scenarios.first?.statements.map(\.position.line) == [1, 4])
    }
}
