import CurfewCore
import Testing

@Suite("How a run was over")
struct RunEndTests {
    private func end(_ effects: [Effect], request: EndRequest? = nil) throws -> RunEnd {
        let endings = effects.compactMap { effect in
            if case .ended(_, let ending) = effect { ending } else { nil }
        }
        return RunEnd(try #require(endings.last), request: request, life: .seconds(1))
    }

    /// App a ends so, by itself or after `change`.
    private func end(
        by outcome: Int32, _ policy: Policy = Policy(profile: .ios4), request: EndRequest? = nil,
        _ change: (Scenario) -> Void = { _ in }
    ) throws -> RunEnd {
        let scenario = Scenario(policy)
        change(scenario)
        if outcome < 0 {
            scenario.send(.app(.a, .leaderExited(.signaled(signal: -outcome, dumpedCore: false))))
        } else {
            scenario.leaderExits(UInt8(outcome))
        }
        scenario.treeGone()
        return try end(scenario.history, request: request)
    }

    @Test("By itself: a failure unless its status is 0")
    func byItself() throws {
        #expect(try end(by: 0).reason == .exit)
        #expect(try !end(by: 0).isFailure)
        #expect(try end(by: 3).reason == .exit)
        #expect(try end(by: 3).isFailure)
        #expect(try end(by: -11).isFailure)
        #expect(try end(by: -15).isFailure)
    }

    @Test("Asked for: no failure, whatever its status")
    func asked() throws {
        for status: Int32 in [0, 1, -15, -9] {
            let quit = try end(by: status, request: .quit) { $0.quit() }
            #expect(!quit.isFailure)
            #expect(quit.reason == .kill(.userQuit))
            #expect(try end(by: status, request: .remove) { $0.quit() }.reason == .kill(.userQuit))
            #expect(try end(by: status, request: .serverEnd) { $0.quit() }.reason == .kill(.supervisorExit))
        }
    }

    @Test("Asked for and not done in time: what killed it stands there, but for the server's end")
    func askedInVain() throws {
        #expect(
            try end(by: -9, request: .quit) {
                $0.quit()
                $0.run(.seconds(5))
            }.reason == .kill(.processExitWatchdog))
        #expect(
            try end(by: -9, request: .serverEnd) {
                $0.quit()
                $0.run(.seconds(5))
            }.reason == .kill(.supervisorExit))
    }

    @Test("Ended at home as it wants: our signal is no failure")
    func exitsOnSuspend() throws {
        let policy = Policy.with { $0.exitsOnSuspend = true }
        #expect(try !end(by: -15, policy) { $0.home() }.isFailure)
        #expect(try !end(by: 1, policy) { $0.home() }.isFailure)
        #expect(try end(by: -11, policy) { $0.home() }.isFailure)
    }

    @Test("Killed by policy: a failure")
    func policy() throws {
        let timed = try end(by: -9, .with { $0.timeLimit = .seconds(5) }) { $0.run(.seconds(5)) }
        #expect(timed.reason == .kill(.timeLimit))
        #expect(timed.isFailure)
        let signalled = try end(
            by: -15,
            .with {
                $0.timeLimit = .seconds(5)
                $0.timeout = TimeoutPolicy()
            }
        ) { $0.run(.seconds(5)) }
        #expect(signalled.reason == .kill(.timeLimit))
        #expect(signalled.isFailure)
    }

    @Test("idle-exit is no failure; that of jetsam is")
    func jetsam() throws {
        let reclaimed = try end(by: -9) {
            $0.home()
            $0.send(.app(.a, .reclaim(request: nil)))
        }
        #expect(reclaimed.reason == .kill(.memoryPressure))
        #expect(reclaimed.isFailure)
        let idle = try end(by: -9) {
            $0.home()
            $0.send(.machine(.watchMemory(low: 1_000, sustained: .zero, isToldOfStalls: true)))
            $0.after(.seconds(10)).send(.machine(.availableMemoryMeasured(900, isStalling: false)))
            $0.after(.seconds(10)).send(.machine(.availableMemoryMeasured(900, isStalling: false)))
        }
        #expect(idle.reason == .kill(.idleExit))
        #expect(!idle.isFailure)
    }

    @Test("In front or behind when it ended")
    func place() throws {
        #expect(try end(by: 0).wasInFront)
        #expect(try !end(by: 0) { $0.home() }.wasInFront)
    }

    @Test("Nobody saw it: the server went down with it, or the machine")
    func unseen() {
        #expect(RunEnd.unseen(isReboot: false, life: .zero).reason == .kill(.supervisorExit))
        #expect(RunEnd.unseen(isReboot: true, life: .zero).reason == .reboot)
        #expect(RunEnd.unseen(isReboot: true, life: .zero).isFailure)
        #expect(RunEnd.unseen(isReboot: true, life: .zero).request == nil)
    }

    @Test("Each reason has its word", arguments: [.exit, .reboot] + KillReason.allCases.map { EndReason.kill($0) })
    func words(reason: EndReason) {
        #expect(EndReason(word: reason.word) == reason)
    }

    @Test("Another word is none")
    func noWord() {
        #expect(EndReason(word: "idle-exit") == .kill(.idleExit))
        #expect(EndReason(word: "idle") == nil)
    }
}
