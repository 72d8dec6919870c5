import CurfewCore
import Testing

/// A watchdog's report tells whether the app computed or waited: the CPU time used since the watchdog began.
@Suite("Watchdog reports")
struct WatchdogReportTests {
    /// The first line when `span` has passed and `cpuTime` was used since the program's start.
    private func kill(_ scenario: Scenario, after span: Span, using cpuTime: Span) -> String? {
        scenario.cpuTime = cpuTime
        return scenario.run(span).first
    }

    /// An app that has used 10 s of the CPU before anything of interest happens.
    private func busy(_ scenario: Scenario) -> Scenario {
        scenario.cpuTime = .seconds(10)
        return scenario
    }

    @Test("The launch that --aware demands: since the program's start")
    func launch() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        #expect(
            kill(scenario, after: .seconds(20), using: .seconds(7))
                == "kill a launch-watchdog in active, limit 20s, elapsed 20s, CPU 7s")
    }

    @Test("… also when the hello came meanwhile")
    func launchAfterHello() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        scenario.cpuTime = .seconds(4)
        scenario.after(.seconds(10)).hello()
        #expect(
            kill(scenario, after: .seconds(10), using: .seconds(7))
                == "kill a launch-watchdog in active, event didFinishLaunching, limit 20s, elapsed 20s, CPU 7s")
    }

    @Test("didFinishLaunching at a hello nobody demanded: since its delivery")
    func finishedLaunching() {
        let scenario = busy(Scenario())
        scenario.hello()
        #expect(
            kill(scenario, after: .seconds(20), using: .seconds(12))
                == "kill a launch-watchdog in active, event didFinishLaunching, limit 20s, elapsed 20s, CPU 2s")
    }

    @Test("didEnterBackground: since its delivery")
    func enterBackground() {
        let scenario = busy(Scenario.aware())
        scenario.home()
        #expect(
            kill(scenario, after: .seconds(5), using: .milliseconds(14_500))
                == "kill a scene-update-watchdog in background, event didEnterBackground, limit 5s, elapsed 5s, CPU 4.5s"
        )
    }

    @Test("A waking event: since its delivery, not since that of another")
    func wakingEvent() {
        let scenario = busy(Scenario.awareInBackground())
        scenario.wake("one")
        scenario.run(.seconds(10))
        scenario.cpuTime = .seconds(15)
        scenario.wake("two")
        scenario.run(.seconds(10))
        scenario.ack(5)
        #expect(
            kill(scenario, after: .seconds(20), using: .seconds(18))
                == "kill a background-fetch-timeout in background, event two, limit 30s, elapsed 30s, CPU 3s, "
                + "task 1 \"t\" 40s")
    }

    @Test("willTerminate: since its delivery")
    func willTerminate() {
        let scenario = busy(Scenario.aware())
        scenario.quit()
        #expect(
            kill(scenario, after: .seconds(5), using: .seconds(11))
                == "kill a process-exit-watchdog in active, event willTerminate, limit 5s, elapsed 5s, CPU 1s")
    }

    @Test("SIGTERM: since it was sent")
    func sigterm() {
        let scenario = busy(Scenario())
        scenario.quit()
        #expect(
            kill(scenario, after: .seconds(5), using: .seconds(11))
                == "kill a process-exit-watchdog in active, event willTerminate, limit 5s, elapsed 5s, CPU 1s")
    }

    @Test("It may be more than the time that passed: an app has many threads")
    func parallel() {
        let scenario = Scenario.aware()
        scenario.home()
        #expect(kill(scenario, after: .seconds(5), using: .seconds(40))?.hasSuffix("elapsed 5s, CPU 40s") == true)
    }

    @Test("It is never negative")
    func notNegative() {
        let scenario = busy(Scenario.aware())
        scenario.home()
        #expect(kill(scenario, after: .seconds(5), using: .seconds(9))?.hasSuffix("CPU 0s") == true)
    }

    @Test("A kill for anything else tells of none")
    func others() {
        let budget = busy(Scenario.inBackground(tasks: "one"))
        #expect(budget.run(.seconds(600)).contains { $0.contains("kill a") && !$0.contains("CPU") })
        let limited = busy(Scenario(.with { $0.timeLimit = .seconds(9) }))
        #expect(limited.run(.seconds(9)).first == "kill a time-limit in active, limit 9s, elapsed 9s")
        let silent = busy(Scenario(.with { $0.watchdogInterval = .seconds(9) }))
        #expect(silent.run(.seconds(9)).first == "kill a watchdog in active, limit 9s, elapsed 9s")
    }

    // MARK: Measuring

    @Test("It is measured when a watchdog begins, and only then")
    func measured() {
        let scenario = Scenario()
        scenario.cpuTime = nil
        #expect(scenario.hello().contains("measure CPU time a"))
        scenario.ack(1)
        #expect(scenario.interrupt() == ["a active -> inactive", "a <- willResignActive #3 to 1"])
        scenario.dismiss()
        #expect(scenario.post("locale") == ["a <- change locale #5 to 1"])
        #expect(scenario.wake() == ["a <- wake fetch #6 to 1"])
        #expect(scenario.home().last == "measure CPU time a")
        #expect(scenario.wake() == ["a <- wake fetch #9 30s to 1", "measure CPU time a"])
        #expect(scenario.quit() == ["a <- willTerminate #10 5s to 1", "measure CPU time a"])
    }

    @Test("The launch counts from the start, so a hello needs no measurement")
    func launchUnmeasured() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        scenario.cpuTime = nil
        #expect(!scenario.hello().contains("measure CPU time a"))
    }

    @Test("A plain app is measured for its end only")
    func plain() {
        let scenario = Scenario()
        scenario.cpuTime = nil
        #expect(scenario.home() == ["a active -> background", "suspend a", "a background -> suspended"])
        #expect(scenario.wake() == ["a suspended -> background", "resume a"])
        #expect(scenario.quit() == ["SIGTERM a", "measure CPU time a"])
    }

    @Test("Never measured, the report tells of none")
    func neverMeasured() {
        let scenario = Scenario.aware()
        scenario.cpuTime = nil
        scenario.home()
        #expect(
            scenario.run(.seconds(5)).first
                == "kill a scene-update-watchdog in background, event didEnterBackground, limit 5s, elapsed 5s")
    }

    @Test("Whether the engine is to measure before it answers a tracer check")
    func isWatched() {
        let scenario = Scenario.aware()
        #expect(scenario.supervisor.app(.a)?.isWatched == false)
        scenario.home()
        #expect(scenario.supervisor.app(.a)?.isWatched == true)
        scenario.ack(4)
        #expect(scenario.supervisor.app(.a)?.isWatched == false)
        scenario.open()
        scenario.quit()
        #expect(scenario.supervisor.app(.a)?.isWatched == true)
        #expect(Scenario(.with { $0.requiresHello = true }).supervisor.app(.a)?.isWatched == true)
    }

    // MARK: Times

    @Test("A late look tells the time that passed beside the limit")
    func late() {
        let scenario = Scenario.awareSuspended()
        scenario.wake()
        scenario.ack(5)
        #expect(scenario.after(.seconds(33)).tick().first?.contains("limit 30s, elapsed 33s") == true)
    }

    @Test("Time with a debugger isn't told as passed")
    func traced() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.tracer = true
        scenario.run(.seconds(100))
        scenario.tracer = false
        // It was seen a second after home, and that it is gone within another.
        #expect(scenario.run(.seconds(5)).contains { $0.contains("limit 5s, elapsed 5s") })
    }
}
