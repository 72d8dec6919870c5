import CurfewCore
import Testing

@Suite("Several apps, one in front")
struct SeveralAppsTests {
    @Test("Launching another app sends the first one home, before it starts")
    func secondLaunch() {
        let scenario = Scenario()
        #expect(
            scenario.start(.b) == [
                "a active -> background", "b notRunning -> active", "suspend a", "a background -> suspended",
            ])
        #expect(scenario.supervisor.foregroundApp == .b)
    }

    @Test("Launching into background sends nobody home")
    func backgroundLaunch() {
        let scenario = Scenario()
        #expect(scenario.start(.b, inBackground: true) == ["b notRunning -> background"])
        #expect(scenario.supervisor.foregroundApp == .a)
    }

    @Test("Opening another app is home for the one in front, with its events")
    func openAnother() {
        let scenario = Scenario.aware()
        scenario.start(.b, inBackground: true)
        #expect(
            scenario.open(.b) == [
                "a active -> background", "a <- willResignActive #3 to 1", "a <- didEnterBackground #4 5s to 1",
                "b background -> active",
            ])
    }

    @Test("Opening to and fro, one is always in front")
    func toAndFro() {
        let scenario = Scenario()
        scenario.start(.b)
        for app: AppID in [.a, .b, .a, .b] {
            scenario.open(app)
            #expect(scenario.supervisor.apps.filter(\.state.isForeground).map(\.id) == [app])
        }
    }

    @Test("Sent home so, an app's budget is refilled and starts")
    func budgetOfTheOther() {
        let scenario = Scenario()
        scenario.begin()
        scenario.start(.b)
        #expect(scenario.after(.seconds(10)).remaining(.a) == "590s")
        scenario.open(.a)
        scenario.open(.b)
        #expect(scenario.remaining(.a) == "600s")
    }

    @Test("Opening an app that can't be opened sends nobody home")
    func openOfDying() {
        let scenario = Scenario()
        scenario.start(.b, inBackground: true)
        scenario.quit(.b)
        #expect(scenario.open(.b, request: 1) == ["reply 1: background"])
        #expect(scenario.supervisor.foregroundApp == .a)
    }

    @Test("Opening the app in front changes nothing for the others")
    func openSame() {
        let scenario = Scenario()
        scenario.start(.b)
        #expect(scenario.open(.b).isEmpty)
        #expect(scenario.state(.a) == .suspended)
    }

    @Test("The end of the app in front opens no other")
    func endOfFront() {
        let scenario = Scenario()
        scenario.start(.b)
        scenario.leaderExits(0, .b)
        scenario.treeGone(.b)
        #expect(scenario.supervisor.foregroundApp == nil)
        #expect(scenario.state(.a) == .suspended)
    }

    @Test("Each app has its own tasks, numbers and budget")
    func ownTasks() {
        let scenario = Scenario()
        scenario.begin("one", .a)
        scenario.home(.a)
        scenario.after(.seconds(100)).start(.b, inBackground: true)
        #expect(scenario.begin("two", .b).last == "reply 0: task 1, 600s left")
        #expect(scenario.remaining(.a) == "500s")
        #expect(scenario.end(1, .b).first == "note b task 1 \"two\" ended")
        #expect(scenario.openTasks(.a) == [1])
    }

    @Test("An owner's death releases its tasks of the app it is told of")
    func ownerOfOneApp() {
        let scenario = Scenario()
        scenario.begin("one", .a, owner: 4)
        scenario.start(.b)
        scenario.begin("two", .b, owner: 4)
        scenario.ownerExits(4, .b)
        #expect(scenario.openTasks(.a) == [1])
        #expect(scenario.openTasks(.b) == [])
    }

    @Test("One tick does what is due for all, in the order of launch")
    func order() {
        let scenario = Scenario.inBackground(tasks: "one")
        for app: AppID in [.c, .b] {
            scenario.start(app, inBackground: true)
            scenario.begin("t", app)
        }
        #expect(
            scenario.after(.seconds(600)).tick() == [
                "note a warned tasks 1", "note c warned tasks 1", "note b warned tasks 1",
            ])
    }

    @Test("Also once one has left, whose place the last has taken")
    func orderAfterAnEnd() {
        let scenario = Scenario.inBackground(tasks: "one")
        for app: AppID in [.c, .b, .d] {
            scenario.start(app, inBackground: true)
            scenario.begin("t", app)
        }
        scenario.quit(.a)
        scenario.treeGone(.a)
        #expect(
            scenario.after(.seconds(600)).tick() == [
                "note c warned tasks 1", "note b warned tasks 1", "note d warned tasks 1",
            ])
    }

    @Test("The next deadline is the earliest of all")
    func earliest() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.start(.b, .with { $0.timeLimit = .seconds(60) })
        #expect(scenario.untilDeadline == "60s")
        scenario.quit(.b)
        #expect(scenario.untilDeadline == "5s")
    }

    @Test("A kill of one leaves the others alone")
    func killOne() {
        let scenario = Scenario.suspended()
        scenario.start(.b)
        let before = scenario.supervisor.app(.a)
        scenario.quit(.b)
        scenario.run(.seconds(5))
        #expect(scenario.supervisor.app(.a) == before)
        #expect(scenario.treeGone(.b) == ["ended b exit 124 process-exit-watchdog"])
        #expect(scenario.supervisor.apps.map(\.id) == [.a])
    }
}
