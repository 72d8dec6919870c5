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
        /// How many restored runs in a row have ended at once, up to the last one.
        var restoredEnds: Int { restoring.shortLives }
        fileprivate var restarting: RestartRule
        /// How it is launched again, and when, by lifecycle time.
        fileprivate(set) var restart: (at: Instant, launch: Restart)?
        /// Whether its removal is being kept: until that is so, or has come to nothing, nothing launches it by itself.
        fileprivate(set) var isBeingRemoved = false

        fileprivate init(_ name: String, _ definition: ServedDefinition?) {
            let timeScale = definition?.plan.options.timeScale ?? 1
            self.name = name
            self.definition = definition
            restoring = RestoringRule(timeScale: timeScale)
            restarting = RestartRule(definition?.restart ?? .never, timeScale: timeScale)
        }
    }

    private(set) var entries: [String: Entry] = [:]
    /// Of those that run; a test holds it and `restarts` against a look at every entry.
    private(set) var names: [AppID: String] = [:]
    private(set) var list = TaskList()
    /// Who is launched again by itself, and when.
    private(set) var restarts = NamedDeadlines<Instant>()

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
        if let end { entry.restoring.restore(end, shortLives: record.restoredEnds) }
        entries[record.name] = entry
    }

    /// The list as it was kept.
    mutating func restoreList(mostRecentFirst names: [String], removed: [String]) {
        list = TaskList(mostRecentFirst: names, removed: removed)
    }

    /// What a server before had running when it was killed, or had planned itself to launch, is launched again, where it is to be.
    ///
    /// `planned`: the pause after its last run, and what is left of that. Returns after which pause from now; nil: not at all.
    @discardableResult
    mutating func plan(
        restartOf name: String, _ condition: RestartCondition, at now: Instant,
        planned: (pause: Span, left: Span)? = nil
    ) -> Span? {
        guard let entry = entries[name], entry.app == nil, let end = entry.end else { return nil }
        entry.restarting = RestartRule(condition, next: planned?.pause)
        var restart = entry.restarting.restart(after: end)
        if let pause = restart?.pause, let planned { restart?.pause = min(pause, planned.left) }
        plan(restart, of: entry, at: now)
        return restart?.pause
    }

    private mutating func plan(_ restart: Restart?, of entry: Entry, at now: Instant) {
        entry.restart = restart.map { (now + $0.pause, $0) }
        noteRestart(of: entry)
    }

    private mutating func noteRestart(of entry: Entry) {
        if let restart = entry.restart, !entry.isBeingRemoved {
            restarts.set(restart.at, for: entry.name)
        } else {
            restarts.remove(entry.name)
        }
    }

    /// Why its last run ended, if it is restored when it is launched now. Changes nothing: the launch can fail.
    func restoredEnd(of name: String) -> EndReason? {
        guard var rule = entries[name]?.restoring else { return nil }
        return rule.launched()
    }

    /// It runs, as that; until then all that was known of it holds.
    mutating func launched(_ definition: ServedDefinition, as app: AppID, inBackground: Bool) {
        let name = definition.name
        let entry = entries[name] ?? Entry(name, definition)
        if entry.restarting.condition != definition.restart {
            entry.restarting = RestartRule(definition.restart, timeScale: definition.plan.options.timeScale)
        }
        _ = entry.restoring.launched()
        entry.definition = definition
        entry.app = app
        entry.launches += 1
        entry.request = nil
        // What is kept has the removal before this launch, and so it comes to the front of the list.
        if entry.isBeingRemoved { list.remove(name) }
        entry.isBeingRemoved = false
        entry.restart = nil
        noteRestart(of: entry)
        entries[name] = entry
        names[app] = name
        list.launched(name, inBackground: inBackground)
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
        entry.status = ending.shellStatus
        entry.restoring.ended(end)
        plan(entry.restarting.restart(after: end), of: entry, at: now)
        return entry.restart?.at
    }

    // MARK: Removal

    /// It is to be off the list once that is kept.
    mutating func willRemove(_ name: String) {
        guard let entry = entries[name] else { return }
        entry.isBeingRemoved = true
        noteRestart(of: entry)
    }

    /// Off the list; nothing launches it again by itself.
    mutating func remove(_ name: String) {
        list.remove(name)
        guard let entry = entries[name] else { return }
        entry.isBeingRemoved = false
        entry.restart = nil
        noteRestart(of: entry)
    }

    /// That couldn't be kept: it stays in the list, and what was to come comes. Of one that has ended for it that is all that was
    /// done: it counts as one that has quit.
    mutating func keep(_ name: String) {
        guard let entry = entries[name] else { return }
        entry.isBeingRemoved = false
        if entry.app == nil, entry.request == .remove { entry.request = .quit }
        noteRestart(of: entry)
    }

    // MARK: What is due

    var nextRestart: Instant? { restarts.next }

    func dueRestarts(at now: Instant) -> [Entry] { restarts.due(at: now).compactMap { entries[$0] } }

    /// It couldn't be launched just now: it is tried again, later each time. Returns after which pause.
    @discardableResult
    mutating func putOffRestart(of name: String, at now: Instant) -> Span? {
        guard let entry = entries[name], let restart = entry.restart else { return nil }
        let next = entry.restarting.retry(wasInFront: restart.launch.wasInFront)
        plan(next, of: entry, at: now)
        return next.pause
    }

    /// Not tried again by itself.
    mutating func giveUpRestart(of name: String) {
        guard let entry = entries[name] else { return }
        entry.restart = nil
        noteRestart(of: entry)
    }

    /// Nobody is launched again any more.
    mutating func forgetRestarts() {
        for entry in entries.values { entry.restart = nil }
        restarts.removeAll()
    }
}
