import CurfewCore
import Testing

@Suite("Whether an app is restored")
struct RestoringRuleTests {
    /// What the launch after these is told, and each launch before it.
    private func launches(_ ends: RunEnd...) -> [String] {
        var rule = RestoringRule()
        var told = [rule.launched()]
        for end in ends {
            rule.ended(end)
            told.append(rule.launched())
        }
        return told.map { $0?.word ?? "anew" }
    }

    private func end(_ reason: EndReason, _ request: EndRequest? = nil, life: Int64 = 60) -> RunEnd {
        RunEnd(reason, request: request, life: .seconds(life))
    }

    @Test("The first launch begins anew")
    func first() {
        #expect(launches() == ["anew"])
    }

    @Test(
        "After jetsam, idle-exit, the server's end and a reboot it is, and is told why",
        arguments: [
            .kill(.memoryLimit), .kill(.memoryHighwater), .kill(.memoryPressure), .kill(.idleExit),
            .kill(.supervisorExit), .reboot,
        ] as [EndReason])
    func restored(reason: EndReason) {
        #expect(launches(end(reason)) == ["anew", reason.word])
    }

    @Test("After the server's proper end, too")
    func serverEnd() {
        #expect(launches(end(.kill(.supervisorExit), .serverEnd)) == ["anew", "supervisor-exit"])
    }

    @Test("After its own end it isn't, and not when a policy has killed it for what it did")
    func ownEnd() {
        #expect(launches(end(.exit)) == ["anew", "anew"])
        #expect(launches(end(.kill(.timeLimit))) == ["anew", "anew"])
        #expect(launches(end(.kill(.sceneUpdateWatchdog))) == ["anew", "anew"])
    }

    @Test("Nor when it was quit or removed, whatever ended it then", arguments: [EndRequest.quit, .remove])
    func byHand(request: EndRequest) {
        #expect(launches(end(.kill(.userQuit), request)) == ["anew", "anew"])
        #expect(launches(end(.kill(.memoryPressure), request)) == ["anew", "anew"])
    }

    @Test("It is the last run's end that counts")
    func lastRun() {
        #expect(launches(end(.reboot), end(.exit)) == ["anew", "reboot", "anew"])
        #expect(launches(end(.exit), end(.reboot)) == ["anew", "anew", "reboot"])
    }

    @Test("Ended twice within ten seconds of being restored, it begins anew; and is restored the time after that")
    func tooSoon() {
        let pressure = EndReason.kill(.memoryPressure)
        let word = pressure.word
        #expect(
            launches(end(pressure), end(pressure, life: 9), end(pressure, life: 9), end(pressure)) == [
                "anew", word, word, "anew", word,
            ])
        #expect(
            launches(end(pressure), end(pressure, life: 9), end(pressure, life: 10), end(pressure, life: 9)) == [
                "anew", word, word, word, word,
            ])
    }

    @Test("A short run that wasn't restored says nothing about restoring")
    func shortAnew() {
        let pressure = end(.kill(.memoryPressure), life: 1)
        #expect(
            launches(pressure, pressure, pressure, pressure).map { $0 == "anew" } == [true, false, false, true, false])
    }

    @Test("Time that is divided divides the ten seconds")
    func timeScale() {
        var rule = RestoringRule(timeScale: 10)
        for _ in 0..<3 {
            _ = rule.launched()
            rule.ended(end(.reboot, life: 1))
        }
        let reason = rule.launched()
        #expect(reason == .reboot)
    }

    @Test("That its server has ended so soon isn't counted")
    func serverEndsSoon() {
        let end = end(.kill(.supervisorExit), .serverEnd, life: 1)
        #expect(launches(end, end, end, end).dropFirst() == ArraySlice(repeating: "supervisor-exit", count: 4))
    }

    @Test("As a server before has kept it, it goes on counting", arguments: [-1, 0, 1, 2])
    func kept(shortLives: Int) {
        var rule = RestoringRule()
        rule.restore(end(.reboot), shortLives: shortLives)
        let reason = rule.launched()
        #expect(reason == (shortLives < 2 ? .reboot : nil))
        rule.ended(end(.reboot, life: 9))
        #expect(rule.shortLives == [-1: 1, 0: 1, 1: 2, 2: 0][shortLives])
    }

    @Test("Whatever the ends, it is what a look at all of them says")
    func histories() {
        for seed in UInt64(0)..<200 {
            var random = SplitMix64(seed: seed)
            var rule = RestoringRule()
            var runs: [(wasRestored: Bool, end: RunEnd)] = []
            for _ in 0..<40 {
                let expected = Self.expected(runs)
                let restored = rule.launched()
                if restored != expected {
                    Issue.record("seed \(seed): \(restored?.word ?? "anew") after \(runs)")
                    return
                }
                runs.append((restored != nil, .random(&random)))
                rule.ended(runs[runs.count - 1].end)
            }
        }
    }

    /// From the whole past, and none of what the rule keeps.
    private static func expected(_ runs: [(wasRestored: Bool, end: RunEnd)]) -> EndReason? {
        let words = [
            "memory-limit", "memory-highwater", "memory-pressure", "idle-exit", "supervisor-exit", "reboot",
        ]
        guard let end = runs.last?.end, end.request == nil || end.request == .serverEnd, words.contains(end.reason.word)
        else { return nil }
        let failures = runs.reversed().prefix { $0.wasRestored && $0.end.life < .seconds(10) }
            .filter { $0.end.request != .serverEnd }.count
        return failures >= 2 ? nil : end.reason
    }
}
