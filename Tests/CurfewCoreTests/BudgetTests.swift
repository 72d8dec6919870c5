import CurfewCore
import Testing

@Suite("Budget rules")
struct BudgetTests {
    // MARK: Rule 1

    @Test("A second begin buys no time")
    func secondBegin() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.after(.seconds(100))
        #expect(scenario.begin("two") == ["note a task 2 \"two\" begun", "reply 0: task 2, 500s left"])
        #expect(scenario.untilDeadline == "495s")
    }

    @Test("Late tasks get what is left")
    func lateTask() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.after(.milliseconds(594_999))
        #expect(scenario.begin("two").last == "reply 0: task 2, 5.001s left")
        #expect(scenario.run(.milliseconds(1)) == ["note a warned tasks 1,2"])
    }

    @Test("Ending one of two tasks buys no time either")
    func endOfOne() {
        let scenario = Scenario.inBackground(tasks: "one", "two")
        scenario.after(.seconds(10)).end(1)
        #expect(scenario.remaining() == "590s")
        #expect(scenario.untilDeadline == "585s")
    }

    // MARK: Rule 2

    @Test("In the foreground, remaining is infinite")
    func foregroundRemaining() {
        let scenario = Scenario()
        #expect(scenario.begin() == ["note a task 1 \"t\" begun", "reply 0: task 1, inf left"])
        #expect(scenario.remaining() == "inf")
    }

    @Test("The clock runs only in background")
    func clockInForeground() {
        let scenario = Scenario()
        scenario.begin()
        #expect(scenario.after(.seconds(10_000)).tick().isEmpty)
        scenario.home()
        #expect(scenario.remaining() == "600s")
        #expect(scenario.after(.seconds(1)).remaining() == "599s")
    }

    @Test("Before the program runs, remaining is infinite, and the full budget for a background launch")
    func remainingBeforeStart() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions())))
        scenario.send(.app(.b, .launch(Policy(profile: .ios4), LaunchOptions(inBackground: true))))
        #expect(scenario.remaining(.a) == "inf")
        #expect(scenario.after(.seconds(9)).remaining(.b) == "600s")
    }

    @Test("Open, from background: the clock stops, open tasks stay open")
    func openMidTask() {
        let scenario = Scenario.inBackground(tasks: "one", "two")
        #expect(scenario.after(.seconds(599)).open().first == "a background -> active")
        #expect(scenario.openTasks() == [1, 2])
        #expect(scenario.remaining() == "inf")
        #expect(scenario.run(.seconds(10_000)).isEmpty)
    }

    @Test("Open after the warning takes the threat away")
    func openAfterWarning() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.seconds(599))
        scenario.open()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.begin("two") == ["note a task 2 \"two\" begun", "reply 0: task 2, inf left"])
    }

    @Test("Suspended, the budget stands")
    func suspendedClock() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.after(.seconds(60)).end(1)
        #expect(scenario.after(.seconds(1_000)).remaining() == "540s")
    }

    // MARK: Rule 3

    @Test("Every foreground to background edge refills the budget")
    func refill() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.after(.seconds(500)).open()
        scenario.home()
        #expect(scenario.remaining() == "600s")
        #expect(scenario.untilDeadline == "595s")
    }

    @Test("An edge refills a spent budget, and warns anew")
    func refillAfterWarning() {
        let scenario = Scenario.inBackground(tasks: "one")
        #expect(scenario.run(.seconds(595)) == ["note a warned tasks 1"])
        scenario.open()
        scenario.home()
        #expect(scenario.run(.milliseconds(594_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["note a warned tasks 1"])
    }

    @Test("begin never refills the budget, not even when no task was open")
    func beginNoRefill() {
        let scenario = Scenario(.with { $0.grace = .seconds(200) })
        scenario.home()
        #expect(scenario.after(.seconds(100)).begin().last == "reply 0: task 1, 500s left")
        scenario.after(.seconds(50)).end(1)
        #expect(scenario.after(.seconds(10)).begin().last == "reply 0: task 2, 440s left")
    }

    // MARK: Rule 4

    @Test("Lead seconds before the end, each open task gets backgroundTaskWillExpire")
    func warning() {
        let scenario = Scenario.aware()
        scenario.begin("one")
        scenario.begin("two")
        scenario.home()
        scenario.ack(4)
        #expect(scenario.after(.milliseconds(594_999)).tick().isEmpty)
        #expect(
            scenario.after(.milliseconds(1)).tick() == [
                "note a warned tasks 1,2", "a <- backgroundTaskWillExpire #5 task 1 5s to 1",
                "a <- backgroundTaskWillExpire #6 task 2 5s to 1",
            ])
    }

    @Test("The warning comes once")
    func warnedOnce() {
        let scenario = Scenario.inBackground(tasks: "one")
        #expect(scenario.run(.seconds(595)) == ["note a warned tasks 1"])
        #expect(scenario.tick().isEmpty)
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
    }

    @Test("At the end, a task still open means the app is killed, and the report names tasks and ages")
    func kill() {
        let scenario = Scenario()
        scenario.begin("upload")
        scenario.after(.seconds(1)).home()
        scenario.after(.seconds(9)).begin("index")
        #expect(scenario.run(.seconds(586)) == ["note a warned tasks 1,2"])
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == [
                "kill a background-task-timeout in background, limit 600s, task 1 \"upload\" 601s, "
                    + "task 2 \"index\" 591s",
                "a background -> notRunning",
            ])
    }

    @Test("All ended in time: suspended")
    func endedInTime() {
        let scenario = Scenario.inBackground(tasks: "one", "two")
        scenario.run(.seconds(596))
        #expect(scenario.end(1) == ["note a task 1 \"one\" ended", "reply 0: task 1 ended"])
        #expect(
            scenario.end(2) == [
                "note a task 2 \"two\" ended", "reply 0: task 2 ended", "suspend a", "a background -> suspended",
            ])
        #expect(scenario.run(.seconds(100)).isEmpty)
    }

    @Test("The last end in background: suspended, not killed")
    func lastEnd() {
        let scenario = Scenario.inBackground(tasks: "one")
        #expect(
            scenario.after(.seconds(3)).end(1) == [
                "note a task 1 \"one\" ended", "reply 0: task 1 ended", "suspend a", "a background -> suspended",
            ])
    }

    @Test("The last end at the very end of the budget: suspended")
    func lastEndAtEnd() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.seconds(599))
        #expect(scenario.after(.seconds(1)).end(1).last == "a background -> suspended")
    }

    @Test("The last end in the foreground changes no state")
    func lastEndInForeground() {
        let scenario = Scenario()
        scenario.begin()
        #expect(scenario.end(1) == ["note a task 1 \"t\" ended", "reply 0: task 1 ended"])
        #expect(scenario.state() == .active)
    }

    @Test("No task open: the budget's end does nothing")
    func noTask() {
        let scenario = Scenario(
            .with {
                $0.grace = .seconds(1_000)
                $0.backgroundBudget = .seconds(10)
            })
        scenario.home()
        #expect(scenario.run(.seconds(999)).isEmpty)
        #expect(scenario.state() == .background)
    }

    // MARK: Rule 5

    @Test("begin after expiration was delivered is refused")
    func beginAfterWarning() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.seconds(595))
        #expect(scenario.begin("two") == ["reply 0: error expired"])
        #expect(scenario.openTasks() == [1])
    }

    @Test("begin after expiration is refused even when the warned tasks have ended")
    func beginAfterWarnedEnd() {
        let scenario = Scenario.inBackground(.with { $0.grace = .seconds(700) }, tasks: "one")
        scenario.run(.seconds(595))
        scenario.end(1)
        #expect(scenario.begin("two") == ["reply 0: error expired"])
    }

    @Test("begin with nothing left is refused")
    func beginWithNothingLeft() {
        let scenario = Scenario(.with { $0.grace = .seconds(700) })
        scenario.home()
        #expect(scenario.after(.seconds(600)).begin() == ["reply 0: error expired"])
    }

    @Test("begin with the last nanosecond left is accepted, and warned at once")
    func beginWithLittleLeft() {
        let scenario = Scenario(.with { $0.grace = .seconds(700) })
        scenario.home()
        scenario.after(Span(nanoseconds: 599_999_999_999))
        #expect(
            scenario.begin() == [
                "note a task 1 \"t\" begun", "reply 0: task 1, 0.000000001s left", "note a warned tasks 1",
            ])
        #expect(scenario.untilDeadline == "5s")
    }

    @Test("The invalid identifier is 0, and no task ever has it")
    func invalidIdentifier() {
        #expect(TaskID.invalid == TaskID(0))
        let scenario = Scenario()
        scenario.begin()
        #expect(scenario.openTasks() == [1])
        #expect(scenario.end(0) == ["note a unknown task 0 ended", "reply 0: task 0 unknown"])
    }

    @Test("A number is never given to a second task")
    func numbers() {
        let scenario = Scenario()
        scenario.begin()
        scenario.end(1)
        scenario.begin()
        #expect(scenario.openTasks() == [2])
    }

    // MARK: Rule 6

    @Test("Ending an unknown task is ignored and logged")
    func unknownEnd() {
        let scenario = Scenario.inBackground(tasks: "one")
        #expect(scenario.end(9) == ["note a unknown task 9 ended", "reply 0: task 9 unknown"])
        #expect(scenario.state() == .background)
    }

    @Test("Ending an already ended task is ignored and logged")
    func doubleEnd() {
        let scenario = Scenario.inBackground(tasks: "one", "two")
        scenario.end(1)
        #expect(scenario.end(1) == ["note a unknown task 1 ended", "reply 0: task 1 unknown"])
        #expect(scenario.openTasks() == [2])
    }

    @Test("A task whose owner died is released")
    func ownerDies() {
        let scenario = Scenario.inBackground(tasks: "one")
        #expect(
            scenario.ownerExits() == [
                "note a task 1 \"one\" released", "suspend a", "a background -> suspended",
            ])
    }

    @Test("Only the dead owner's tasks are released, in their order")
    func twoOwners() {
        let scenario = Scenario()
        for (name, owner) in [("one", 1), ("two", 2), ("three", 1)] { scenario.begin(name, owner: owner) }
        scenario.home()
        #expect(
            scenario.ownerExits(1) == ["note a task 1 \"one\" released", "note a task 3 \"three\" released"])
        #expect(scenario.openTasks() == [2])
        #expect(scenario.ownerExits(1).isEmpty)
        #expect(scenario.ownerExits(2).last == "a background -> suspended")
    }

    @Test("An owner without tasks may die unnoticed")
    func strangerDies() {
        #expect(Scenario.inBackground(tasks: "one").ownerExits(5).isEmpty)
    }

    @Test("A released task can't be ended any more")
    func endAfterRelease() {
        let scenario = Scenario()
        scenario.begin()
        scenario.ownerExits()
        #expect(scenario.end(1) == ["note a unknown task 1 ended", "reply 0: task 1 unknown"])
    }

    @Test("The warning goes to the connection that began the task, hello or not")
    func warningToBeginner() {
        let scenario = Scenario()
        scenario.begin("one", connection: 8)
        scenario.begin("two")
        scenario.home()
        #expect(
            scenario.run(.seconds(595)) == [
                "note a warned tasks 1,2", "a <- backgroundTaskWillExpire #1 task 1 5s to 8",
            ])
    }

    @Test("The warning goes to aware connections and the beginner, to each once")
    func warningToAll() {
        let scenario = Scenario.aware()
        scenario.hello(connection: 2)
        scenario.begin("one", connection: 8)
        scenario.begin("two", connection: 2)
        scenario.home()
        scenario.ack(4)
        #expect(
            scenario.run(.seconds(595)).dropFirst() == [
                "a <- backgroundTaskWillExpire #5 task 1 5s to 1,2,8",
                "a <- backgroundTaskWillExpire #6 task 2 5s to 1,2",
            ])
    }

    @Test("The warning needn't be acknowledged")
    func warningUnacknowledged() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.seconds(595))
        #expect(scenario.owed().isEmpty)
    }

    @Test("A connection that closed gets no warning; its task stays open while its owner lives")
    func beginnerCloses() {
        let scenario = Scenario()
        scenario.begin("one", connection: 8)
        scenario.home()
        #expect(scenario.disconnect(connection: 8).isEmpty)
        #expect(scenario.openTasks() == [1])
        #expect(scenario.run(.seconds(595)) == ["note a warned tasks 1"])
    }

    // MARK: Rule 7

    @Test("A late wake-up never warns and kills in one step")
    func lateTick() {
        let scenario = Scenario.inBackground(tasks: "one")
        #expect(scenario.after(.seconds(3_600)).tick() == ["note a warned tasks 1"])
        #expect(scenario.tick().isEmpty)
    }

    @Test("The grace after the warning is owed from its delivery")
    func lateTickGrace() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.after(.seconds(3_600)).tick()
        #expect(scenario.after(.milliseconds(4_999)).tick().isEmpty)
        #expect(
            scenario.after(.milliseconds(1)).tick().first
                == "kill a background-task-timeout in background, limit 600s, task 1 \"one\" 3605s")
    }

    @Test("The budget's end is absolute: an early warning's grace doesn't shorten it")
    func absoluteEnd() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.after(.seconds(597)).tick()
        #expect(scenario.untilDeadline == "5s")
        #expect(scenario.after(.seconds(3)).tick().isEmpty)
        #expect(scenario.after(.seconds(2)).tick().count == 2)
    }

    @Test("A late warning tells the time that is really left")
    func lateWarningTime() {
        let scenario = Scenario()
        scenario.begin(connection: 8)
        scenario.home()
        #expect(
            scenario.after(.seconds(598)).tick().last == "a <- backgroundTaskWillExpire #1 task 1 5s to 8")
    }

    @Test("A budget shorter than the lead: warned at once, killed at its end")
    func budgetBelowLead() {
        let scenario = Scenario(.with { $0.backgroundBudget = .seconds(2) })
        scenario.begin(connection: 8)
        #expect(
            scenario.home() == [
                "a active -> background", "note a warned tasks 1",
                "a <- backgroundTaskWillExpire #1 task 1 2s to 8",
            ])
        #expect(scenario.run(.milliseconds(1_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).count == 2)
    }

    @Test("A budget shorter than the lead, late task: owed min(lead, budget) from its warning")
    func budgetBelowLeadLateTask() {
        let scenario = Scenario(
            .with {
                $0.backgroundBudget = .seconds(2)
                $0.grace = .seconds(10)
            })
        scenario.home()
        #expect(scenario.after(.seconds(1)).begin().last == "note a warned tasks 1")
        #expect(scenario.untilDeadline == "2s")
    }

    @Test("Without a lead, warned and killed at the budget's end")
    func noLead() {
        let scenario = Scenario.inBackground(.with { $0.expirationLead = .zero }, tasks: "one")
        #expect(scenario.run(.milliseconds(599_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == [
                "note a warned tasks 1",
                "kill a background-task-timeout in background, limit 600s, task 1 \"one\" 600s",
                "a background -> notRunning",
            ])
    }

    @Test("An infinite budget never warns nor kills")
    func infiniteBudget() {
        let scenario = Scenario.inBackground(.with { $0.backgroundBudget = .infinite }, tasks: "one")
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.after(.seconds(1_000_000)).tick().isEmpty)
        #expect(scenario.remaining() == "inf")
        #expect(scenario.begin("two").last == "reply 0: task 2, inf left")
        #expect(scenario.end(1).count == 2)
        #expect(scenario.end(2).last == "a background -> suspended")
    }

    @Test("An infinite lead warns at once and owes the whole budget")
    func infiniteLead() {
        let scenario = Scenario(.with { $0.expirationLead = .infinite })
        scenario.begin()
        #expect(scenario.home() == ["a active -> background", "note a warned tasks 1"])
        #expect(scenario.untilDeadline == "600s")
    }

    @Test("An early tick changes nothing")
    func earlyTick() {
        let scenario = Scenario.inBackground(tasks: "one")
        // Not yet a second, after which a debugger is looked for.
        scenario.after(.milliseconds(900))
        let before = scenario.supervisor
        #expect(scenario.tick().isEmpty)
        #expect(scenario.supervisor == before)
    }

    // MARK: The bound on tasks

    @Test("A thousand tasks may be open; one more kills the app")
    func tooManyTasks() {
        let scenario = Scenario()
        for _ in 1..<1000 { scenario.begin() }
        #expect(scenario.begin() == ["note a task 1000 \"t\" begun", "reply 0: task 1000, inf left"])
        #expect(scenario.openTasks().count == 1000)
        let lines = scenario.begin()
        #expect(lines.count == 3)
        #expect(lines.first == "reply 0: error too-many-tasks")
        #expect(lines.dropFirst().first?.hasPrefix("kill a too-many-tasks in active, task 1 ") == true)
        #expect(lines.last == "a active -> notRunning")
        #expect(scenario.treeGone() == ["ended a exit 137 too-many-tasks"])
    }

    @Test("Ended tasks don't count towards the bound")
    func endedTasksDoNotCount() {
        let scenario = Scenario()
        for _ in 1...1000 { scenario.begin() }
        scenario.end(500)
        #expect(scenario.begin().last == "reply 0: task 1001, inf left")
    }

    @Test("Over the bound, but with the budget spent: refused as expired, not killed")
    func tooManyAndExpired() {
        let scenario = Scenario()
        for _ in 1...1000 { scenario.begin() }
        scenario.home()
        scenario.run(.seconds(595))
        #expect(scenario.begin() == ["reply 0: error expired"])
    }
}
