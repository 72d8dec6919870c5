import Testing

@testable import CurfewScenario

@Suite("Files and their scenarios")
struct FileTests {
    /// Each scenario as `NAME@LINE: STATEMENTS / AFTER`.
    private func outline(_ text: String, path: String = "a.curfew") -> [String] {
        ScenarioReader.read(text, path: path).0.scenarios.map { scenario in
            let statements = scenario.statements.map(\.kind.name).joined(separator: " ")
            let after = scenario.after.map(\.kind.name).joined(separator: " ")
            return "\(scenario.name)@\(scenario.position.line): \(statements)" + (after.isEmpty ? "" : " / \(after)")
        }
    }

    @Test(
        "A file without headings is one scenario with the file's name",
        arguments: [
            ("upload.curfew", "upload"), ("suite/a b.curfew", "a b"), ("/x/up.load.curfew", "up.load"),
            ("plain", "plain"), ("dir/.curfew", ".curfew"), ("a.txt", "a.txt"),
        ])
    func stem(path: String, name: String) {
        #expect(outline("\n# x\napp ./x\nlaunch\nhome", path: path) == ["\(name)@3: app launch home"])
        #expect(ScenarioReader.read("app ./x", path: path).0.path == path)
    }

    @Test("Headings: what all share comes first, then before, then a scenario's own; after is its end")
    func headings() {
        let text = """
            app ./x
            set data d
            after
            do rm $data
            scenario "one thing"
            home
            before
            launch
            scenario two
            open
            quit
            """
        #expect(outline(text) == ["one thing@5: app set launch home / do", "two@9: app set launch open quit / do"])
        #expect(problems(text) == [])
    }

    @Test("A line that can't be read leaves the others as they are")
    func brokenLine() {
        #expect(outline("app ./x\nlaunch\nhoem\nopen 'x\nquit") == ["a@1: app launch quit"])
    }

    @Test("The matrices of a scenario, in the order of the file")
    func matrices() {
        let text = "matrix a 1 2\napp ./x $a\nscenario s\nmatrix b 3\nlaunch\ndo echo $b"
        let scenario = ScenarioReader.read(text, path: "a.curfew").0.scenarios.first
        #expect(scenario?.matrices.map(\.name) == ["a", "b"])
    }

    @Test("The design's example")
    func example() {
        let text = """
            # upload.curfew
            app --budget 10m -- ./uploader --port 0            # run's options, then the command
            launch
            await output "listening on (\\d+)" as port
            do ./client $port upload big.bin &                 # a helper, ended with the scenario
            home
            expect events willResignActive didEnterBackground  # in this order
            expect state background
            advance 9m55s                                      # time moves to whatever happens first, and says what
            await event backgroundTaskWillExpire
            await state suspended within 5s
            expect silence 2s                                  # no output, no event, no CPU time
            open
            await output "upload complete"
            home
            await state suspended
            reclaim                                            # ended as by jetsam, while suspended
            open
            expect pid changed                                 # proof that it was another process
            expect event didFinishLaunching restored=true
            quit
            expect exit 0
            """
        #expect(problems(text) == [])
        let names = statements(text).map(\.name)
        #expect(names.count == 21)
        #expect(names.prefix(5) == ["app", "launch", "await", "do", "home"])
    }
}
