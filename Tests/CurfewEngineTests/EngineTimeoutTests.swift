import CurfewCore
import CurfewEngine
import Testing

@Suite("The engine keeps a time limit as timeout(1) does")
struct EngineTimeoutTests {
    private func running(_ timeout: TimeoutPolicy = TimeoutPolicy()) -> EngineScenario {
        .running(
            .with {
                $0.timeLimit = .seconds(1)
                $0.timeout = timeout
            })
    }

    @Test("It is looked at, told of, and then signalled")
    func order() {
        #expect(
            running().pass(.seconds(1)) == [
                "will end a", "record a expired time-limit", "will signal a 15", "signal 15 a",
            ])
    }

    @Test("Then it is killed like any other, round by round")
    func kills() {
        let scenario = running(TimeoutPolicy(killAfter: .seconds(1)))
        scenario.pass(.seconds(1))
        let lines = scenario.pass(.seconds(1))
        #expect(lines.contains("SIGKILL a"))
        #expect(scenario.pass(.milliseconds(1)).last == "ended a raise(signal: 9)")
    }

    @Test("The main process alone is signalled where descendants are spared")
    func mainProcessOnly() {
        let lines = running(TimeoutPolicy(sparesDescendants: true)).pass(.seconds(1))
        #expect(lines.last == "signal 15 a, its main process")
    }

    @Test("and killed alone, which is told as a kill, once")
    func leaderKilled() {
        let scenario = running(TimeoutPolicy(killAfter: .seconds(1), sparesDescendants: true))
        let lines = scenario.pass(.seconds(1)) + scenario.pass(.seconds(1))
        #expect(
            lines.suffix(4) == [
                "will end a", "will signal a 9", "signal 9 a, its main process", "record a killing time-limit",
            ])
        #expect(lines.filter { $0.hasPrefix("record a expired") }.count == 1)
    }

    @Test("What outlives a command in time is released, and the run is over")
    func release() {
        let scenario = running()
        let lines = scenario.leaderExits(code: 4)
        #expect(lines.contains("release a"))
        #expect(!lines.contains("SIGKILL a"))
        #expect(lines.last == "ended a exit(4)")
        #expect(scenario.engine.nextDeadline == nil)
    }
}
