import CurfewLinux
import Glibc
import Testing

@testable import CurfewCore
@testable import CurfewEngine

@Suite("When a server's apps fetch")
struct ScheduleFetchTests {
    private let scene = ServeScene()

    /// It says that it fetches as often as may be.
    init() {
        scene.definitions.define("mail")
        scene.definitions.reloaded.fetchIntervals = ["mail": .zero]
        scene.ask("reload id=1")
    }

    private var schedule: FetchSchedule? { scene.host.desk.schedules["mail"]?.fetch }
    /// What was kept of each fetch: how many before found nothing.
    private var fetches: [String] { scene.records?.noted.filter { $0.hasPrefix("fetch ") } ?? [] }

    private func launchBehind() {
        scene.launch("mail")
        scene.launch("music")
    }

    // MARK: By itself

    @Test("One that doesn't run is launched into background for it, and that is kept")
    func launched() {
        scene.host.desk.fetch("mail")
        #expect(scene.state("mail") == .background)
        #expect(schedule?.rule.lastFetch != nil)
        #expect(schedule?.obstacle == nil)
        #expect(fetches == ["fetch mail 0"])
    }

    @Test("One that is suspended is woken for it")
    func woken() {
        launchBehind()
        #expect(scene.state("mail") == .suspended)
        scene.host.desk.fetch("mail")
        #expect(scene.state("mail") == .background)
        #expect(fetches == ["fetch mail 0"])
        #expect(scene.programs.started == 2)
    }

    /// Tried now: whether that is the reason to try it again later, and nothing else has come of it.
    private func isPutOff(because obstacle: ScheduleObstacle) -> Bool {
        let before = schedule?.due
        scene.host.desk.fetch("mail")
        guard let before, let due = schedule?.due else { return false }
        return schedule?.obstacle == obstacle && due > before && fetches.isEmpty
    }

    private static let obstacles: [(ScheduleObstacle, @Sendable (inout MachineReading) -> Void)] = [
        (.shortOfMemory, { $0.memoryStall = 11 }), (.shortOfCPU, { $0.cpuStall = 61 }),
        (.offline, { $0.isOnline = false }),
        (
            .batteryLow,
            {
                $0.isOnPower = false
                $0.batteryLevel = 19
            }
        ),
    ]

    @Test("It waits while the machine has no room for it", arguments: 0..<4)
    func machine(number: Int) {
        let (obstacle, change) = Self.obstacles[number]
        change(&scene.reading)
        #expect(isPutOff(because: obstacle))
        #expect(scene.state("mail") == nil)
    }

    @Test("A machine that is busy and no more, or runs on a battery that isn't low, has room")
    func room() {
        scene.reading.memoryStall = 10
        scene.reading.cpuStall = 60
        scene.reading.isOnPower = false
        scene.reading.batteryLevel = 20
        scene.host.desk.fetch("mail")
        #expect(scene.state("mail") == .background)
    }

    @Test("In front the app sees for itself")
    func inFront() {
        scene.launch("mail")
        #expect(isPutOff(because: .appInFront))
    }

    @Test("What can't be launched is tried again")
    func unlaunchable() {
        scene.programs.error = SpawnError(stage: .exec, errno: ENOENT)
        #expect(isPutOff(because: .cantBeLaunched))
        #expect(scene.state("mail") == nil)
    }

    @Test("So is one that is being ended, and hears of nothing")
    func ending() {
        launchBehind()
        scene.ask("quit id=1 app=mail")
        #expect(isPutOff(because: .cantBeLaunched))
    }

    @Test("So is one whose manifest has lost the mode for it")
    func withoutMode() {
        scene.definitions.define("mail").plan.manifest.policy.backgroundModes = BackgroundModes([])
        #expect(isPutOff(because: .cantBeLaunched))
        #expect(scene.programs.started == 0)
    }

    // MARK: By hand

    @Test("By hand it is launched whatever the machine is like, and that counts")
    func launchedByHand() {
        scene.reading.cpuStall = 90
        scene.reading.isOnline = false
        #expect(scene.ask("fetch id=2 app=mail") == ["ok id=2 state=background"])
        #expect(fetches == ["fetch mail 0"])
    }

    @Test("So is it woken; in front it is only told")
    func wokenByHand() {
        launchBehind()
        #expect(scene.ask("fetch id=2 app=mail") == ["ok id=2 state=background"])
        #expect(fetches == ["fetch mail 0"])
        scene.ask("open id=3 app=mail")
        #expect(scene.ask("fetch id=4 app=mail") == ["ok id=4 state=active"])
    }

    @Test("What is refused isn't a fetch")
    func refusedByHand() {
        scene.definitions.define("mail").plan.manifest.policy.backgroundModes = BackgroundModes([])
        #expect(scene.code("fetch id=2 app=mail") == "no-background-mode")
        scene.ask("launch id=3 app=mail")
        #expect(scene.code("fetch id=2 app=mail") == "no-background-mode")
        #expect(scene.code("fetch id=2 app=unknown") == "no-app")
        #expect(fetches.isEmpty)
        #expect(schedule?.rule.lastFetch == nil)
    }

    // MARK: What came of it

    private func completes(_ event: String, _ result: FetchResult) throws {
        let app = try #require(scene.host.app(called: "mail"))
        scene.host.completed(.wake(event), result, by: app)
    }

    @Test("A fetch that finds nothing makes the next one wait longer, one that finds something doesn't; both are kept")
    func completed() throws {
        scene.host.desk.fetch("mail")
        try completes("fetch", .noData)
        #expect(schedule?.rule.interval == FetchRule.shortestInterval + FetchRule.shortestInterval)
        try completes("fetch", .failed)
        try completes("fetch", .newData)
        #expect(schedule?.rule.interval == FetchRule.shortestInterval)
        #expect(fetches == ["fetch mail 0", "fetch mail 1", "fetch mail 1", "fetch mail 0"])
    }

    @Test("What comes of another event says nothing of fetching, nor does one of an app that never fetches")
    func completedOther() throws {
        scene.host.desk.fetch("mail")
        try completes("push", .noData)
        #expect(fetches == ["fetch mail 0"])
        scene.definitions.reloaded.fetchIntervals = [:]
        scene.ask("reload id=2")
        try completes("fetch", .noData)
        #expect(fetches == ["fetch mail 0"])
    }
}
