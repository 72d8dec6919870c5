import CurfewLinux
import GRDB
import Testing

@testable import CurfewStore

/// What the store should know, as plainly as it can be said.
private struct Model: Equatable {
    var apps: [String: StoredApp] = [:]
    /// The most recent last.
    var order: [String] = []
    var runs: [String: [StoredRun]] = [:]
    var notifications: [StoredNotification.Key: StoredNotification] = [:]
    var badges: [String: Int] = [:]
    var fetches: [String: StoredFetch] = [:]
    var requests: [StoredRequest.Key: StoredRequest] = [:]

    mutating func apply(_ change: StoreChange) -> Bool {
        switch change {
        case .appLaunched(let app, let toFront):
            if toFront || apps[app.name]?.isRemoved != false { front(app.name) }
            apps[app.name] = app
        case .runBegan(let run):
            guard apps[run.app] != nil else { return false }
            runs[run.app, default: []].append(run)
        case .runEnded(let app, let number, let end):
            guard let last = runs[app]?.indices.last, runs[app]?[last].number == number else { return false }
            runs[app]?[last].end = end
        case .appRemoved(let name):
            guard apps[name] != nil else { return false }
            apps[name]?.isRemoved = true
            apps[name]?.restartPause = nil
            apps[name]?.restartDue = nil
        case .restartPlanned(let name, let pause, let due):
            guard apps[name] != nil else { return false }
            apps[name]?.restartPause = pause
            apps[name]?.restartDue = due
        case .restoredEndsSet(let name, let count):
            guard apps[name] != nil else { return false }
            apps[name]?.restoredEnds = count
        case .moveToFront(let name):
            guard apps[name] != nil else { return false }
            apps[name]?.isRemoved = false
            front(name)
        case .notificationKept(let row): notifications[row.key] = row
        case .notificationPassed(let key, let passed):
            guard notifications[key] != nil else { return false }
            notifications[key] = passed.flatMap { notifications[key]?.passed($0) }
        case .fetchSet(let fetch): fetches[fetch.app] = fetch
        // What is held of them isn't told from what is written.
        case .opened, .pushKept, .pushDelivered: break
        case .requestKept(let row): requests[row.key] = row
        case .requestOver(let key): return requests.removeValue(forKey: key) != nil
        case .badgeSet(let name, let count): badges[name] = count == 0 ? nil : count
        case .together(let changes): return changes.map { apply($0) }.contains(true)
        case .pruneRuns: break
        }
        return true
    }

    private mutating func front(_ name: String) {
        order.removeAll { $0 == name }
        order.append(name)
    }

    func history(_ app: String) -> [StoredRun] { (runs[app] ?? []).reversed() }
}

@Suite("The store and a model of it")
struct ModelTests {
    private static let names = ["a", "b", "c", "d'; DROP TABLE app; --", "\u{1F41F}"]

    private static func change(_ random: inout SplitMix64, _ model: Model, turn: Int) -> StoreChange {
        let name = random.pick(names)
        let launches = model.apps[name]?.launches ?? 0
        let number = (model.runs[name]?.last?.number ?? 0) + 1
        switch random.below(18) {
        case 0...2:
            var app = StoredApp.sample(name, launches: launches + 1, source: random.pick(StoredApp.Source.allCases))
            app.restartDue = random.chance(50) ? Int64(turn) : nil
            app.directory = random.chance(50) ? "/\(turn)" : nil
            let launched = StoreChange.appLaunched(app, toFront: random.chance(70))
            return random.chance(50)
                ? launched : .together([launched, .runBegan(.sample(name, number, began: Int64(turn)))])
        case 3...4:
            return .runBegan(.sample(name, number, began: Int64(turn)))
        case 5...6:
            let end = StoredRun.End(ended: Int64(turn), reason: "exited", status: random.chance(50) ? turn : nil)
            return .runEnded(app: name, number: random.chance(80) ? model.runs[name]?.last?.number ?? 1 : 99, end)
        case 7: return .appRemoved(name)
        case 8 where random.chance(50): return .moveToFront(name)
        case 8:
            return .restartPlanned(
                name, pause: random.chance(50) ? 1_000_000 : nil, due: random.chance(50) ? Int64(turn) : nil)
        case 9: return .pruneRuns
        case 10: return .notificationKept(.sample(name, "n\(random.below(3))", passed: Int64(turn)))
        case 11:
            let key = StoredNotification.Key(app: name, id: "n\(random.below(3))")
            return .notificationPassed(key, random.chance(50) ? Int64(turn) : nil)
        case 12:
            return .fetchSet(
                StoredFetch(
                    app: name, interval: random.chance(50) ? Int64(turn) : nil,
                    last: random.chance(50) ? Int64(turn) : nil, fruitless: random.below(4)))
        case 13: return .opened(StoredOpening(app: name, time: Int64(turn), shown: "2096-07-01T08:00:00"))
        case 14:
            return .requestKept(
                StoredRequest(
                    key: StoredRequest.Key(app: name, id: "r\(random.below(3))"), kind: "refresh",
                    earliest: random.chance(50) ? Int64(turn) : nil, needsNetwork: random.chance(50),
                    submitted: Int64(turn)))
        case 15: return .requestOver(StoredRequest.Key(app: name, id: "r\(random.below(3))"))
        case 16: return .restoredEndsSet(name, random.below(3))
        default: return .badgeSet(name, random.below(3))
        }
    }

    private static func same(_ writer: StoreWriter, _ model: Model) -> Bool {
        let server = writer.load()
        let apps = server.apps.map { app in
            var app = app
            app.position = 0
            return app
        }
        return apps == model.order.reversed().compactMap { model.apps[$0] }
            && server.notifications.mapValues(Set.init)
                == Dictionary(grouping: model.notifications.values, by: \.key.app).mapValues(Set.init)
            && server.badges == model.badges
            && server.fetches == model.fetches.values.sorted { $0.app < $1.app }
            && server.requests == model.requests.values.sorted { $0.submitted < $1.submitted }
            && server.lastRuns == model.runs.compactMapValues(\.last)
            && names.allSatisfy { writer.history($0) == model.history($0).prefix(100).map { $0 } }
    }

    @Test("Whatever is asked, in whatever batches, through reopenings and others' transactions", arguments: 0..<12)
    func model(seed: UInt64) throws {
        let folder = Folder()
        defer { folder.remove() }
        var random = SplitMix64(seed: seed)
        var model = Model()
        var writer = try folder.writer()
        var turn = 0
        for round in 0..<40 {
            var leavesTransactions = Configuration()
            leavesTransactions.allowsUnsafeTransactions = true
            let other =
                random.chance(20)
                ? try DatabaseQueue(path: folder.files.database, configuration: leavesTransactions) : nil
            try other?.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
            var scratch = model
            var jobs: [StoreWriter.Job] = []
            var expected: [StoreResult] = []
            for _ in 0...random.below(12) {
                turn += 1
                let change = Self.change(&random, scratch, turn: turn)
                let isAwaited = random.chance(60)
                let ticket = isAwaited ? StoreTicket(number: UInt64(turn)) : nil
                jobs.append(StoreWriter.Job(ticket: ticket, request: .change(change)))
                let isApplied = scratch.apply(change)
                if isAwaited { expected.append(!isApplied ? .unknown : other == nil ? .kept : .busy) }
            }
            let before = model
            model = scratch
            let answers = writer.perform(jobs).map(\.result)
            if answers.contains(.busy) {
                // Only what nobody waited for has happened.
                model = before
                for job in jobs where job.ticket == nil {
                    if case .change(let change) = job.request { _ = model.apply(change) }
                }
                #expect(answers == expected, "round \(round)")
            } else if other == nil {
                #expect(answers == expected, "round \(round)")
            }
            try #require(Self.same(writer, model), "round \(round): \(jobs)")
            try other?.inDatabase { try $0.execute(sql: "ROLLBACK") }
            try other?.close()
            if random.chance(20) {
                writer.close()
                writer = try folder.writer()
                try #require(Self.same(writer, model), "round \(round), opened anew")
            }
        }
        writer.close()
    }
}
