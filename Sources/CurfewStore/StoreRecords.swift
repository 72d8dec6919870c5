/// All apps and their latest runs in memory, and which rows the database doesn't have yet.
///
/// So a change needs no reading, the list outlives the file, and what couldn't be written is written by the same way later.
struct StoreRecords: Sendable {
    /// As in the database.
    private(set) var apps: [String: StoredApp] = [:]
    private(set) var lastRuns: [String: StoredRun] = [:]
    /// By app.
    private var notifications: [String: [StoredNotification]] = [:]
    private var badges: [String: Int] = [:]
    private var fetches: [String: StoredFetch] = [:]
    /// As they were when the database was opened.
    private var openings: [StoredOpening] = []
    /// The same of pushes.
    private var pushes: [StoredPush] = []
    private var requests: [StoredRequest.Key: StoredRequest] = [:]
    /// What the database doesn't have.
    private(set) var held = StoreRows()
    /// Of apps that a database had which could only be read later: how many launches of them it knew before. The server counts
    /// from 1, for it was told of none.
    private var earlierLaunches: [String: Int] = [:]
    private var highestPosition: Int64 = 0

    /// What a database that was just opened has. `late`: the server had to begin without it; what is held comes after.
    mutating func loaded(_ tables: DatabaseTables.All, late: Bool) {
        let (apps, lastRuns) = (tables.apps, tables.lastRuns)
        notifications = tables.notifications
        badges = tables.badges
        fetches = Dictionary(tables.fetches.map { ($0.app, $0) }, uniquingKeysWith: { $1 })
        openings = tables.openings
        pushes = tables.pushes
        requests = Dictionary(tables.requests.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        self.apps = Dictionary(apps.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.lastRuns = Dictionary(lastRuns.map { ($0.app, $0) }, uniquingKeysWith: { $1 })
        let highest = apps.map(\.position).max() ?? 0
        if late { putBehind(highest) }
        highestPosition = max(highest, highestPosition)
    }

    /// What is held was begun without knowing of what the database has, up to the position `highest`.
    private mutating func putBehind(_ highest: Int64) {
        let earlier = held
        held.apps = [:]
        held.runs = [:]
        for app in apps.values { earlierLaunches[app.name] = max(app.launches, lastRuns[app.name]?.number ?? 0) }
        for var app in earlier.apps.values {
            app.launches += earlierLaunches[app.name] ?? 0
            app.position += highest
            held.put(app)
        }
        for var run in earlier.runs.values {
            run.number += earlierLaunches[run.app] ?? 0
            held.put(run)
        }
        highestPosition += highest
    }

    /// The database is gone: everything is to be written to the next.
    mutating func forgotten() {
        var all = StoreRows()
        for app in apps.values { all.put(app) }
        for run in lastRuns.values { all.put(run) }
        for app in held.apps.values { all.put(app) }
        for run in held.runs.values { all.put(run) }
        for name in held.deletedApps { all.delete(name) }
        all.deletedApps = []
        all.prunesRuns = held.prunesRuns
        for row in waiting.values.joined() { all.notifications[row.key] = .some(row) }
        all.badges = currentBadges
        all.fetches = currentFetches
        all.openings = held.openings
        all.pushes = held.pushes
        all.requests = currentRequests.mapValues { Optional($0) }
        held = all
        apps = [:]
        lastRuns = [:]
        notifications = [:]
        badges = [:]
        fetches = [:]
        openings = []
        pushes = []
        requests = [:]
    }

    /// The database has what was held.
    mutating func written() {
        let rows = held
        for name in rows.deletedApps {
            apps[name] = nil
            lastRuns[name] = nil
            fetches[name] = nil
        }
        if !rows.deletedApps.isEmpty {
            openings.removeAll { rows.deletedApps.contains($0.app) }
            pushes.removeAll { rows.deletedApps.contains($0.app) }
        }
        apps.merge(rows.apps) { $1 }
        for run in rows.runs.values where run.number >= lastRuns[run.app]?.number ?? 0 { lastRuns[run.app] = run }
        Self.put(rows.notifications, into: &notifications)
        for (app, count) in rows.badges { badges[app] = count == 0 ? nil : count }
        fetches.merge(rows.fetches) { $1 }
        for (key, row) in rows.requests { requests[key] = row }
        held = StoreRows()
    }

    /// These are the rows that are to be written.
    mutating func hold(_ rows: StoreRows) { held = rows }

    /// Gives up the oldest runs of those that are held beyond `StoreBounds.heldRuns`; how many.
    mutating func dropRuns() -> Int { held.dropRuns(beyond: StoreBounds.heldRuns) }

    /// What `change` makes of `rows`, which stand above what is in the database; false: nothing, for there is no such app or run.
    mutating func apply(_ change: StoreChange, to rows: inout StoreRows) -> Bool {
        switch change {
        case .appLaunched(var app, let toFront):
            app.launches += earlierLaunches[app.name] ?? 0
            let listed = self.app(app.name, in: rows).flatMap { $0.isRemoved ? nil : $0 }
            app.position = toFront ? nextPosition() : listed?.position ?? nextPosition()
            rows.put(app)
        case .runBegan(var run):
            guard app(run.app, in: rows) != nil else { return false }
            run.number += earlierLaunches[run.app] ?? 0
            rows.put(run)
        case .runEnded(let name, let number, let end):
            let number = number + (earlierLaunches[name] ?? 0)
            guard var run = run(name, number, in: rows) else { return false }
            run.end = end
            rows.put(run)
        case .appRemoved(let name):
            guard var app = app(name, in: rows) else { return false }
            app.isRemoved = true
            app.restartPause = nil
            app.restartDue = nil
            rows.put(app)
        case .restartPlanned(let name, let pause, let due):
            guard var app = app(name, in: rows) else { return false }
            app.restartPause = pause
            app.restartDue = due
            rows.put(app)
        case .restoredEndsSet(let name, let count):
            guard var app = app(name, in: rows) else { return false }
            app.restoredEnds = count
            rows.put(app)
        case .moveToFront(let name):
            guard var app = app(name, in: rows) else { return false }
            app.isRemoved = false
            app.position = nextPosition()
            rows.put(app)
        case .notificationKept(let row): rows.notifications[row.key] = .some(row)
        case .notificationPassed(let key, let passed):
            guard let row = notification(key, in: rows) else { return false }
            rows.notifications[key] = .some(passed.map(row.passed))
        case .badgeSet(let app, let count): rows.badges[app] = count
        case .fetchSet(let fetch): rows.fetches[fetch.app] = fetch
        case .pushKept(let push):
            let key = StoreRows.PushKey(app: push.app, number: push.number)
            rows.pushes[key] = push
            let old = rows.pushes.keys.filter {
                $0.app == push.app && $0.number <= push.number - StoreBounds.pushesOfAnApp
            }
            for key in old { rows.pushes[key] = nil }
        case .pushDelivered(let app, let number, let time):
            let key = StoreRows.PushKey(app: app, number: number)
            if rows.pushes[key] != nil { rows.pushes[key]?.delivered = time } else { rows.deliveries[key] = time }
        case .opened(let opening):
            rows.openings.append(opening)
            // The oldest say the least.
            rows.openings.removeFirst(max(0, rows.openings.count - StoreBounds.heldOpenings))
        case .requestKept(let row): rows.requests[row.key] = .some(row)
        case .requestOver(let key):
            let current = if let row = rows.requests[key] { row } else { requests[key] }
            guard current != nil else { return false }
            rows.requests[key] = .some(nil)
        case .together(let changes):
            return changes.map { apply($0, to: &rows) }.contains(true)
        case .pruneRuns:
            for app in removedCommands(in: rows).dropFirst(StoreBounds.removedCommands) {
                rows.delete(app.name)
                forgetSchedule(of: app.name, in: &rows)
            }
            rows.prunesRuns = true
        }
        return true
    }

    /// All apps as they are now, the most recent first.
    var server: (apps: [StoredApp], lastRuns: [String: StoredRun]) {
        var runs = lastRuns.filter { !held.deletedApps.contains($0.key) }
        for run in held.runs.values where run.number >= runs[run.app]?.number ?? 0 { runs[run.app] = run }
        return (current(in: held).sorted { $0.position > $1.position }, runs)
    }

    /// Every notification that waits, by app.
    private var waiting: [String: [StoredNotification]] {
        var all = notifications
        Self.put(held.notifications, into: &all)
        return all
    }

    private static func put(
        _ rows: [StoredNotification.Key: StoredNotification?], into all: inout [String: [StoredNotification]]
    ) {
        for (key, row) in rows {
            all[key.app]?.removeAll { $0.key == key }
            if let row { all[key.app, default: []].append(row) }
            if all[key.app]?.isEmpty == true { all[key.app] = nil }
        }
    }

    private var currentBadges: [String: Int] { badges.merging(held.badges) { $1 }.filter { $0.value != 0 } }

    /// One that isn't written yet.
    func heldPush(_ app: String, _ number: Int) -> StoredPush? {
        held.pushes[StoreRows.PushKey(app: app, number: number)]
    }

    private var currentFetches: [String: StoredFetch] {
        fetches.filter { !held.deletedApps.contains($0.key) }.merging(held.fetches) { $1 }
    }

    private var currentRequests: [StoredRequest.Key: StoredRequest] {
        var all = requests
        for (key, row) in held.requests { all[key] = row }
        return all
    }

    /// All but the apps and their runs.
    var schedules: DatabaseTables.All {
        DatabaseTables.All(
            notifications: waiting, badges: currentBadges,
            fetches: currentFetches.values.sorted { $0.app < $1.app }, openings: openings + held.openings,
            pushes: pushes + held.pushes.values.sorted { $0.number < $1.number },
            requests: currentRequests.values.sorted {
                ($0.submitted, $0.key.app, $0.key.id) < ($1.submitted, $1.key.app, $1.key.id)
            })
    }

    /// Nobody can open it any more.
    private func forgetSchedule(of app: String, in rows: inout StoreRows) {
        for key in (notifications[app] ?? []).map(\.key) + rows.notifications.keys.filter({ $0.app == app }) {
            rows.notifications[key] = .some(nil)
        }
        for key in Set(requests.keys).union(rows.requests.keys) where key.app == app {
            rows.requests[key] = .some(nil)
        }
        if badges[app] != nil || rows.badges[app] != nil { rows.badges[app] = 0 }
        // What there was before goes with the app.
        rows.fetches[app] = nil
        rows.openings.removeAll { $0.app == app }
    }

    private func notification(_ key: StoredNotification.Key, in rows: StoreRows) -> StoredNotification? {
        if let row = rows.notifications[key] { return row }
        return notifications[key.app]?.first { $0.key == key }
    }

    /// The latest runs: those held, and those that the database has, `written`, at least `limit` of them where it has so many.
    func history(of app: String?, limit: Int, above written: [StoredRun]) -> [StoredRun] {
        var runs = held.runs
        for run in written where !held.deletedApps.contains(run.app) {
            let key = StoreRows.RunKey(app: run.app, number: run.number)
            if runs[key] == nil { runs[key] = run }
        }
        let found = runs.values.filter { app == nil || $0.app == app }
        let isLater: (StoredRun, StoredRun) -> Bool =
            app == nil
            ? { ($1.began, $0.app, $1.number) < ($0.began, $1.app, $0.number) } : { $0.number > $1.number }
        return Array(found.sorted(by: isLater).prefix(limit))
    }

    private mutating func nextPosition() -> Int64 {
        highestPosition += 1
        return highestPosition
    }

    private func app(_ name: String, in rows: StoreRows) -> StoredApp? {
        rows.apps[name] ?? (rows.deletedApps.contains(name) ? nil : apps[name])
    }

    private func run(_ app: String, _ number: Int, in rows: StoreRows) -> StoredRun? {
        if let run = rows.runs[StoreRows.RunKey(app: app, number: number)] { return run }
        guard let run = lastRuns[app], run.number == number, !rows.deletedApps.contains(app) else { return nil }
        return run
    }

    private func current(in rows: StoreRows) -> [StoredApp] {
        apps.merging(rows.apps) { $1 }.values.filter {
            rows.apps[$0.name] != nil || !rows.deletedApps.contains($0.name)
        }
    }

    private func removedCommands(in rows: StoreRows) -> [StoredApp] {
        current(in: rows).filter { $0.isRemoved && $0.source == .bare }.sorted { $0.position > $1.position }
    }
}
