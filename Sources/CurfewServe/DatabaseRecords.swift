import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewStore
import Glibc

/// A server's records in its database, on a thread of its own.
final class DatabaseRecords: ServerRecords {
    private let store: StoreThread
    /// The numbers of what was asked, in order; answers come in the same.
    private var asked: [(ticket: StoreTicket, number: Int)] = []
    private var launches = 0
    private var lastNumber = 0

    /// Throws for a database that a server can't start on; it stays as it is.
    init(directory: String) throws(StoreRefusal) { store = try StoreThread.start(directory: directory) }

    /// Where a server of that name has its own; nil where no home directory is known.
    static func directory(of server: String) -> String? {
        let name = server == ServerPlan.usualName ? "curfew" : "curfew/servers/" + server
        return StateDirectory.ofThisUser(name)?.path
    }

    var descriptor: Int32 { store.descriptor }

    var word: String { store.state.word }

    var trouble: String? { store.state.trouble?.word }

    // MARK: The start

    func load() -> KeptServer {
        guard (try? store.ask(.load)) != nil else { return KeptServer() }
        while true {
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&waited, 1, -1)
            for completion in store.takeCompletions() {
                if case .loaded(let server) = completion.result { return Self.kept(server) }
                return KeptServer()
            }
        }
    }

    private static func kept(_ server: StoredServer) -> KeptServer {
        KeptServer(
            apps: server.apps.map { app in
                var record = AppRecord(
                    name: app.name, source: source(app.source), command: app.command, options: app.options,
                    directory: app.directory)
                record.isRemoved = app.isRemoved
                record.launches = app.launches
                record.lastRun = server.lastRuns[app.name].map(run)
                record.restoredEnds = app.restoredEnds
                if let pause = app.restartPause, let due = app.restartDue {
                    record.restart = RestartRecord(pause: pause, due: due)
                }
                return record
            }, isAfterReboot: server.isAfterReboot,
            notifications: server.notifications.mapValues { $0.compactMap(notification) }, badges: server.badges,
            fetches: server.fetches.map(fetch), openings: server.openings.compactMap(opening),
            pushes: server.pushes.map(push), requests: server.requests.compactMap(request))
    }

    private static func source(_ source: StoredApp.Source) -> DefinitionSource {
        switch source {
        case .manifest: .manifest
        case .desktop: .desktop
        case .bare: .bare
        }
    }

    private static func source(_ source: DefinitionSource) -> StoredApp.Source {
        switch source {
        case .manifest: .manifest
        case .desktop: .desktop
        case .bare: .bare
        }
    }

    private static func run(_ stored: StoredRun) -> RunRecord {
        var run = RunRecord(
            app: stored.app, number: stored.number, began: stored.began, pid: Int32(clamping: stored.pid),
            wasInFront: stored.wasInFront)
        run.end = stored.end.map { end in
            RunRecord.End(
                // A word that a newer curfew has written is an end like any other.
                ended: end.ended, reason: EndReason(word: end.reason) ?? .exit,
                status: end.status.map { Int32(clamping: $0) } ?? end.signal.map { 128 + Int32(clamping: $0) },
                cpu: end.cpu, peak: end.peak)
        }
        return run
    }

    // MARK: What nobody waits for

    func noteLaunch(of app: AppRecord, _ run: RunRecord, toFront: Bool) {
        let stored = StoredApp(
            name: app.name, source: Self.source(app.source), command: app.command, options: app.options,
            directory: app.directory, launches: app.launches)
        let begun = StoredRun(
            app: run.app, number: run.number, began: run.began, pid: Int(run.pid), wasInFront: run.wasInFront)
        // A server that is killed between the two would leave a launch without a run, whose end nobody would look for.
        store.note(.together([.appLaunched(stored, toFront: toFront), .runBegan(begun)]))
        launches += 1
        if launches % Self.launchesPerPruning == 0 { store.note(.pruneRuns) }
    }

    /// A server that runs for months has no more past than one that was ended every day.
    private static let launchesPerPruning = 1000

    func noteEnd(
        of app: String, run number: Int, _ end: RunRecord.End, _ restart: RestartRecord?, restoredEnds: Int
    ) {
        let isSignal = end.status.map { $0 > 128 } ?? false
        let status = end.status.map { Int($0) }
        let ended = StoreChange.runEnded(
            app: app, number: number,
            StoredRun.End(
                ended: end.ended, reason: end.reason.word, status: isSignal ? nil : status,
                signal: isSignal ? status.map { $0 - 128 } : nil, cpu: end.cpu, peak: end.peak))
        let more = [
            restart.map { Self.planned($0, of: app) },
            restoredEnds == 0 ? nil : StoreChange.restoredEndsSet(app, restoredEnds),
        ].compactMap(\.self)
        store.note(more.isEmpty ? ended : .together([ended] + more))
    }

    func noteRestart(of app: String, _ restart: RestartRecord?) { store.note(Self.planned(restart, of: app)) }

    private static func planned(_ restart: RestartRecord?, of app: String) -> StoreChange {
        .restartPlanned(app, pause: restart?.pause, due: restart?.due)
    }

    func noteOpening(of app: String) { store.note(.moveToFront(app)) }

    func noteNotification(_ id: String, of app: String, passed: Int64?) {
        store.note(.notificationPassed(StoredNotification.Key(app: app, id: id), passed))
    }

    func noteBadge(_ badge: Int, of app: String) { store.note(.badgeSet(app, badge)) }

    func noteFetch(_ fetch: FetchRecord) { store.note(.fetchSet(Self.stored(fetch))) }

    func noteOpening(_ opening: UseHabits.Opening, of app: String) {
        store.note(
            .opened(StoredOpening(app: app, time: opening.time.microseconds, shown: opening.shown.text)))
    }

    func notePush(_ number: Int, of app: String, delivered: WallTime) {
        store.note(.pushDelivered(app: app, number: number, at: delivered.microseconds))
    }

    func noteRequestOver(_ id: String, of app: String) {
        store.note(.requestOver(StoredRequest.Key(app: app, id: id)))
    }

    // MARK: What is answered

    func keep(_ request: RequestRecord) -> Int? { ask(.change(.requestKept(Self.stored(request)))) }

    func dropRequests(_ ids: [String], of app: String) -> Int? {
        ask(.change(.together(ids.map { .requestOver(StoredRequest.Key(app: app, id: $0)) })))
    }

    func keep(_ push: PushRecord) -> Int? { ask(.change(.pushKept(Self.stored(push)))) }

    func push(_ number: Int, of app: String) -> Int? { ask(.push(app: app, number: number)) }

    func keep(_ fetch: FetchRecord) -> Int? { ask(.change(.fetchSet(Self.stored(fetch)))) }

    func keep(_ notification: NotificationRecord) -> Int? {
        ask(.change(.notificationKept(Self.stored(notification))))
    }

    func dropNotifications(_ ids: [String], of app: String) -> Int? {
        ask(.change(.together(ids.map { .notificationPassed(StoredNotification.Key(app: app, id: $0), nil) })))
    }

    func remove(_ app: String) -> Int? { ask(.change(.appRemoved(app))) }

    func history(of app: String?, limit: Int) -> Int? { ask(.history(app: app, limit: limit)) }

    private func ask(_ request: StoreRequest) -> Int? {
        guard let ticket = try? store.ask(request) else { return nil }
        lastNumber += 1
        asked.append((ticket, lastNumber))
        return lastNumber
    }

    func takeAnswers() -> [(number: Int, answer: RecordAnswer)] {
        store.takeCompletions().compactMap { completion in
            guard let index = asked.firstIndex(where: { $0.ticket == completion.ticket }) else { return nil }
            return (asked.remove(at: index).number, Self.answer(completion.result))
        }
    }

    private static func answer(_ result: StoreResult) -> RecordAnswer {
        switch result {
        case .kept, .held, .unknown, .loaded: .done
        case .busy: .busy
        case .push(let found): .push(found.map(push))
        case .history(let runs): .runs(runs.map(run))
        case .unreadable(let trouble): .unreadable(trouble.text)
        }
    }

    func takeNews() -> [String] { store.takeNews().map(\.text) }

    func stop() {
        store.note(.pruneRuns)
        store.stop()
    }
}
