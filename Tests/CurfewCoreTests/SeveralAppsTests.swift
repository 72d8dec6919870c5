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

@Suite("Asleep, and another app in front")
struct AsleepBehindTests {
    /// App a fell asleep in front; b has come there since.
    private func behind(_ scenario: Scenario = .asleep()) -> Scenario {
        scenario.start(.b)
        return scenario
    }

    private static let news = InputNews(kind: "data", text: "data")
    private static let policy = Policy.sleeping(whenIdle: nil) {
        $0.timeout = TimeoutPolicy()
        $0.grace = .seconds(9)
    }

    @Test(
        "Whatever wakes it has it go on behind, and b stays in front",
        arguments: [
            .inputCame(news), .home(stopped: false, request: RequestID(1)), .quit(request: RequestID(1)),
            .wake(PostedEvent("fetch"), request: RequestID(1)),
            .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: RequestID(1)),
            .signalled(2, isHeard: false), .signalled(14, isHeard: false), .abandoned,
        ] as [AppInput])
    func woken(by input: AppInput) {
        let scenario = behind(.asleep(Self.policy))
        let lines = scenario.send(.app(.a, input))
        #expect(lines.contains { $0.hasPrefix("note a woken by") })
        #expect(Array(lines.drop { $0 != "a suspended -> background" }.prefix(2)).last == "resume a", "\(lines)")
        #expect(scenario.supervisor.foregroundApp == .b)
        #expect(scenario.state() == .background)
    }

    @Test("So it does when its leader ends, and when its time is over")
    func ending() {
        let ended = behind()
        #expect(ended.leaderExits(0).contains("a suspended -> background"))
        #expect(ended.supervisor.foregroundApp == .b)
        let timed = behind(
            .asleep(
                .with {
                    $0.timeLimit = .seconds(5)
                    $0.timeout = TimeoutPolicy()
                }))
        #expect(timed.run(.seconds(5)).contains("a suspended -> background"))
        #expect(timed.supervisor.foregroundApp == .b)
    }

    @Test(
        "What doesn't wake it leaves it asleep, whoever is in front",
        arguments: [
            .inputWatched(obstacle: nil), .post(PostedEvent("zone"), request: nil), .hello(ConnectionID(1)),
            .signalled(2, isHeard: false), .abandoned, .interrupt(request: RequestID(1)),
            .dismiss(request: RequestID(1)), .leaderExited(.exited(code: 0)),
            .sleep(stays: true, request: RequestID(1)),
            .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: RequestID(1)),
        ] as [AppInput])
    func notWoken(by input: AppInput) {
        let policy = Policy.sleeping {
            $0.waitsForTree = true
            // No task can be begun.
            $0.backgroundBudget = .zero
        }
        let scenario = behind(.asleep(policy))
        let lines = scenario.send(.app(.a, input))
        #expect(!lines.contains("resume a"), "\(lines)")
        #expect(scenario.isAsleep)
    }

    @Test("Forced, what can't be waited for leaves it asleep; else it is behind, and suspended as at home")
    func obstacle() {
        for isForced in [true, false] {
            let scenario = Scenario(.sleeping(isForced: isForced))
            scenario.sleep(request: 1)
            scenario.start(.b)
            let lines = scenario.watched("x")
            #expect(lines.contains("resume a") == !isForced)
            #expect(scenario.isAsleep == isForced)
            #expect(scenario.supervisor.foregroundApp == .b)
            #expect(lines.last == (isForced ? "reply 1: suspended" : "a background -> suspended") || !isForced)
        }
    }

    @Test("Once the other has left, it wakes where it was")
    func free() {
        let scenario = behind()
        scenario.home(.b)
        #expect(scenario.input().contains("a suspended -> active"))
        #expect(scenario.supervisor.foregroundApp == .a)
    }

    @Test("Who falls asleep leaves its place, and of two the first to wake has it")
    func two() {
        let scenario = behind()
        scenario.sleep(request: 2, .b)
        #expect(scenario.input().contains("a suspended -> active"))
        #expect(scenario.wake("fetch", [], .b).contains("b suspended -> background"))
        #expect(scenario.supervisor.foregroundApp == .a)
    }

    @Test("Opened, it comes to the front, and has never left it")
    func opened() {
        let scenario = behind(.aware(.sleeping()))
        scenario.open(.b)
        scenario.open()
        scenario.sleep()
        scenario.open(.b)
        let lines = scenario.open()
        #expect(lines.contains("a suspended -> active"))
        #expect(!lines.contains { $0.hasPrefix("a <-") })
        #expect(scenario.supervisor.foregroundApp == .a)
    }

    @Test("A plain one has its input as at home: it runs until it is quiet, and hasn't left it on purpose before")
    func plain() {
        let scenario = behind()
        scenario.input()
        #expect(!scenario.tick().contains("suspend a"))
        #expect(scenario.sleep().last == "watch input of a afresh")
        scenario.input()
        scenario.idle()
        #expect(scenario.beIdle(for: .seconds(1)).contains("watch input of a"))
    }

    @Test("Its grace is that of a home, and it yields as there")
    func home() {
        let scenario = behind(
            .asleep(
                .sleeping {
                    $0.grace = .seconds(9)
                    $0.yieldsInBackground = true
                }))
        #expect(scenario.begin().contains("lower priority of a"))
        #expect(!scenario.end(1).contains("suspend a"))
        #expect(scenario.run(.seconds(9)).contains("suspend a"))
    }

    @Test("Before its stop is confirmed it counts as active, and is said to leave")
    func unconfirmed() {
        let scenario = Scenario(.sleeping())
        scenario.confirmsSuspensions = false
        scenario.sleep()
        scenario.start(.b)
        #expect(scenario.wake().contains("a active -> background"))
        #expect(scenario.supervisor.foregroundApp == .b)
    }

    @Test("An app that was never told of its launch hears of that, in background")
    func launch() {
        let scenario = Scenario.asleep()
        scenario.hello()
        scenario.start(.b)
        let lines = scenario.input()
        #expect(lines.contains { $0.hasPrefix("a <- didFinishLaunching") })
        #expect(!lines.contains { $0.hasPrefix("a <- willResignActive") })
    }
}
