import CurfewCore

/// Every app that a server knows, by name: which runs, how the others have ended, and in which order they were used.
struct ServedApps {
    /// What is known of one that has run.
    final class Entry {
        let name: String
        /// What it was launched with; nil where it hasn't been by this server, and is written elsewhere.
        var definition: ServedDefinition?
        /// Nil while it doesn't run.
        fileprivate(set) var app: AppID?
        /// The one before, for whoever follows the app from run to run.
        fileprivate(set) var lastApp: AppID?
        fileprivate(set) var launches = 0
        /// When it ended last, by lifecycle time; nil before.
        fileprivate(set) var endedAt: Instant?
        fileprivate(set) var end: RunEnd?
        /// As a shell would see it.
        fileprivate(set) var status: Int32?
        /// What it was asked to end by.
        var request: EndRequest?
        fileprivate var restoring: RestoringRule
        fileprivate var restarting: RestartRule
        /// When it is launched again, by lifecycle time.
        fileprivate(set) var restart: (at: Instant, wasInFront: Bool)?

        fileprivate init(_ name: String, _ definition: ServedDefinition?) {
            let timeScale = definition?.plan.options.timeScale ?? 1
            self.name = name
            self.definition = definition
            restoring = RestoringRule(timeScale: timeScale)
            restarting = RestartRule(definition?.restart ?? .never, timeScale: timeScale)
        }
    }

    private var entries: [String: Entry] = [:]
    private var names: [AppID: String] = [:]
    private(set) var list = TaskList()

    var runningCount: Int { names.count }

    /// Those that run, in no order that means anything.
    var running: [AppID] { Array(names.keys) }

    subscript(name: String) -> Entry? { entries[name] }

    subscript(app: AppID) -> Entry? { names[app].flatMap { entries[$0] } }

    func app(named name: String) -> AppID? { entries[name]?.app }

    // MARK: Changes

    /// As it was kept by a server before. `definition`: what a bare command is; `end`: of its last run, nil where there was none.
    mutating func restore(_ record: AppRecord, _ definition: ServedDefinition?, _ end: RunEnd?, at endedAt: Instant?) {
        let entry = Entry(record.name, definition)
        entry.launches = record.launches
        entry.end = end
        entry.status = record.lastRun?.end?.status
        entry.endedAt = endedAt
        if let end { entry.restoring.ended(end) }
        entries[record.name] = entry
    }

    /// The list as it was kept.
    mutating func restoreList(mostRecentFirst names: [String], removed: [String]) {
        list = TaskList(mostRecentFirst: names, removed: removed)
    }

    /// What a server before had running when it was killed is launched again, where it is to be.
    mutating func plan(restartOf name: String, _ condition: RestartCondition, at now: Instant) {
        guard let entry = entries[name], entry.app == nil, let end = entry.end else { return }
        entry.restarting = RestartRule(condition)
        if let restart = entry.restarting.restart(after: end) {
            entry.restart = (now + restart.pause, restart.wasInFront)
        }
    }

    /// It is about to be launched as that: why its last run ended, if it is to be restored.
    mutating func prepare(_ definition: ServedDefinition) -> EndReason? {
        let entry = entries[definition.name] ?? Entry(definition.name, definition)
        if entry.restarting.condition != definition.restart {
            entry.restarting = RestartRule(definition.restart, timeScale: definition.plan.options.timeScale)
        }
        entry.definition = definition
        entry.restart = nil
        entries[definition.name] = entry
        return entry.restoring.launched()
    }

    mutating func launched(_ name: String, as app: AppID, inBackground: Bool) {
        guard let entry = entries[name] else { return }
        entry.app = app
        entry.launches += 1
        entry.request = nil
        names[app] = name
        list.launched(name, inBackground: inBackground)
    }

    /// Nothing was started.
    mutating func failed(_ name: String) {
        if entries[name]?.launches == 0 { entries[name] = nil }
    }

    mutating func opened(_ app: AppID) { if let name = names[app] { list.opened(name) } }

    /// One of another supervisor takes part, or is opened again.
    mutating func noteJoined(_ name: String) { list.opened(name) }

    /// It has ended. Where it had the name of one that was launched here, that one stays.
    mutating func forgetJoined(_ name: String) { if entries[name] == nil { list.forget(name) } }

    /// Returns when it is to be launched again; nil: it stays ended.
    @discardableResult
    mutating func ended(_ app: AppID, _ ending: Ending, life: Span, at now: Instant) -> Instant? {
        guard let entry = self[app] else { return nil }
        let end = RunEnd(ending, request: entry.request, life: life)
        names[app] = nil
        entry.lastApp = app
        entry.app = nil
        entry.endedAt = now
        entry.end = end
        entry.status = ending.exitCode
        entry.restoring.ended(end)
        if let restart = entry.restarting.restart(after: end) {
            entry.restart = (now + restart.pause, restart.wasInFront)
        }
        if entry.request == .remove { list.remove(entry.name) }
        return entry.restart?.at
    }

    /// Off the list; nothing launches it again by itself.
    mutating func remove(_ name: String) {
        list.remove(name)
        entries[name]?.restart = nil
    }

    /// Nobody is launched again any more.
    mutating func forgetRestarts() { for entry in entries.values { entry.restart = nil } }

    // MARK: What is due

    var nextRestart: Instant? { entries.values.compactMap { $0.restart?.at }.min() }

    func dueRestarts(at now: Instant) -> [Entry] {
        entries.values.filter { $0.restart.map { $0.at <= now } ?? false }.sorted { $0.name < $1.name }
    }

    /// It couldn't be: not tried again by itself.
    mutating func giveUpRestart(of name: String) { entries[name]?.restart = nil }
}

extension Ending {
    /// As a shell tells it: above 128 for a signal.
    var exitCode: Int32 {
        switch status {
        case .exit(let code): code
        case .raise(let signal): 128 + signal
        }
    }
}

/// The numbers of a server's apps: a slot that one has left is another's, in its next generation.
struct AppNumbers {
    /// Slot 0 stays vacant.
    private var used = 0
    private var free: [AppID] = []

    mutating func take() -> AppID {
        if let next = free.popLast() { return next }
        used += 1
        return AppID(slot: used, generation: 0)
    }

    mutating func giveBack(_ app: AppID) { free.append(AppID(slot: app.slot, generation: app.generation + 1)) }
}
