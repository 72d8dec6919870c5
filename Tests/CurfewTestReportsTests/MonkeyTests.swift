import CurfewScenario
import Testing

@testable import CurfewTestReports

@Suite("Monkey")
struct MonkeyTests {
    private static let due: [Int64] = [595_000_000_000, 600_000_000_000]
    private static let terms = MonkeyTerms(due: due)

    @Test("The same for the same seed, another for another")
    func seeded() {
        var monkeys = [1, 1, 2].map { Monkey(seed: $0, Self.terms) }
        let steps = monkeys.indices.map { monkeys[$0].steps(50) }
        #expect(steps[0] == steps[1])
        #expect(steps[0] != steps[2])
    }

    @Test("The generator is SplitMix64, on any machine")
    func generator() {
        var generator = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
        var drawn = [Int](repeating: 0, count: 5)
        for _ in 0..<5_000 { drawn[generator.below(5)] += 1 }
        #expect(drawn.allSatisfy { (900...1_100).contains($0) })
    }

    @Test("Each step makes sense where it stands, all kinds come, and time goes on", arguments: 1...10)
    func sensible(seed: UInt64) {
        var monkey = Monkey(seed: seed, Self.terms)
        let steps = monkey.steps(500)
        #expect(MonkeyStep.isSensible(steps, Self.terms))
        let kinds: [MonkeyStep] = [
            .home, .open, .interrupt, .dismiss, .warn, .post, .wake, .pressure, .reclaim, .shortage, .quit,
        ]
        for step in kinds { #expect(steps.contains(step)) }
        let times = steps.compactMap { if case .advance(let time) = $0 { time } else { nil } }
        #expect(times.allSatisfy { $0 >= 1_000_000 && $0 % 1_000_000 == 0 && $0 <= 3_000_000_000_000 })
        #expect(times.count > 100)
    }

    @Test("Many instants are within 50 ms of what falls due, before, at and after it")
    func near() {
        var monkey = Monkey(seed: 3, Self.terms)
        var app = MonkeyApp(Self.terms)
        var offsets: [Int64] = []
        for step in monkey.steps(3_000) {
            app.take(step)
            guard case .advance = step, !app.isOpen else { continue }
            offsets += Self.due.map { app.away - $0 }.filter { abs($0) <= 50_000_000 }
        }
        #expect(offsets.filter { $0 < 0 }.count > 50)
        #expect(offsets.filter { $0 == 0 }.count > 50)
        #expect(offsets.filter { $0 > 0 }.count > 50)
    }

    @Test("Nothing due, or at once, is no trouble", arguments: [[], [1], [1_000_000], [Int64.max]] as [[Int64]])
    func extremes(due: [Int64]) {
        let terms = MonkeyTerms(due: due)
        var monkey = Monkey(seed: 1, terms)
        #expect(MonkeyStep.isSensible(monkey.steps(300), terms))
    }

    @Test("What makes no sense")
    func senseless() {
        func isSensible(_ steps: MonkeyStep...) -> Bool { MonkeyStep.isSensible(steps, Self.terms) }
        #expect(isSensible(.warn, .home, .open, .warn, .interrupt, .dismiss, .interrupt, .home, .open, .interrupt))
        #expect(!isSensible(.open))
        #expect(!isSensible(.home, .home))
        #expect(!isSensible(.dismiss))
        #expect(!isSensible(.interrupt, .interrupt))
        #expect(!isSensible(.home, .interrupt))
        #expect(!isSensible(.home, .warn), "it may be suspended, and is told nothing then")
        #expect(!isSensible(.interrupt, .home, .dismiss))
    }

    @Test("What ends it launches it anew, in front; only who is suspended can be reclaimed")
    func launches() {
        func isSensible(_ steps: MonkeyStep...) -> Bool { MonkeyStep.isSensible(steps, Self.terms) }
        #expect(isSensible(.home, .reclaim, .home, .shortage, .interrupt, .quit, .interrupt, .home, .quit, .warn))
        for step in [MonkeyStep.reclaim, .shortage, .quit] {
            #expect(!isSensible(.home, step, .open), "it is open already")
            #expect(!isSensible(.interrupt, .home, step, .dismiss))
        }
        #expect(!isSensible(.reclaim))
        #expect(!isSensible(.home, .wake, .reclaim), "a plain one runs on for what it was woken for")
        #expect(isSensible(.wake, .home, .reclaim))
        #expect(isSensible(.post, .home, .post, .pressure, .reclaim, .post, .pressure))
    }

    @Test("Nothing is done that a program is rightly killed for")
    func terms() {
        let due = Self.due
        var steps = Array(repeating: MonkeyStep.wake, count: 3)
        #expect(MonkeyStep.isSensible(steps, MonkeyTerms(due: due, wakes: 3)))
        #expect(!MonkeyStep.isSensible(steps, MonkeyTerms(due: due, wakes: 2)), "resumed too often")
        steps.insert(.quit, at: 2)
        #expect(MonkeyStep.isSensible(steps, MonkeyTerms(due: due, wakes: 2)))
        for step in [MonkeyStep.pressure, .shortage] {
            #expect(!MonkeyStep.isSensible([step], MonkeyTerms(due: due, isPressed: false)), "above its soft limit")
        }
        var monkey = Monkey(seed: 1, MonkeyTerms(due: due, wakes: 0, isPressed: false, isReclaimed: false))
        #expect(Set(monkey.steps(2_000)).isDisjoint(with: [.wake, .pressure, .shortage, .reclaim]))
    }

    @Test(
        "A bug that only home within 50 ms of an expiration uncovers is found, and shrunk to the four steps it takes",
        arguments: 1...25)
    func plantedBug(seed: UInt64) throws {
        var monkey = Monkey(seed: seed, Self.terms)
        let steps = monkey.steps(500)
        let end = try #require(steps.indices.first { PlantedBug.shows(in: Array(steps[...$0])) })
        let result = Shrinker.shrink(
            Array(steps[...end]), simpler: { $0.simpler }, merged: MonkeyStep.merged,
            isSensible: { MonkeyStep.isSensible($0, Self.terms) },
            maximumTrials: 2_000, fails: PlantedBug.shows)
        #expect(result.sequence == [.home, .advance(nanoseconds: 600_000_000_000), .open, .home])
        #expect(result.isFinished)
        #expect(PlantedBug.shows(in: result.sequence))
    }

    @Test(
        "Times as scenarios have them",
        arguments: [
            (1, "0.000001ms"), (1_000_000, "1ms"), (1_500_000, "1.500000ms"), (1_000_000_000, "1s"),
            (595_000_000_000, "9m55s"),
            (594_950_000_000, "9m54s950ms"), (600_000_000_000, "10m"), (7_200_000_000_000, "120m"),
            (60_001_000_000, "1m1ms"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, text: String) {
        #expect(MonkeyStep.advance(nanoseconds: nanoseconds).lines == ["advance " + text])
    }

    @Test("Simpler times are rounder, or as round and shorter, and never none")
    func simplerTimes() {
        #expect(
            MonkeyTime.simpler(594_950_000_000).prefix(4) == [
                540_000_000_000, 600_000_000_000, 590_000_000_000, 594_000_000_000,
            ])
        #expect(MonkeyTime.simpler(600_000_000_000) == [300_000_000_000, 540_000_000_000])
        #expect(MonkeyTime.simpler(60_000_000_000) == [])
        #expect(
            MonkeyTime.simpler(1_000_000) == [60_000_000_000, 10_000_000_000, 1_000_000_000, 100_000_000, 10_000_000])
        var generator = SplitMix64(seed: 9)
        for _ in 0..<200 {
            var time = Int64(1 + generator.below(2_000_000)) * 1_000_000
            var count = 0
            while let next = MonkeyTime.simpler(time).last, count < 5_000 {
                #expect(next > 0)
                time = next
                count += 1
            }
            #expect(count < 5_000)
        }
    }

    @Test("Steps that aren't advances have nothing simpler, and become one with nothing")
    func others() {
        #expect(MonkeyStep.home.simpler == [])
        #expect(MonkeyStep.merged(.home, .advance(nanoseconds: 1)) == nil)
        #expect(MonkeyStep.merged(.advance(nanoseconds: 1), .advance(nanoseconds: 2)) == .advance(nanoseconds: 3))
        #expect(MonkeyStep.merged(.advance(nanoseconds: 1), .advance(nanoseconds: .max)) == nil)
    }

    @Test("As a scenario")
    func scenario() {
        let steps: [MonkeyStep] = [.home, .advance(nanoseconds: 595_000_000_000), .open]
        let text = MonkeyScenario.text(
            steps, comment: ["seed 42\u{1b}"], options: ["--budget", "10m"], command: ["./a b", "it's", ""],
            check: ["./well", "$x"])
        #expect(
            text == """
                # seed 42\\x1b
                app --budget 10m -- './a b' 'it'\\''s' ''
                launch
                do sh -c 'n=0; until "$@"; do n=$((n + 1)); test $n -lt 100 || exit 1; sleep 0.1; done 2>/dev/null' sh ./well '$x'
                home
                advance 9m55s
                open
                do ./well '$x'

                """)
        let each = MonkeyScenario.text(
            steps, comment: [], options: [], command: ["a"], check: [], isCheckedAfterEach: true)
        #expect(
            each == """
                app -- a
                launch
                ! expect state notRunning
                home
                ! expect state notRunning
                advance 9m55s
                ! expect state notRunning
                open
                ! expect state notRunning

                """)
    }

    @Test("One that was launched anew is waited for as the first")
    func launched() {
        let steps: [MonkeyStep] = [.home, .reclaim, .pressure, .shortage, .quit]
        let waiting =
            #"do sh -c 'n=0; until "$@"; do n=$((n + 1)); test $n -lt 100 || exit 1; sleep 0.1; done 2>/dev/null' sh ./well"#
        for isCheckedAfterEach in [true, false] {
            let text = MonkeyScenario.text(
                steps, comment: [], options: [], command: ["a"], check: ["./well"],
                isCheckedAfterEach: isCheckedAfterEach)
            let lines = text.split(separator: "\n").map(String.init)
            let checks = ["do ./well", "! expect state notRunning"]
            let done = lines.dropFirst(3).filter { !checks.contains($0) }
            #expect(
                done == [
                    "home", "reclaim", "open", waiting, "pressure warning", "pressure normal", "pressure critical",
                    "await killed memory-pressure", "open", waiting, "quit", "await state notRunning", "launch",
                    waiting,
                ])
            #expect(lines.filter(checks.contains) == (isCheckedAfterEach ? [checks[1], checks[0]] : [checks[0]]))
        }
        let alone = MonkeyScenario.text([.quit], comment: [], options: [], command: ["a"], check: [])
        #expect(
            alone
                == "app -- a\nlaunch\n! expect state notRunning\nquit\nawait state notRunning\nlaunch\n! expect state notRunning\n"
        )
    }

    @Test("What it writes is a scenario", arguments: 1...5)
    func valid(seed: UInt64) {
        var monkey = Monkey(seed: seed, Self.terms)
        let text = MonkeyScenario.text(
            monkey.steps(300), comment: ["found"], options: ["--budget", "10m"], command: ["./a b"],
            check: ["sh", "-c", "true"], isCheckedAfterEach: true)
        let (file, diagnostics) = ScenarioReader.read(text, path: "monkey.curfew")
        #expect(diagnostics.isEmpty, "\(diagnostics.first?.text(in: "monkey.curfew") ?? "")")
        #expect(file.scenarios.count == 1)
    }

    @Test("One that is away isn't asked, for it may be suspended; last it is opened, and asked")
    func away() {
        let text = MonkeyScenario.text(
            [.warn, .home, .advance(nanoseconds: 1_000_000_000)], comment: [], options: [], command: ["a"],
            check: ["./well"],
            isCheckedAfterEach: true)
        #expect(
            text == """
                app -- a
                launch
                do sh -c 'n=0; until "$@"; do n=$((n + 1)); test $n -lt 100 || exit 1; sleep 0.1; done 2>/dev/null' sh ./well
                warn
                do ./well
                home
                ! expect state notRunning
                advance 1s
                ! expect state notRunning
                open
                do ./well

                """)
        let end = MonkeyScenario.text([.home], comment: [], options: [], command: ["a"], check: [])
        #expect(end == "app -- a\nlaunch\n! expect state notRunning\nhome\nopen\n! expect state notRunning\n")
    }
}

/// A program that goes wrong if it is sent home within 50 ms of an expiration; its budget is 10 min, and 5 s before that it expires.
struct PlantedBug {
    private var now: Int64 = 0
    private var expiration: Int64?
    private var expired: Int64?
    private var isWrong = false

    static func shows(in steps: [MonkeyStep]) -> Bool {
        var bug = PlantedBug()
        for step in steps { bug.take(step) }
        return bug.isWrong
    }

    private mutating func take(_ step: MonkeyStep) {
        switch step {
        case .home:
            if let expired, now - expired <= 50_000_000 { isWrong = true }
            expiration = now + 595_000_000_000
        case .open: expiration = nil
        case .reclaim, .shortage, .quit: (expiration, expired) = (nil, nil)
        case .advance(let time): advance(time)
        case .interrupt, .dismiss, .warn, .post, .wake, .pressure: break
        }
    }

    /// Up to the first thing that happens.
    private mutating func advance(_ time: Int64) {
        guard let due = expiration, due <= now + time else { return now += time }
        now = due
        expired = due
        expiration = nil
    }
}
