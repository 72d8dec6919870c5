import Testing

@testable import CurfewTestReports

@Suite("A monkey's hunt")
struct MonkeyHuntTests {
    private func hunt(seed: UInt64 = 1, count: Int = 500, check: [String] = ["./well"]) -> MonkeyHunt {
        MonkeyHunt(
            options: ["--budget", "10m"], command: ["./app"], check: check, seed: seed, count: count,
            terms: MonkeyTerms(due: [595_000_000_000, 600_000_000_000]))
    }

    private static let waiting =
        #"do sh -c 'n=0; until "$@"; do n=$((n + 1)); test $n -lt 100 || exit 1; sleep 0.1; done 2>/dev/null' sh ./well"#

    private func failure(_ line: Int, _ statement: String) -> ScenarioResult.Outcome {
        .failed(
            Failure(
                line: line, column: 1, statement: statement, expected: "it to exit with 0", seen: "it exited with 1"))
    }

    /// Plays a scenario with the planted bug: each check fails from then on.
    private func play(_ text: String, _: Int = 0) -> ScenarioResult.Outcome {
        var steps: [MonkeyStep] = []
        for (index, line) in text.split(separator: "\n").enumerated() {
            if let step = MonkeyStep(line: line) { steps.append(step) }
            if line.hasPrefix("do "), PlantedBug.shows(in: steps) { return failure(index + 1, "do ./well") }
        }
        return .passed
    }

    @Test("A planted bug comes out as a scenario of its four steps, which fails by itself", arguments: 1...8)
    func plantedBug(seed: UInt64) throws {
        guard case .found(let finding) = hunt(seed: seed).run(play: play) else {
            Issue.record("it wasn't found")
            return
        }
        let lines = finding.scenario.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("# Found by curfew test --monkey 500 --seed \(seed); "))
        #expect(lines[0].hasSuffix(" steps made 4."))
        #expect(lines[1] == "# expected it to exit with 0: it exited with 1")
        #expect(
            lines[2...] == [
                "app --budget 10m -- ./app", "launch", Self.waiting, "home", "advance 10m", "open", "home", "open",
                "do ./well",
            ])
        #expect(finding.isRepeatable && finding.isFinished)
        #expect(finding.failure.line == 9)
        #expect(play(finding.scenario) == failure(11, "do ./well"))
        guard case .failed = play(finding.original) else {
            Issue.record("the original doesn't fail")
            return
        }
        #expect(hunt(seed: seed).run(play: play) == .found(finding))
    }

    @Test("A program that stays well")
    func well() {
        var played: [String] = []
        let outcome = hunt(count: 30).run { text, _ in
            played.append(text)
            return .passed
        }
        #expect(outcome == .well)
        #expect(played.count == 1)
        #expect(played[0].split(separator: "\n").filter { $0 == "do ./well" }.count <= 31)
    }

    @Test("What can't be run, or goes wrong before the first step, is no finding")
    func broken() {
        let reason = Failure(
            line: 2, column: 1, statement: "launch", expected: "it to be launched", seen: "it has ended")
        #expect(hunt().run { _, _ in .broken(reason) } == .broken(reason))
        #expect(hunt().run { _, _ in .failed(reason) } == .broken(reason))
    }

    @Test("What doesn't fail again is said to be chance, and left as it was found")
    func chance() {
        var plays = 0
        let outcome = hunt(count: 20).run { _, _ in
            plays += 1
            return plays == 1 ? failure(8, "do ./well") : .passed
        }
        guard case .found(let finding) = outcome else {
            Issue.record("it wasn't found")
            return
        }
        #expect(!finding.isRepeatable)
        // The first takes four lines of these.
        #expect(finding.steps == Array(Self.firstSteps(of: 1).prefix(2)))
        #expect(finding.steps.first == .quit)
        #expect(plays == 3)
    }

    private static func firstSteps(of seed: UInt64) -> [MonkeyStep] {
        var monkey = Monkey(seed: seed, MonkeyTerms(due: [595_000_000_000, 600_000_000_000]))
        return monkey.steps(20)
    }

    /// A program that holds a task at home, and can't be reclaimed there.
    private static func refusal(_ line: Int) -> ScenarioResult.Outcome {
        .failed(
            Failure(
                line: line, column: 1, statement: "reclaim", expected: "the app to be ended",
                seen: "refused (not-suspended): the app isn't suspended, and only one that is can be reclaimed"))
    }

    @Test("One that can't be reclaimed is played with as one that never is")
    func refused() {
        var played: [String] = []
        let outcome = hunt(count: 200).run { text, _ in
            played.append(text)
            let lines = text.split(separator: "\n")
            return lines.firstIndex(of: "reclaim").map { Self.refusal($0 + 1) } ?? .passed
        }
        #expect(outcome == .well)
        #expect(played.count == 2)
        #expect(played.last?.contains("\nreclaim\n") == false && played.last?.contains("\nquit\n") == true)
    }

    @Test("A bug of the next launch is shrunk to what ends it, each of its lines counted as the one step's")
    func nextLaunch() throws {
        let outcome = hunt(count: 200).run { text, _ in
            let lines = text.split(separator: "\n").map(String.init)
            guard let quit = lines.firstIndex(of: "quit") else { return .passed }
            return failure(quit + 4, "do ./well")
        }
        guard case .found(let finding) = outcome else {
            Issue.record("it wasn't found")
            return
        }
        #expect(finding.steps == [.quit])
        #expect(finding.isRepeatable && finding.isFinished)
    }

    @Test("What only checks in between uncover is shrunk with these")
    func checks() {
        // Goes wrong at the second check, as these come without those of a launch.
        let outcome = hunt(count: 20).run { text, _ in
            let lines = text.split(separator: "\n")
            let checks = lines.indices.filter { lines[$0] == "do ./well" }
            return checks.count >= 2 ? failure(checks[1] + 1, "do ./well") : .passed
        }
        guard case .found(let finding) = outcome else {
            Issue.record("it wasn't found")
            return
        }
        #expect(finding.isRepeatable)
        #expect(finding.steps.count == 2)
        #expect(finding.scenario.split(separator: "\n").filter { $0 == "do ./well" }.count == 2)
    }

    @Test("A shorter sequence that fails otherwise isn't taken for it")
    func otherFailure() {
        let outcome = hunt(count: 40).run { text, _ in
            let lines = text.split(separator: "\n")
            let homes = lines.indices.filter { lines[$0] == "home" }
            if homes.count >= 3 { return failure(homes[2] + 1, "home") }
            return homes.count >= 1 ? failure(homes[0] + 1, "do ./well") : .passed
        }
        guard case .found(let finding) = outcome else {
            Issue.record("it wasn't found")
            return
        }
        #expect(finding.steps.filter { $0 == .home }.count == 3)
        #expect(finding.failure.statement == "home")
    }
}

extension MonkeyStep {
    /// Reads what `line` writes; nil for any other statement.
    fileprivate init?(line: Substring) {
        switch line {
        case "home": self = .home
        case "open": self = .open
        case "interrupt": self = .interrupt
        case "dismiss": self = .dismiss
        case "warn": self = .warn
        case "reclaim": self = .reclaim
        case "pressure critical": self = .shortage
        case "quit": self = .quit
        default:
            guard let match = line.wholeMatch(of: /advance (?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?/) else { return nil }
            let milliseconds = [(match.1, 60_000), (match.2, 1_000), (match.3, 1)].reduce(Int64(0)) { sum, part in
                sum + (part.0.flatMap { Int64($0) } ?? 0) * part.1
            }
            self = .advance(nanoseconds: milliseconds * 1_000_000)
        }
    }
}
