import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

/// Seeded, so that a failure, which names its seed, can be repeated.
@Suite("The apps that a server knows, whatever comes")
struct ServedAppsPropertyTests {
    @Test("Who runs and who is launched again, and when, is what a look at every entry says", arguments: [1, 4, 24])
    func indexes(names: Int) {
        for seed in UInt64(0)..<40 {
            var random = SplitMix64(seed: seed)
            var life = RandomServedApps(names: names, &random)
            for _ in 0..<200 {
                guard let violation = life.step(&random) else { continue }
                Issue.record("seed \(seed): \(violation)\n\(life.journal.joined(separator: "\n"))")
                return
            }
        }
    }

    @Test("In such lives many run, several wait at once to be launched again, and some of those are being removed")
    func reach() {
        var random = SplitMix64(seed: 1)
        var life = RandomServedApps(names: 24, &random)
        for _ in 0..<2_000 { _ = life.step(&random) }
        #expect(life.mostRunning > 8)
        #expect(life.mostWaiting > 3)
        #expect(life.mostDue > 1)
        #expect(life.mostHeldBack > 1)
    }
}

/// Apps that are launched, end, are removed and come back, as `ServeHost` tells of them; nothing checks more than their table.
private struct RandomServedApps {
    private var apps = ServedApps()
    private(set) var journal: [String] = []
    private let names: [String]
    private let definitions: [String: [ServedDefinition]]
    /// Who runs, as it was told.
    private var running: [String: AppID] = [:]
    private var gone: [AppID] = []
    private var numbers = AppNumbers()
    private var now = Instant(nanoseconds: 0)
    private(set) var mostRunning = 0
    private(set) var mostWaiting = 0
    private(set) var mostDue = 0
    private(set) var mostHeldBack = 0

    /// Some of them a server before has known.
    init(names count: Int, _ random: inout SplitMix64) {
        names = (0..<count).map { "app\($0)" }
        definitions = Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, RestartCondition.allCases.map { ServedDefinition.sample(name, restart: $0) })
            })
        for name in names where random.chance(30) {
            let record = AppRecord(name: name, source: .manifest, command: ["true"])
            let end = random.chance(80) ? Self.end(&random) : nil
            apps.restore(record, random.pick(definitions[name] ?? []), end, at: now)
        }
        apps.restoreList(mostRecentFirst: names.filter { apps[$0] != nil }, removed: [])
    }

    private static func end(_ random: inout SplitMix64) -> RunEnd {
        RunEnd(random.chance(50) ? .exit : .kill(.memoryPressure), life: .seconds(Int64(random.below(700))))
    }

    // MARK: Living

    /// One random call; returns what was wrong after it.
    mutating func step(_ random: inout SplitMix64) -> String? {
        now = now + random.pick([.zero, .milliseconds(300), .seconds(1), .seconds(4), .seconds(60)])
        act(on: random.pick(names), &random)
        return judgeRunning() ?? judgeRestarts()
    }

    private mutating func act(on name: String, _ random: inout SplitMix64) {
        switch random.below(20) {
        case 0...4 where running[name] == nil: launch(name, &random)
        case 0...4: end(name, &random)
        case 5...7: endAny(&random)
        case 8: apps.opened(running[name] ?? gone.last ?? AppID(0))
        case 9: if random.chance(50) { apps.noteJoined(name) } else { apps.forgetJoined(name) }
        case 10...11: apps.willRemove(name)
        case 12: apps.remove(name)
        case 13: apps.keep(name)
        case 14: apps.putOffRestart(of: name, at: now)
        case 15: apps.giveUpRestart(of: name)
        case 16...17: plan(name, &random)
        case 18: launchAllDue(&random)
        default: if random.chance(10) { apps.forgetRestarts() }
        }
        journal.append("  at \(now.nanoseconds) \(name): \(running.count) run, \(apps.restarts.count) wait")
    }

    private mutating func launch(_ name: String, _ random: inout SplitMix64) {
        let id = numbers.take()
        running[name] = id
        apps.launched(random.pick(definitions[name] ?? []), as: id, inBackground: random.chance(50))
    }

    private mutating func endAny(_ random: inout SplitMix64) {
        // One that is gone can be told of again.
        if random.chance(10), let stale = gone.last { _ = apps.ended(stale, .sample(), life: .zero, at: now) }
        if !running.isEmpty { end(random.pick(running.keys.sorted()), &random) }
    }

    private mutating func end(_ name: String, _ random: inout SplitMix64) {
        guard let id = running.removeValue(forKey: name) else { return }
        gone.append(id)
        if random.chance(20) { apps[id]?.request = random.pick([.quit, .remove, .serverEnd]) }
        let kill: KillReport? = random.chance(30) ? .sample(.memoryPressure) : nil
        let ending = Ending.sample(kill: kill, leader: .exited(code: UInt8(random.below(2))))
        apps.ended(id, ending, life: .seconds(Int64(random.below(700))), at: now)
        if random.chance(70) { numbers.giveBack(id) }
    }

    private mutating func plan(_ name: String, _ random: inout SplitMix64) {
        let planned: (Span, Span)? = random.chance(50) ? (.seconds(8), .seconds(Int64(random.below(9)))) : nil
        apps.plan(restartOf: name, random.pick(RestartCondition.allCases), at: now, planned: planned)
    }

    private mutating func launchAllDue(_ random: inout SplitMix64) {
        let due = apps.dueRestarts(at: now)
        mostDue = max(mostDue, due.count)
        for entry in due { launch(entry.name, &random) }
    }

    // MARK: Against a look at each

    private mutating func judgeRunning() -> String? {
        mostRunning = max(mostRunning, running.count)
        let seen = apps.entries.compactMapValues(\.app)
        if seen != running { return "\(running) run, and not \(seen)" }
        if apps.names != Dictionary(uniqueKeysWithValues: seen.map { ($1, $0) }) {
            return "\(seen) run, not \(apps.names)"
        }
        if apps.runningCount != seen.count { return "\(seen.count) run, not \(apps.runningCount)" }
        for (name, id) in seen where apps[id] !== apps[name] { return "\(id) isn't \(name)" }
        for id in gone where apps[id] != nil { return "\(id) is gone, and still found" }
        return nil
    }

    private mutating func judgeRestarts() -> String? {
        let planned = apps.entries.compactMapValues { $0.restart?.at }
        let waiting = planned.filter { apps[$0.key]?.isBeingRemoved == false }
        mostWaiting = max(mostWaiting, waiting.count)
        mostHeldBack = max(mostHeldBack, planned.count - waiting.count)
        if let name = planned.keys.first(where: { running[$0] != nil }) { return "\(name) runs, and is launched again" }
        if apps.restarts.count != waiting.count { return "\(waiting) wait, and not \(apps.restarts.count)" }
        for (name, at) in waiting where apps.restarts[name] != at {
            return "\(name) is due at \(at), and not then"
        }
        if apps.nextRestart != waiting.values.min() { return "the next isn't the first of \(waiting)" }
        let due = waiting.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        return apps.dueRestarts(at: now).map(\.name) == due ? nil : "due are \(due)"
    }
}
