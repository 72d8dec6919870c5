import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("The apps that a server knows")
struct ServedAppsTests {
    private var apps = ServedApps()

    /// Why it is restored, where it is.
    @discardableResult
    private mutating func launch(
        _ name: String, _ number: Int, restart: RestartCondition = .never, inBackground: Bool = false
    ) -> EndReason? {
        let reason = apps.restoredEnd(of: name)
        apps.launched(.sample(name, restart: restart), as: AppID(number), inBackground: inBackground)
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

    @Test("Asked to end for its removal, it stays in the list until that is kept")
    mutating func removed() {
        launch("web", 1)
        apps[AppID(1)]?.request = .remove
        apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(1))
        apps.willRemove("web")
        #expect(apps.list.names == ["web"])
        #expect(apps["web"]?.isBeingRemoved == true)
        apps.remove("web")
        #expect(apps.list.names.isEmpty)
        #expect(!apps.list.mayLaunchInBackground("web"))
    }

    @Test("Where a removal can't be kept all is as before, and what has ended for it counts as one that has quit")
    mutating func notRemoved() {
        launch("web", 1)
        apps[AppID(1)]?.request = .remove
        apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(1))
        launch("db", 2, restart: .always)
        apps.ended(AppID(2), .sample(), life: .seconds(1), at: at(10))
        for name in ["web", "db"] { apps.willRemove(name) }
        // Nobody is launched by itself who is to be off the list.
        #expect(apps.nextRestart == nil)
        #expect(apps.dueRestarts(at: at(20)).isEmpty)
        for name in ["web", "db"] { apps.keep(name) }
        #expect(apps.list.names == ["db", "web"])
        #expect(apps["web"]?.request == .quit)
        #expect(apps["db"]?.request == nil)
        #expect(apps.dueRestarts(at: at(20)).map(\.name) == ["db"])
        for name in ["web", "db"] { #expect(apps[name]?.isBeingRemoved == false) }
    }

    @Test("Launched while its removal is being kept, it is in the list")
    mutating func launchedMeanwhile() {
        launch("web", 1)
        apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(1))
        apps.willRemove("web")
        launch("web", 2)
        #expect(apps["web"]?.isBeingRemoved == false)
        #expect(apps["web"]?.launches == 2)
    }

    @Test("To ask why it would be restored changes nothing: a launch can fail")
    mutating func failed() {
        #expect(apps.restoredEnd(of: "web") == nil)
        #expect(apps["web"] == nil)
        launch("web", 1, restart: .always)
        let definition = apps["web"]?.definition
        apps.ended(AppID(1), .sample(kill: .sample(.memoryPressure)), life: .seconds(60), at: at(1))
        for _ in 0..<3 { #expect(apps.restoredEnd(of: "web") == .kill(.memoryPressure)) }
        #expect(apps["web"]?.definition === definition)
        #expect(apps.nextRestart == at(2))
        // Short lives of restored runs count by launches.
        launch("web", 2)
        apps.ended(AppID(2), .sample(kill: .sample(.memoryPressure)), life: .seconds(1), at: at(2))
        for _ in 0..<3 { #expect(apps.restoredEnd(of: "web") == .kill(.memoryPressure)) }
        launch("web", 3)
        apps.ended(AppID(3), .sample(kill: .sample(.memoryPressure)), life: .seconds(1), at: at(3))
        #expect(apps.restoredEnd(of: "web") == nil)
    }

    @Test("What couldn't be launched again is tried again, later each time, or given up")
    mutating func retried() {
        launch("web", 1, restart: .always)
        apps.ended(AppID(1), .sample(), life: .seconds(1), at: at(10))
        #expect(apps.putOffRestart(of: "web", at: at(11)) == .seconds(2))
        #expect(apps.nextRestart == at(13))
        #expect(apps.putOffRestart(of: "web", at: at(13)) == .seconds(4))
        #expect(apps.dueRestarts(at: at(16)).isEmpty)
        #expect(apps.dueRestarts(at: at(17)).map(\.name) == ["web"])
        apps.giveUpRestart(of: "web")
        #expect(apps.nextRestart == nil)
        #expect(apps.putOffRestart(of: "web", at: at(20)) == nil)
        #expect(apps.putOffRestart(of: "unknown", at: at(20)) == nil)
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
        apps.restore(record("db", launches: 1), ServedDefinition.sample("db"), nil, at: at(1))
        apps.restoreList(mostRecentFirst: ["web", "db"], removed: ["old"])
        #expect(apps.list.names == ["web", "db"])
        #expect(apps["web"]?.definition == nil)
        #expect(apps["web"]?.end == end)
        #expect(!apps.list.mayLaunchInBackground("old"))
        #expect(launch("web", 1) == .kill(.supervisorExit))
        #expect(apps["web"]?.launches == 5)
        #expect(launch("db", 2) == nil)
    }

    @Test("What has ended too often once it was restored begins anew with the next server, too", arguments: [1, 2])
    mutating func restoredTooOften(ends: Int) {
        var kept = record("web", launches: 3)
        kept.restoredEnds = ends
        apps.restore(kept, nil, RunEnd(.kill(.memoryPressure), life: .seconds(1)), at: at(1))
        #expect(apps["web"]?.restoredEnds == ends)
        #expect((launch("web", 1) == nil) == (ends == 2))
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
