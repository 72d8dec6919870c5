import CurfewCore
import Testing

@Suite("CPU time in background")
struct BackgroundCPUTests {
    private static func policy(
        _ action: CPULimitAction = .kill, processors: Int = 1, _ change: (inout Policy) -> Void = { _ in }
    ) -> Policy {
        .with {
            var limits = CPUPolicy.standard
            limits.action = action
            limits.processors = processors
            $0.backgroundCPU = limits
            change(&$0)
        }
    }

    /// In background with a task, having used 100 s before.
    private func watched(_ action: CPULimitAction = .kill, processors: Int = 1) -> Scenario {
        let scenario = Scenario(Self.policy(action, processors: processors))
        scenario.cpuTime = nil
        scenario.begin()
        scenario.home()
        scenario.used(.seconds(100))
        return scenario
    }

    // MARK: Looking

    @Test("80 % over 60 s")
    func standard() {
        #expect(CPUPolicy.standard == CPUPolicy(limit: .seconds(48), window: .seconds(60), action: .kill))
    }

    @Test("In the foreground nothing is measured")
    func foreground() {
        let scenario = Scenario(Self.policy())
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.used(.seconds(1_000)).isEmpty)
    }

    @Test("Without a limit nothing is measured in background either")
    func noLimit() {
        let scenario = Scenario()
        scenario.cpuTime = nil
        scenario.begin()
        #expect(scenario.home() == ["a active -> background"])
        #expect(scenario.untilDeadline == "595s")
    }

    @Test("At home what was used before is measured, and doesn't count")
    func startsAtHome() {
        let scenario = Scenario(Self.policy())
        scenario.cpuTime = nil
        scenario.begin()
        #expect(scenario.home() == ["a active -> background", "measure CPU time a"])
        #expect(scenario.used(.seconds(1_000)).isEmpty)
    }

    @Test("Launched into background, it is watched from the start")
    func launchedInBackground() {
        let scenario = Scenario.empty()
        scenario.cpuTime = nil
        #expect(
            scenario.start(.a, Self.policy(), inBackground: true) == [
                "a notRunning -> background", "measure CPU time a",
            ])
    }

    @Test("Not looked at before the limit can have been passed with every processor busy")
    func looks() {
        #expect(watched().untilDeadline == "48s")
        #expect(watched(processors: 4).untilDeadline == "12s")
    }

    @Test("Near the limit a hundred times a window, and at its end")
    func looksNearLimit() {
        let scenario = watched(processors: 4)
        scenario.after(.seconds(12)).used(.seconds(147))
        #expect(scenario.untilDeadline == "0.6s")
        scenario.after(.milliseconds(47_700)).used(.seconds(147))
        #expect(scenario.untilDeadline == "0.3s")
    }

    @Test("A suspended app isn't measured, and its next stay has a window of its own")
    func suspended() {
        let scenario = watched()
        scenario.end(1)
        #expect(scenario.state() == .suspended)
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.used(.seconds(200)).isEmpty)
        scenario.after(.seconds(10))
        #expect(scenario.wake().contains("measure CPU time a"))
        #expect(scenario.used(.seconds(200)).isEmpty)
        #expect(scenario.after(.seconds(20)).used(.seconds(248)).isEmpty)
    }

    // MARK: Passing it

    @Test("At the limit: not killed")
    func atLimit() {
        #expect(watched().after(.seconds(50)).used(.seconds(148)).isEmpty)
    }

    @Test("Over it: killed, with what was used, in what time, and what is allowed")
    func overLimit() {
        let scenario = watched()
        #expect(
            scenario.after(.seconds(50)).used(.seconds(148) + .milliseconds(1)) == [
                "kill a cpu-limit in background, limit 60s, elapsed 50s, CPU 48.001s, CPU limit 48s, task 1 \"t\" 50s",
                "a background -> notRunning",
            ])
        #expect(scenario.treeGone() == ["ended a exit 137 cpu-limit"])
    }

    @Test("Used up long before the window's end: killed at once")
    func early() {
        let lines = watched(processors: 4).after(.seconds(12) + .milliseconds(1)).used(.seconds(149))
        #expect(lines.first?.hasPrefix("kill a cpu-limit in background, limit 60s, elapsed 12.001s, CPU 49s") == true)
    }

    /// Works on processing, holds a task, and is about to compute.
    private func processing(_ info: [Info]) -> Scenario {
        let scenario = Scenario.awareSuspended(Self.policy { $0.processingLimit = .seconds(600) })
        scenario.cpuTime = nil
        scenario.wake("processing", info)
        scenario.ack(5)
        scenario.begin()
        scenario.used(.seconds(100))
        return scenario
    }

    @Test("Processing for which the machine has power isn't counted, and what comes behind it is")
    func unmetered() {
        let scenario = processing([Info("request", "index"), App.powerInfo])
        #expect(scenario.after(.seconds(60)).used(.seconds(160)).isEmpty)
        scenario.ack(6)
        #expect(scenario.after(.seconds(50)).used(.seconds(208)).isEmpty)
        #expect(scenario.used(.seconds(208) + .milliseconds(1)).first?.hasPrefix("kill a cpu-limit") == true)
    }

    @Test("Processing that needs no power is counted, and so is a refresh that says that it does")
    func metered() {
        let scenario = processing([Info("request", "index")])
        #expect(scenario.after(.seconds(60)).used(.seconds(160)).first?.hasPrefix("kill a cpu-limit") == true)
        let refreshing = Scenario.awareSuspended(Self.policy())
        refreshing.cpuTime = nil
        refreshing.wake("refresh", [App.powerInfo])
        refreshing.ack(5)
        refreshing.used(.seconds(100))
        #expect(refreshing.after(.seconds(20)).used(.seconds(149)).first?.hasPrefix("kill a cpu-limit") == true)
    }

    @Test("At the end of a window the next begins, with nothing used")
    func rollOver() {
        let scenario = watched()
        #expect(scenario.after(.seconds(60)).used(.seconds(140)).isEmpty)
        #expect(scenario.untilDeadline == "48s")
        #expect(scenario.after(.seconds(59)).used(.seconds(188)).isEmpty)
        #expect(scenario.used(.seconds(188) + .milliseconds(1)).first?.hasPrefix("kill a cpu-limit") == true)
    }

    @Test("A window isn't over a moment before its end")
    func rollOverNotYet() {
        let scenario = watched()
        scenario.after(.milliseconds(59_999)).used(.seconds(140))
        #expect(scenario.untilDeadline == "0.001s")
        #expect(scenario.used(.seconds(149)).first?.hasPrefix("kill a cpu-limit") == true)
    }

    @Test("Looked at late, the share counts: 49 s over 62 s are less than 80 %")
    func late() {
        let scenario = watched()
        #expect(scenario.after(.seconds(62)).used(.seconds(149)).isEmpty)
        #expect(scenario.after(.seconds(60)).used(.seconds(198)).first?.hasPrefix("kill a cpu-limit") == true)
    }

    @Test("An app that is being ended isn't judged")
    func ending() {
        let scenario = watched()
        scenario.quit()
        #expect(scenario.after(.seconds(1)).used(.seconds(1_000)).isEmpty)
    }

    @Test("Opened in time, it isn't judged; sent home again it has a new window")
    func opened() {
        let scenario = watched()
        scenario.after(.seconds(30)).used(.seconds(130))
        scenario.open()
        #expect(scenario.used(.seconds(1_000)).isEmpty)
        scenario.home()
        #expect(scenario.used(.seconds(1_000)).isEmpty)
        #expect(scenario.after(.seconds(40)).used(.seconds(1_040)).isEmpty)
    }

    // MARK: A debugger

    @Test("A debugger holds the kill off, and the window begins anew when it has gone")
    func traced() {
        let scenario = watched()
        scenario.tracer = true
        #expect(scenario.after(.seconds(50)).used(.seconds(149)) == ["note a traced"])
        #expect(scenario.after(.seconds(1)).used(.seconds(500)).isEmpty)
        scenario.tracer = false
        #expect(scenario.tick() == ["note a no longer traced", "measure CPU time a"])
        #expect(scenario.used(.seconds(600)).isEmpty)
        #expect(scenario.after(.seconds(40)).used(.seconds(640)).isEmpty)
        #expect(scenario.after(.seconds(9)).used(.seconds(649)).first?.hasPrefix("kill a cpu-limit") == true)
    }

    @Test("It is looked for before the kill; opened meanwhile, the app lives")
    func openedMeanwhile() {
        let scenario = watched()
        scenario.tracer = nil
        #expect(scenario.after(.seconds(50)).used(.seconds(149)) == ["check tracer a"])
        #expect(scenario.open() == ["a background -> active"])
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))).isEmpty)
        #expect(scenario.state() == .active)
    }

    // MARK: What else may follow

    @Test("Throttled instead of killed: told of, and not judged again in this stay")
    func throttled() {
        let scenario = watched(.throttle)
        #expect(
            scenario.after(.seconds(50)).used(.seconds(149)) == [
                "throttle a to 48s of 60s", "note a used 49s of CPU time in 50s",
            ])
        #expect(scenario.supervisor.app(.a)?.isThrottled == true)
        #expect(scenario.untilDeadline == "545s")
        #expect(scenario.after(.seconds(1)).used(.seconds(1_000)).isEmpty)
    }

    @Test("Opened, it isn't throttled any more")
    func restored() {
        let scenario = watched(.throttle)
        scenario.after(.seconds(50)).used(.seconds(149))
        #expect(scenario.open() == ["a background -> active", "stop throttling a"])
        #expect(scenario.supervisor.app(.a)?.isThrottled == false)
        #expect(!scenario.home().contains("stop throttling a"))
    }

    @Test("Suspended, woken and suspended again it stays throttled, and isn't judged")
    func staysThrottled() {
        let scenario = watched(.throttle)
        scenario.after(.seconds(50)).used(.seconds(149))
        #expect(scenario.end(1).suffix(2) == ["suspend a", "a background -> suspended"])
        #expect(scenario.wake() == ["a suspended -> background", "resume a"])
        #expect(scenario.used(.seconds(149)).isEmpty)
        #expect(scenario.after(.seconds(20)).used(.seconds(249)).isEmpty)
        #expect(scenario.open().contains("stop throttling a"))
    }

    @Test("Opened and sent home again, it is judged again")
    func rearmed() {
        for action in [CPULimitAction.throttle, .log] {
            let scenario = watched(action)
            scenario.after(.seconds(50)).used(.seconds(149))
            scenario.open()
            scenario.home()
            scenario.used(.seconds(200))
            let lines = scenario.after(.seconds(50)).used(.seconds(249))
            #expect(lines.last == "note a used 49s of CPU time in 50s")
        }
    }

    @Test("Only told of: once in each stay in background, whether it was woken in between or not")
    func logged() {
        let scenario = watched(.log)
        #expect(scenario.after(.seconds(50)).used(.seconds(149)) == ["note a used 49s of CPU time in 50s"])
        #expect(scenario.after(.seconds(50)).used(.seconds(249)).isEmpty)
        scenario.end(1)
        #expect(!scenario.wake().contains("measure CPU time a"))
    }

    @Test("A debugger holds off neither: there is nothing to hold off")
    func loggedWhileTraced() {
        let scenario = watched(.log)
        scenario.tracer = true
        #expect(scenario.after(.seconds(50)).used(.seconds(149)) == ["note a used 49s of CPU time in 50s"])
    }

    @Test("Limit and window are divided by the time scale, and the share stays")
    func scaled() {
        let scaled = Self.policy(.log, processors: 4).scaled(by: 60).backgroundCPU
        #expect(
            scaled == CPUPolicy(limit: .milliseconds(800), window: .seconds(1), action: .log, processors: 4))
    }
}
