import CurfewCore
import Testing

@Suite("Whether an app is launched again")
struct RestartRuleTests {
    private static let failure = RunEnd(.exit, isFailure: true, life: .seconds(1))
    private static let exit = RunEnd(.exit, life: .seconds(1))

    private func restart(_ condition: RestartCondition, after end: RunEnd) -> Restart? {
        var rule = RestartRule(condition)
        return rule.restart(after: end)
    }

    /// What each of these ends is followed by, in seconds.
    private func pauses(_ condition: RestartCondition = .always, after ends: [RunEnd]) -> [Int64?] {
        var rule = RestartRule(condition)
        return ends.map { end in rule.restart(after: end).map { $0.pause.nanoseconds / 1_000_000_000 } }
    }

    @Test("As its manifest says")
    func conditions() {
        #expect(restart(.never, after: Self.failure) == nil)
        #expect(restart(.never, after: Self.exit) == nil)
        #expect(restart(.onFailure, after: Self.failure)?.pause == .seconds(1))
        #expect(restart(.onFailure, after: Self.exit) == nil)
        #expect(restart(.always, after: Self.failure)?.pause == .seconds(1))
        #expect(restart(.always, after: Self.exit)?.pause == .seconds(1))
    }

    @Test("What is no failure is one end more for `always` only")
    func idleExit() {
        let end = RunEnd(.kill(.idleExit), life: .seconds(1))
        #expect(restart(.onFailure, after: end) == nil)
        #expect(restart(.always, after: end) != nil)
    }

    @Test("Never when it was asked to end", arguments: EndRequest.allCases)
    func asked(request: EndRequest) {
        for condition in RestartCondition.allCases {
            let end = RunEnd(.kill(.processExitWatchdog), request: request, isFailure: true, life: .seconds(1))
            #expect(restart(condition, after: end) == nil)
        }
    }

    @Test("Each pause is twice the one before, up to five minutes")
    func pauses() {
        #expect(
            pauses(after: Array(repeating: Self.failure, count: 12)) == [
                1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300,
            ])
    }

    @Test("Ten minutes of life are enough to forget, and no second less")
    func forgotten() {
        let short = RunEnd(.exit, life: .seconds(599))
        let long = RunEnd(.exit, life: .seconds(600))
        #expect(pauses(after: [Self.exit, Self.exit, short, Self.exit]) == [1, 2, 4, 8])
        #expect(pauses(after: [Self.exit, Self.exit, long, Self.exit]) == [1, 2, 1, 2])
    }

    @Test("Ended by hand, too, its past is forgotten")
    func forgottenByHand() {
        let quit = RunEnd(.kill(.userQuit), request: .quit, life: .seconds(1))
        #expect(pauses(after: [Self.exit, Self.exit, quit, Self.exit]) == [1, 2, nil, 1])
    }

    @Test("What is launched once only makes no pause longer")
    func notRestarted() {
        #expect(pauses(.onFailure, after: [Self.failure, Self.exit, Self.failure]) == [1, nil, 2])
    }

    @Test("A launch that fails is tried again, later each time, and the pauses after it go on from there")
    func retries() {
        var rule = RestartRule(.onFailure)
        #expect(rule.restart(after: Self.failure) == Restart(pause: .seconds(1), wasInFront: false))
        #expect(rule.retry(wasInFront: true) == Restart(pause: .seconds(2), wasInFront: true))
        #expect(rule.retry(wasInFront: true) == Restart(pause: .seconds(4), wasInFront: true))
        #expect(rule.restart(after: Self.failure) == Restart(pause: .seconds(8), wasInFront: false))
        for _ in 0..<9 { _ = rule.retry(wasInFront: false) }
        #expect(rule.retry(wasInFront: false).pause == .seconds(300))
    }

    @Test("Time that is divided divides the pauses and the life")
    func timeScale() {
        var grown = RestartRule(.onFailure, next: .seconds(200))
        #expect(grown.restart(after: Self.failure)?.pause == .seconds(200))
        #expect(grown.restart(after: Self.failure)?.pause == .seconds(300))
        var shrunk = RestartRule(.onFailure, next: .zero)
        #expect(shrunk.restart(after: Self.failure)?.pause == .seconds(1))
        var rule = RestartRule(.always, timeScale: 60)
        let ends = [Self.exit, Self.exit, RunEnd(.exit, life: .seconds(10))]
        let pauses = ends.map { rule.restart(after: $0)?.pause.nanoseconds }
        #expect(pauses == [16_666_666, 33_333_332, 16_666_666])
    }

    @Test("In front only if it was there and the place is free")
    func place() {
        #expect(!Restart(pause: .zero, wasInFront: true).isIntoBackground(isFrontFull: false))
        #expect(Restart(pause: .zero, wasInFront: true).isIntoBackground(isFrontFull: true))
        #expect(Restart(pause: .zero, wasInFront: false).isIntoBackground(isFrontFull: false))
        #expect(restart(.always, after: RunEnd(.exit, wasInFront: true, life: .zero))?.wasInFront == true)
    }

    @Test(
        "Whatever the ends, the pause is what the launches since the last good one say",
        arguments: RestartCondition.allCases)
    func histories(condition: RestartCondition) {
        for seed in UInt64(0)..<100 {
            var random = SplitMix64(seed: seed)
            var rule = RestartRule(condition)
            var history: [RunEnd] = []
            for _ in 0..<40 {
                history.append(.random(&random))
                let expected = Self.expected(condition, history)
                let restart = rule.restart(after: history[history.count - 1])
                guard restart != expected else { continue }
                Issue.record(
                    "seed \(seed): \(String(describing: restart)), not \(String(describing: expected)); \(history)")
                return
            }
        }
    }

    /// From the whole past, and none of what the rule keeps.
    private static func expected(_ condition: RestartCondition, _ history: [RunEnd]) -> Restart? {
        func follows(_ end: RunEnd) -> Bool {
            end.request == nil && (condition == .always || condition == .onFailure && end.isFailure)
        }
        guard let last = history.last, follows(last) else { return nil }
        let good = history.lastIndex { $0.request != nil || $0.life >= .seconds(600) }
        let launches = history[(good ?? 0)...].dropLast().count { follows($0) }
        return Restart(pause: .seconds(launches > 8 ? 300 : 1 << launches), wasInFront: last.wasInFront)
    }
}

extension RunEnd {
    /// Any, and such as matter to the rules more often.
    static func random(_ random: inout SplitMix64) -> RunEnd {
        let reasons: [EndReason] = [
            .exit, .exit, .reboot, .kill(.supervisorExit), .kill(.memoryPressure), .kill(.memoryLimit),
            .kill(.idleExit),
            .kill(.timeLimit), .kill(.userQuit),
        ]
        let lives: [Span] = [.zero, .seconds(1), .milliseconds(9_999), .seconds(10), .seconds(599), .seconds(600)]
        return RunEnd(
            random.pick(reasons), request: random.chance(15) ? random.pick(EndRequest.allCases) : nil,
            isFailure: random.chance(50), wasInFront: random.chance(50), life: random.pick(lives))
    }
}
