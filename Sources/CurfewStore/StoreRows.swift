/// Rows of all tables that are to be written, whole; the later one of a key counts.
struct StoreRows: Sendable, Equatable {
    struct PushKey: Hashable, Sendable {
        var app: String
        var number: Int
    }

    struct RunKey: Hashable, Sendable {
        var app: String
        var number: Int
    }

    var apps: [String: StoredApp] = [:]
    var runs: [RunKey: StoredRun] = [:]
    /// Apps that go, with their runs.
    var deletedApps: Set<String> = []
    var prunesRuns = false
    /// Nil: it goes.
    var notifications: [StoredNotification.Key: StoredNotification?] = [:]
    /// 0: it goes.
    var badges: [String: Int] = [:]
    var fetches: [String: StoredFetch] = [:]
    /// The oldest first.
    var openings: [StoredOpening] = []
    var pushes: [PushKey: StoredPush] = [:]
    /// Nil: it goes.
    var requests: [StoredRequest.Key: StoredRequest?] = [:]
    /// When those were delivered that the database has.
    var deliveries: [PushKey: Int64] = [:]

    var isEmpty: Bool {
        apps.isEmpty && runs.isEmpty && deletedApps.isEmpty && !prunesRuns && notifications.isEmpty && badges.isEmpty
            && fetches.isEmpty && openings.isEmpty && pushes.isEmpty && deliveries.isEmpty && requests.isEmpty
    }
    var count: Int {
        apps.count + runs.count + deletedApps.count + notifications.count + badges.count + fetches.count
            + openings.count + pushes.count + requests.count
    }

    mutating func put(_ app: StoredApp) {
        apps[app.name] = app
        deletedApps.remove(app.name)
    }

    mutating func put(_ run: StoredRun) { runs[RunKey(app: run.app, number: run.number)] = run }

    mutating func delete(_ app: String) {
        apps[app] = nil
        runs = runs.filter { $0.key.app != app }
        deletedApps.insert(app)
    }

    /// Gives up the oldest runs beyond `maximum`; how many those were.
    mutating func dropRuns(beyond maximum: Int) -> Int {
        let excess = runs.count - maximum
        guard excess > 0 else { return 0 }
        for run in runs.values.sorted(by: { $0.began < $1.began }).prefix(excess) {
            runs[RunKey(app: run.app, number: run.number)] = nil
        }
        return excess
    }
}
