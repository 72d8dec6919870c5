import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("The apps that a server knows")
struct ServedAppsTests {
    private var apps = ServedApps()

    private func definition(_ name: String, restart: RestartCondition = .never) -> ServedDefinition {
        let words = OwnedStrings(["true"])
        let manifest = Manifest(
            arguments: UnsafePointer(words.pointer), argumentCount: words.count, policy: Policy(profile: .ios4))
        let definition = ServedDefinition(name: name, plan: RunPlan(manifest, SupervisorOptions()), owner: words)
        definition.restart = restart
        return definition
    }

    /// Why it is restored, where it is.
    @discardableResult
    private mutating func launch(
        _ name: String, _ number: Int, restart: RestartCondition = .never, inBackground: Bool = false
    ) -> EndReason? {
        let reason = apps.prepare(definition(name, restart: restart))
        apps.launched(name, as: AppID(number), inBackground: inBackground)
        return reason
    }

    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

    @Test("One that runs is known by its name and by its number")
    mutating func running() {
        launch("web", 1)
        #expect(apps.app(named: "web") == AppID(1))
        #expect(apps[AppID(1)]?.name == "web")
        #expect(apps.running == [AppID(1)])
        #expect(apps["web"]?.launches == 1)
    }

    @Test("One that has ended stays in the list, with how it ended")
    mutating func ended() {
        launch("web", 1)
        apps.ended(AppID(1), .sample(leader: .exited(code: 3)), life: .seconds(5), at: at(7))
        #expect(apps.app(named: "web") == nil)
        #expect(apps[AppID(1)] == nil)
        #expect(apps.runningCount == 0)
        #expect(apps.list.names == ["web"])
        #expect(apps["web"]?.end?.reason == .exit)
        #expect(apps["web"]?.status == 3)
        #expect(apps["web"]?.endedAt == at(7))
        #expect(apps["web"]?.lastApp == AppID(1))
    }

    @Test("A signal is told as a shell tells it")
    mutating func signal() {
        launch("web", 1)
        apps.ended(AppID(1), .sample(leader: .signaled(signal: 9, dumpedCore: false)), life: .seconds(5), at: at(0))
        #expect(apps["web"]?.status == 137)
    }

    @Test("The list has the last that was used first; what comes by itself keeps its place")
    mutating func order() {
        launch("one", 1)
        launch("two", 2)
        #expect(apps.list.names == ["two", "one"])
        apps.opened(AppID(1))
        #expect(apps.list.names == ["one", "two"])
        apps.ended(AppID(2), .sample(), life: .seconds(1), at: at(1))
        launch("two", 3, inBackground: true)
        #expect(apps.list.names == ["one", "two"])
    }

    @Test("Removed, it is off the list once it has ended")
    mutating func removed() {
        launch("web", 1)
        apps[AppID(1)]?.request = .remove
        #expect(apps.list.names == ["web"])
        apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(1))
        #expect(apps.list.names.isEmpty)
    }

    @Test("One that couldn't be launched the first time is none")
    mutating func failed() {
        _ = apps.prepare(definition("web"))
        apps.failed("web")
        #expect(apps["web"] == nil)
        launch("db", 1)
        apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(1))
        _ = apps.prepare(definition("db"))
        apps.failed("db")
        #expect(apps.list.names == ["db"])
    }

    @Test("Ended for others' sake it is restored, and not once it has quit")
    mutating func restored() {
        #expect(launch("web", 1) == nil)
        apps.ended(AppID(1), .sample(kill: .sample(.memoryPressure)), life: .seconds(60), at: at(1))
        #expect(launch("web", 2) == .kill(.memoryPressure))
        apps[AppID(2)]?.request = .quit
        apps.ended(AppID(2), .sample(kill: .sample(.memoryPressure)), life: .seconds(60), at: at(2))
        #expect(launch("web", 3) == nil)
    }

    @Test("What restarts does so after its pause, unless somebody has launched it meanwhile")
    mutating func restart() {
        launch("web", 1, restart: .always)
        let due = apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(10))
        #expect(due == at(11))
        #expect(apps.nextRestart == at(11))
        #expect(apps.dueRestarts(at: at(10)).isEmpty)
        #expect(apps.dueRestarts(at: at(11)).map(\.name) == ["web"])
        launch("web", 2, restart: .always)
        #expect(apps.nextRestart == nil)
        // The second pause is longer.
        #expect(apps.ended(AppID(2), .sample(), life: .seconds(1), at: at(20)) == at(22))
        apps.remove("web")
        #expect(apps.nextRestart == nil)
    }

    private func record(_ name: String, launches: Int) -> AppRecord {
        var record = AppRecord(name: name, source: .manifest, command: ["true"])
        record.launches = launches
        return record
    }

    @Test("As a server before has kept it, it goes on: its launches, its end and whether it is restored")
    mutating func restoredFromRecords() {
        let end = RunEnd(.kill(.supervisorExit), life: .seconds(60))
        apps.restore(record("web", launches: 4), nil, end, at: at(1))
        apps.restore(record("db", launches: 1), definition("db"), nil, at: at(1))
        apps.restoreList(mostRecentFirst: ["web", "db"], removed: ["old"])
        #expect(apps.list.names == ["web", "db"])
        #expect(apps["web"]?.definition == nil)
        #expect(apps["web"]?.end == end)
        #expect(!apps.list.mayLaunchInBackground("old"))
        #expect(launch("web", 1) == .kill(.supervisorExit))
        #expect(apps["web"]?.launches == 5)
        #expect(launch("db", 2) == nil)
    }

    @Test("What was killed with a server is launched again where it is to be", arguments: RestartCondition.allCases)
    mutating func unseen(condition: RestartCondition) {
        let end = RunEnd.unseen(isReboot: false, life: .zero)
        apps.restore(record("web", launches: 1), nil, end, at: at(1))
        apps.plan(restartOf: "web", condition, at: at(5))
        #expect(apps.nextRestart == (condition == .never ? nil : at(6)))
        apps.plan(restartOf: "unknown", condition, at: at(5))
        #expect(apps["unknown"] == nil)
    }

    @Test("The request of one run isn't the next one's")
    mutating func request() {
        launch("web", 1)
        apps[AppID(1)]?.request = .quit
        apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(1))
        launch("web", 2)
        #expect(apps["web"]?.request == nil)
    }

    @Test("A number that was given back is another app's, and other than it was")
    func numbers() {
        var numbers = AppNumbers()
        let first = numbers.take()
        let second = numbers.take()
        #expect(first.slot != second.slot)
        numbers.giveBack(first)
        let third = numbers.take()
        #expect(third.slot == first.slot)
        #expect(third != first)
    }
}
