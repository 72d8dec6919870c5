import CurfewCore
import Testing

@Suite("Quit, time limit, and how it ended")
struct EndingTests {
    // MARK: Its reaper

    @Test("Without its reaper it is killed at once, wherever it is, and for that")
    func reaperLost() {
        let killed = ["kill a supervisor-exit in active", "a active -> notRunning"]
        let scenario = Scenario()
        #expect(scenario.send(.app(.a, .reaperLost)) == killed)
        #expect(scenario.send(.app(.a, .reaperLost)).isEmpty)
        let suspended = ["kill a supervisor-exit in suspended", "a suspended -> notRunning"]
        #expect(Scenario.suspended().send(.app(.a, .reaperLost)) == suspended)
        let terminating = Scenario()
        terminating.quit()
        #expect(terminating.send(.app(.a, .reaperLost)) == killed)
    }

    // MARK: Quit

    @Test("Terminated while running, plain: SIGTERM, never more at once")
    func quitPlain() {
        let scenario = Scenario()
        #expect(scenario.quit(request: 1) == ["SIGTERM a", "reply 1: active"])
        #expect(scenario.supervisor.app(.a)?.isTerminating == true)
        #expect(scenario.untilDeadline == "5s")
    }

    @Test("Terminated while running, aware: willTerminate")
    func quitAware() {
        #expect(Scenario.aware().quit() == ["a <- willTerminate #3 5s to 1"])
    }

    @Test("Terminated in background: willTerminate or SIGTERM too")
    func quitInBackground() {
        let scenario = Scenario.aware()
        scenario.home()
        #expect(scenario.quit() == ["a <- willTerminate #5 5s to 1"])
        #expect(Scenario.inBackground(tasks: "one").quit() == ["SIGTERM a"])
    }

    @Test("Not ended within its limit: SIGKILL of the whole tree, process-exit-watchdog")
    func quitIgnored() {
        let scenario = Scenario()
        scenario.quit()
        #expect(scenario.after(.milliseconds(4_999)).tick().isEmpty)
        #expect(
            scenario.after(.milliseconds(1)).tick() == [
                "kill a process-exit-watchdog in active, event willTerminate, limit 5s, elapsed 5s, CPU 0s",
                "a active -> notRunning",
            ])
        scenario.leaderDies(of: 9)
        #expect(scenario.treeGone() == ["ended a exit 124 process-exit-watchdog"])
    }

    @Test("willTerminate not acknowledged and not ended: process-exit-watchdog")
    func quitIgnoredAware() {
        let scenario = Scenario.aware()
        scenario.quit()
        #expect(scenario.run(.seconds(5)).first?.hasPrefix("kill a process-exit-watchdog in active") == true)
    }

    @Test("The willTerminate limit isn't prolonged by its acknowledgement")
    func quitAcknowledged() {
        let scenario = Scenario.aware()
        scenario.quit()
        #expect(scenario.after(.seconds(2)).ack(3) == ["note a willTerminate #3 acknowledged"])
        #expect(scenario.ack(3) == ["note a unknown ack #3"])
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("A second quit changes nothing, nor does home or open after it")
    func quitTwice() {
        let scenario = Scenario()
        scenario.quit()
        scenario.after(.seconds(3))
        #expect(scenario.quit(request: 1) == ["reply 1: active"])
        #expect(scenario.home(request: 2) == ["reply 2: active"])
        #expect(scenario.open(request: 3) == ["reply 3: active"])
        #expect(scenario.untilDeadline == "2s")
    }

    @Test("Whether opening it is in vain is known before: asked to end, killed, or with its leader gone")
    func rejectionOfOpening() {
        for scenario in [Scenario(), Scenario.suspended()] {
            #expect(scenario.supervisor.app(.a)?.rejectionOfOpening == nil)
            scenario.quit()
            #expect(scenario.supervisor.app(.a)?.rejectionOfOpening == .terminating)
        }
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home(request: 1)
        #expect(scenario.supervisor.app(.a)?.rejectionOfOpening == nil)
        scenario.leaderDies(of: 9)
        #expect(scenario.supervisor.app(.a)?.rejectionOfOpening == .terminating)
    }

    @Test("Asked to end, begin is refused")
    func beginWhileTerminating() {
        let scenario = Scenario()
        scenario.quit()
        #expect(scenario.begin() == ["reply 0: error terminating"])
    }

    @Test("Asked to end in background: neither suspended by the last end nor killed by its budget")
    func quitWithTask() {
        let scenario = Scenario.inBackground(tasks: "one", "two")
        scenario.run(.seconds(598))
        scenario.quit()
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        scenario.end(1)
        #expect(scenario.end(2) == ["note a task 2 \"two\" ended", "reply 0: task 2 ended"])
    }

    @Test("Asked to end, what it owed before is forgiven")
    func quitWhileOwing() {
        let scenario = Scenario.aware(.with { $0.terminateLimit = .seconds(60) })
        scenario.home()
        scenario.quit()
        #expect(scenario.ack(4) == ["note a unknown ack #4"])
        #expect(scenario.run(.seconds(59)).isEmpty)
    }

    @Test("Asked to end before its hello: the launch watchdog is off")
    func quitBeforeHello() {
        let scenario = Scenario(
            .with {
                $0.requiresHello = true
                $0.terminateLimit = .seconds(60)
            })
        scenario.quit()
        #expect(scenario.untilDeadline == "60s")
    }

    @Test("Terminated while suspended: SIGKILL, no event, never SIGTERM")
    func quitSuspended() {
        let scenario = Scenario.suspended()
        #expect(
            scenario.quit(request: 1) == [
                "kill a user-quit in suspended", "a suspended -> notRunning", "reply 1: notRunning",
            ])
        scenario.leaderDies(of: 9)
        #expect(scenario.treeGone() == ["ended a exit 137 user-quit"])
    }

    @Test("Terminated while suspended, aware: no event either")
    func quitSuspendedAware() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.ack(4)
        #expect(scenario.quit() == ["kill a user-quit in suspended", "a suspended -> notRunning"])
    }

    @Test("Terminated while the suspension isn't confirmed: SIGKILL; home's request is answered")
    func quitSuspending() {
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home(request: 1)
        #expect(
            scenario.quit(request: 2) == [
                "kill a user-quit in background", "a background -> notRunning", "reply 1: notRunning",
                "reply 2: notRunning",
            ])
    }

    @Test("--terminate-suspended=wake resumes a plain app for SIGTERM first")
    func wakePlain() {
        let scenario = Scenario.suspended(.with { $0.terminateSuspended = .wake })
        #expect(scenario.quit() == ["a suspended -> background", "resume a", "SIGTERM a"])
        #expect(scenario.untilDeadline == "5s")
        scenario.leaderDies(of: 15)
        #expect(scenario.treeGone().last == "ended a exit 143")
    }

    @Test("--terminate-suspended=wake resumes an aware app for its willTerminate limit first")
    func wakeAware() {
        let scenario = Scenario.aware(.with { $0.terminateSuspended = .wake })
        scenario.home()
        scenario.ack(4)
        #expect(
            scenario.quit() == ["a suspended -> background", "resume a", "a <- willTerminate #5 5s to 1"])
        #expect(
            scenario.run(.seconds(5)).first
                == "kill a process-exit-watchdog in background, event willTerminate, limit 5s, elapsed 5s, CPU 0s")
    }

    // MARK: Time limit

    @Test("The time limit counts from the program's start")
    func timeLimit() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(.with { $0.timeLimit = .seconds(60) }, LaunchOptions())))
        scenario.after(.seconds(10)).send(.app(.a, .started))
        #expect(scenario.untilDeadline == "60s")
        #expect(scenario.run(.milliseconds(59_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == [
                "kill a time-limit in active, limit 60s, elapsed 60s", "a active -> notRunning",
            ])
        #expect(scenario.treeGone() == ["ended a exit 124 time-limit"])
    }

    @Test("The time limit kills a suspended app")
    func timeLimitSuspended() {
        let scenario = Scenario.suspended(.with { $0.timeLimit = .seconds(60) })
        #expect(scenario.untilDeadline == "60s")
        #expect(
            scenario.run(.seconds(60)) == [
                "kill a time-limit in suspended, limit 60s, elapsed 60s", "a suspended -> notRunning",
            ])
    }

    @Test("The time limit kills an app that was asked to end")
    func timeLimitTerminating() {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(60) })
        scenario.after(.seconds(58)).quit()
        #expect(scenario.run(.seconds(2)).first?.hasPrefix("kill a time-limit") == true)
    }

    @Test("Time limit and budget due in one step: the time limit is the reason")
    func timeLimitFirst() {
        let scenario = Scenario.inBackground(.with { $0.timeLimit = .seconds(600) }, tasks: "one")
        scenario.run(.seconds(599))
        #expect(scenario.after(.seconds(50)).tick().first?.hasPrefix("kill a time-limit") == true)
    }

    @Test("Home and open don't move the time limit")
    func timeLimitStands() {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(60) })
        scenario.after(.seconds(20)).home()
        scenario.after(.seconds(20)).open()
        #expect(scenario.untilDeadline == "20s")
    }

    // MARK: The end

    @Test("A leader that exits and leaves nothing behind: nobody is signalled, its own status is the app's")
    func ownStatus() {
        for code: UInt8 in [0, 1, 3, 255] {
            let scenario = Scenario()
            #expect(scenario.leaderExits(code) == ["sweep a waits"])
            #expect(scenario.treeGone() == ["a active -> notRunning", "ended a exit \(code)"])
            #expect(scenario.supervisor.app(.a) == nil)
            #expect(scenario.untilDeadline == nil)
        }
    }

    @Test("A signal nobody here sent is raised again")
    func raised() {
        for signal: Int32 in [6, 9, 11, 15] {
            let scenario = Scenario()
            scenario.leaderDies(of: signal)
            #expect(scenario.treeGone().last == "ended a raise \(signal)")
        }
    }

    @Test("Quit while running: the program's own status if it ends within the limit")
    func quitOwnStatus() {
        let scenario = Scenario()
        scenario.quit()
        scenario.after(.seconds(4)).leaderExits(3)
        #expect(scenario.treeGone().last == "ended a exit 3")
    }

    @Test("Quit while running: 143 if our SIGTERM ended it")
    func quitSigterm() {
        let scenario = Scenario()
        scenario.quit()
        scenario.leaderDies(of: 15)
        #expect(scenario.treeGone().last == "ended a exit 143")
    }

    @Test("Quit while running, ended by another signal: raised")
    func quitOtherSignal() {
        let scenario = Scenario()
        scenario.quit()
        scenario.leaderDies(of: 11)
        #expect(scenario.treeGone().last == "ended a raise 11")
    }

    @Test("Quit, aware, ended by a SIGTERM that wasn't ours: raised")
    func quitForeignSigterm() {
        let scenario = Scenario.aware()
        scenario.quit()
        scenario.leaderDies(of: 15)
        #expect(scenario.treeGone().last == "ended a raise 15")
    }

    @Test("A leader that exits in background closes its tasks without a kill")
    func exitInBackground() {
        let scenario = Scenario.inBackground(tasks: "one")
        #expect(scenario.leaderExits(0) == ["sweep a waits"])
        #expect(scenario.openTasks().isEmpty)
        #expect(scenario.treeGone() == ["a background -> notRunning", "ended a exit 0"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("A leader that dies while suspended ends the app; home's request is answered")
    func exitWhileSuspending() {
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home(request: 1)
        #expect(
            scenario.leaderDies(of: 9) == ["sweep a kills", "a background -> notRunning", "reply 1: notRunning"])
    }

    @Test("Once its leader is gone, what it left behind is refused all but its end")
    func beginAfterExit() {
        let scenario = Scenario()
        scenario.leaderExits(0)
        scenario.remains()
        #expect(scenario.begin() == ["reply 0: error terminating"])
        #expect(scenario.home(request: 1) == ["reply 1: active"])
        #expect(scenario.open(request: 2) == ["reply 2: active"])
        #expect(scenario.quit(request: 3) == ["reply 3: active"])
    }

    // MARK: What the leader left behind

    private static let restIsKilled = ["sweep a kills", "a active -> notRunning"]

    @Test("When the leader exits, the rest is asked to end, and killed once the time for that is over")
    func restIsAsked() {
        let scenario = Scenario()
        scenario.after(.seconds(3)).leaderExits(3)
        #expect(scenario.remains() == ["SIGTERM a"])
        #expect(scenario.untilDeadline == "5s")
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == Self.restIsKilled)
        #expect(scenario.untilDeadline == nil)
        // COMMAND's own status, and nobody says that it was killed.
        #expect(scenario.treeGone() == ["ended a exit 3, the rest killed after 5s"])
    }

    @Test("As soon as the rest is gone it is over")
    func restEnds() {
        let scenario = Scenario()
        scenario.leaderExits(0)
        scenario.remains()
        scenario.after(.seconds(2))
        #expect(scenario.treeGone() == ["a active -> notRunning", "ended a exit 0"])
    }

    @Test("Quit, the whole tree has the time to end, though the leader dies of the signal at once")
    func quitRest() {
        let scenario = Scenario()
        scenario.quit()
        scenario.after(.seconds(1)).leaderDies(of: 15)
        // It has had the signal with the leader.
        #expect(scenario.remains().isEmpty)
        #expect(scenario.untilDeadline == "4s")
        #expect(scenario.quit(request: 1) == ["reply 1: active"])
        #expect(scenario.run(.seconds(4)) == Self.restIsKilled)
        #expect(scenario.treeGone() == ["ended a exit 143, the rest killed after 5s"])
    }

    @Test("Quit, aware: the rest is asked by the signal once the leader is gone, and has its time from then")
    func quitRestOfAware() {
        let scenario = Scenario.aware()
        scenario.quit()
        scenario.after(.seconds(4)).leaderExits(0)
        #expect(scenario.remains() == ["SIGTERM a"])
        #expect(scenario.untilDeadline == "5s")
        #expect(scenario.ack(3) == ["note a willTerminate #3 acknowledged"])
        #expect(scenario.run(.seconds(5)) == Self.restIsKilled)
    }

    @Test("Suspended, the rest is killed at once; with --terminate-suspended=wake it is resumed and asked")
    func suspendedRest() {
        #expect(Scenario.suspended().leaderDies(of: 9) == ["sweep a kills", "a suspended -> notRunning"])
        let scenario = Scenario.suspended(.with { $0.terminateSuspended = .wake })
        #expect(scenario.leaderDies(of: 9) == ["sweep a waits"])
        #expect(scenario.remains() == ["a suspended -> background", "resume a", "SIGTERM a"])
        #expect(scenario.run(.seconds(5)) == ["sweep a kills", "a background -> notRunning"])
        #expect(scenario.treeGone() == ["ended a raise 9, the rest killed after 5s"])
    }

    @Test("What a terminal has stopped is continued, so that it hears the signal")
    func stoppedRest() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.stoppedByTerminal()
        scenario.leaderExits(0)
        #expect(scenario.remains() == ["resume a", "SIGTERM a"])
    }

    @Test("No time to end, and all of it")
    func restLimits() {
        let none = Scenario(.with { $0.terminateLimit = .zero })
        none.leaderExits(0)
        #expect(none.remains() == ["SIGTERM a"] + Self.restIsKilled)
        let all = Scenario(.with { $0.terminateLimit = .infinite })
        all.leaderExits(0)
        #expect(all.remains() == ["SIGTERM a"])
        #expect(all.untilDeadline == nil)
    }

    @Test("The time limit holds for the rest too; the leader has kept to it")
    func restAtTimeLimit() {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(10) })
        scenario.after(.seconds(8)).leaderExits(3)
        scenario.remains()
        #expect(scenario.run(.seconds(2)) == Self.restIsKilled)
        #expect(scenario.treeGone() == ["ended a exit 3, the rest killed after 2s"])
    }

    @Test("What it had by the time limit counts from when it was asked, be that with its leader")
    func restOfQuitAtTimeLimit() {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(10) })
        scenario.after(.seconds(7)).quit()
        scenario.after(.seconds(1)).leaderDies(of: 15)
        scenario.remains()
        #expect(scenario.run(.seconds(2)) == Self.restIsKilled)
        #expect(scenario.treeGone() == ["ended a exit 143, the rest killed after 3s"])
    }

    @Test("Its memory limit holds for the rest too")
    func memoryOfRest() {
        let scenario = Scenario(.memory(fatal: 100))
        scenario.leaderExits(0)
        scenario.remains()
        #expect(scenario.measured(101).first?.hasPrefix("kill a memory-limit") == true)
        #expect(scenario.treeGone() == ["ended a exit 137 memory-limit"])
    }

    @Test("A debugger holds off the kill of the rest")
    func tracedRest() {
        let scenario = Scenario()
        scenario.leaderExits(0)
        scenario.remains()
        scenario.tracer = true
        #expect(scenario.run(.seconds(60)) == ["note a traced"])
        scenario.tracer = false
        #expect(scenario.run(.seconds(6)) == ["note a no longer traced"] + Self.restIsKilled)
    }

    @Test("Once killed, begin is refused: terminating")
    func beginAfterKill() {
        let scenario = Scenario.suspended()
        scenario.quit()
        #expect(scenario.begin() == ["reply 0: error terminating"])
    }

    @Test("A kill is one kill: nothing follows it but the end")
    func killOnce() {
        let scenario = Scenario.aware(
            .with {
                $0.timeLimit = .seconds(700)
                $0.memory = MemoryPolicy(fatalLimit: 100, isEnforcedByKernel: true)
            })
        scenario.send(.app(.a, .memoryLimitHit(bytes: 120)))
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.after(.seconds(1_000)).tick().isEmpty)
        #expect(scenario.quit().isEmpty)
        #expect(scenario.send(.app(.a, .memoryLimitHit(bytes: 130))).isEmpty)
        #expect(scenario.hello(connection: 4).isEmpty)
        #expect(scenario.home().isEmpty)
        #expect(scenario.leaderDies(of: 9).isEmpty)
        #expect(scenario.treeGone() == ["ended a exit 137 memory-limit"])
    }

    @Test("A leader's exit is heard once")
    func exitOnce() {
        let scenario = Scenario()
        scenario.leaderExits(4)
        #expect(scenario.leaderExits(5).isEmpty)
        #expect(scenario.treeGone().last == "ended a exit 4")
    }

    @Test("--wait-all: the leader's exit changes no state, the tree's end ends the app")
    func waitsForTree() {
        let scenario = Scenario(.with { $0.waitsForTree = true })
        #expect(scenario.leaderExits(3) == ["sweep a waits"])
        #expect(scenario.remains().isEmpty)
        #expect(scenario.state() == .active)
        #expect(scenario.home().last == "a background -> suspended")
        #expect(scenario.open() == ["a suspended -> active", "resume a"])
        #expect(scenario.treeGone() == ["a active -> notRunning", "ended a exit 3"])
    }

    @Test("--wait-all: the rest of the tree is still held to its budget")
    func waitsForTreeBudget() {
        let scenario = Scenario(.with { $0.waitsForTree = true })
        scenario.begin(owner: 2)
        scenario.leaderExits(0)
        scenario.home()
        #expect(scenario.run(.seconds(600)).contains("a background -> notRunning"))
        #expect(scenario.treeGone() == ["ended a exit 124 background-task-timeout"])
    }

    @Test("The whole tree gone answers home's request")
    func treeGoneAnswers() {
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home(request: 1)
        #expect(
            scenario.treeGone() == ["a background -> notRunning", "reply 1: notRunning", "ended a exit 125"])
    }

    // MARK: Reasons

    @Test("Each reason's word, code and status")
    func reasons() {
        let table: [(KillReason, String, String?, Int32)] = [
            (.launchWatchdog, "launch-watchdog", "0x8badf00d", 124),
            (.sceneUpdateWatchdog, "scene-update-watchdog", "0x8badf00d", 124),
            (.processExitWatchdog, "process-exit-watchdog", "0x8badf00d", 124),
            (.backgroundTaskTimeout, "background-task-timeout", "0x2182bad2", 124),
            (.timeLimit, "time-limit", nil, 124),
            (.memoryLimit, "memory-limit", "jetsam 7", 137),
            (.tooManyTasks, "too-many-tasks", "0xd00d2bad", 137),
            (.userQuit, "user-quit", "0xdeadfa11", 137),
            (.supervisorExit, "supervisor-exit", nil, 125),
        ]
        for (reason, word, code, status) in table {
            #expect(reason.rawValue == word)
            #expect(reason.code == code)
            #expect(reason.exitStatus == status)
        }
    }

    @Test("Each rejection's word")
    func rejections() {
        #expect(Set(Rejection.allCases.map(\.rawValue)).isSuperset(of: ["expired", "terminating", "not-running"]))
        #expect(Rejection.expired.message == "the background budget is spent")
        #expect(Rejection.tooManyTasks.message == "over 1000 background tasks are open")
    }
}
