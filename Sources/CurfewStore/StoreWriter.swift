import CurfewLinux

/// What the store's thread does, without the thread: opens, writes, answers, and what follows when that fails.
///
/// Nothing here waits but SQLite, for somebody else's transaction, and the lock, for a moment.
final class StoreWriter {
    /// A request, or without a ticket a note, which nobody waits for.
    struct Job: Sendable {
        var ticket: StoreTicket?
        var request: StoreRequest
    }

    private let files: DatabaseFiles
    private let clock: StoreClock
    private var lock: ServerLock?
    private var database: ServerDatabase?
    private var records = StoreRecords()
    private var retryPause = RetryPause()
    private var timesMovedAside = 0
    private var isAfterReboot = false
    /// Whether the server had to begin without what a database has, which may be opened later.
    private var isLate = false
    private(set) var state = StoreState()
    private(set) var news: [StoreNews] = []
    /// When what couldn't be written is to be tried again, in nanoseconds of the clock; nil: all is written.
    private(set) var nextTry: Int64?

    init(_ files: DatabaseFiles, clock: StoreClock) {
        self.files = files
        self.clock = clock
    }

    /// Opens the database, or begins in memory where that fails for now.
    func begin() throws(StoreRefusal) {
        do throws(DatabaseFault) {
            try open()
        } catch {
            if case .refused(let refusal) = error {
                lock?.release()
                throw refusal
            }
            fail(error)
            isLate = true
        }
    }

    func takeNews() -> [StoreNews] {
        defer { news = [] }
        return news
    }

    /// Tries once more to write what is held, whatever the pause.
    func close() {
        if !records.held.isEmpty { _ = write(records.held) }
        database?.close()
        database = nil
        lock?.release()
        lock = nil
    }

    /// Changes that stand together are one transaction. The answers are in the order of the jobs.
    func perform(_ jobs: [Job]) -> [StoreCompletion] {
        var answers: [StoreCompletion] = []
        var changes: [(ticket: StoreTicket?, change: StoreChange)] = []
        for job in jobs {
            if case .change(let change) = job.request {
                changes.append((job.ticket, change))
                continue
            }
            answers += commit(changes)
            changes = []
            let result = read(job.request)
            if let ticket = job.ticket { answers.append(StoreCompletion(ticket: ticket, result: result)) }
        }
        return answers + commit(changes)
    }

    /// Writes what is held, if it is time.
    func tryAgain() {
        guard let nextTry, clock.monotonic() >= nextTry else { return }
        if write(records.held) == .busy { fail(.busy) }
    }

    /// Notes that never came to be jobs.
    func lose(_ count: Int) { state.lost += count }

    // MARK: - Changes

    private func commit(_ changes: [(ticket: StoreTicket?, change: StoreChange)]) -> [StoreCompletion] {
        guard !changes.isEmpty else { return [] }
        var rows = records.held
        let applied = changes.map { records.apply($0.change, to: &rows) }
        let result = rows.isEmpty ? .kept : isTimeToWrite ? write(rows) : hold(rows)
        if result == .busy { holdNotes(changes) }
        return zip(changes, applied).compactMap { change, isApplied in
            change.ticket.map { StoreCompletion(ticket: $0, result: isApplied ? result : .unknown) }
        }
    }

    /// Whoever is answered "busy" has changed nothing; what nobody waits for is held.
    private func holdNotes(_ changes: [(ticket: StoreTicket?, change: StoreChange)]) {
        var rows = records.held
        for each in changes where each.ticket == nil { _ = records.apply(each.change, to: &rows) }
        records.hold(rows)
        if !rows.isEmpty { fail(.busy) }
    }

    /// A full disk isn't tried for each request; somebody's transaction may be over at any time.
    private var isTimeToWrite: Bool {
        guard let nextTry else { return true }
        return database != nil && state.trouble == .busy || clock.monotonic() >= nextTry
    }

    private func hold(_ rows: StoreRows) -> StoreResult {
        records.hold(rows)
        state.lost += records.dropRuns()
        state.held = records.held.count
        return .held
    }

    /// To this database, or to the next if this one turns out to be none any more. After `busy` nothing has changed.
    private func write(_ rows: StoreRows) -> StoreResult {
        let earlier = records.held
        records.hold(rows)
        do throws(DatabaseFault) {
            if let database {
                try database.write(rows)
                return written()
            }
            try open()
        } catch {
            switch error {
            case .trouble(.busy) where database != nil:
                records.hold(earlier)
                return .busy
            case .damaged, .differs:
                guard renew(after: error) else { return .held }
            case .trouble, .refused: return fail(error)
            }
        }
        do throws(DatabaseFault) {
            try database?.write(records.held)
            return written()
        } catch {
            return fail(error)
        }
    }

    private func written() -> StoreResult {
        records.written()
        state.held = 0
        nextTry = nil
        retryPause = RetryPause()
        if state.trouble != nil { news.append(.keptAgain) }
        state.trouble = nil
        return .kept
    }

    // MARK: - Reading

    private func read(_ request: StoreRequest) -> StoreResult {
        switch request {
        case .load:
            let (apps, lastRuns) = records.server
            let schedules = records.schedules
            return .loaded(
                StoredServer(
                    apps: apps, lastRuns: lastRuns, isAfterReboot: isAfterReboot,
                    notifications: schedules.notifications,
                    badges: schedules.badges, fetches: schedules.fetches, openings: schedules.openings,
                    pushes: schedules.pushes, requests: schedules.requests))
        case .history(let app, let limit): return history(of: app, limit: max(0, min(limit, StoreBounds.runs)))
        case .push(let app, let number): return push(app, number)
        case .change: preconditionFailure("changes are committed")
        }
    }

    private func push(_ app: String, _ number: Int) -> StoreResult {
        if let held = records.heldPush(app, number) { return .push(held) }
        do throws(DatabaseFault) {
            return .push(try database?.push(app, number))
        } catch {
            return unread(after: error)
        }
    }

    private func unread(after fault: DatabaseFault) -> StoreResult {
        switch fault {
        case .trouble(let trouble): return trouble == .busy ? .busy : .unreadable(trouble)
        case .refused(let refusal): return .unreadable(Self.trouble(refusal))
        case .damaged(let what), .differs(let what):
            // The next database has all that is known.
            if renew(after: fault) { _ = write(records.held) }
            return .unreadable(.failing(what))
        }
    }

    private func history(of app: String?, limit: Int) -> StoreResult {
        do throws(DatabaseFault) {
            return .history(
                records.history(of: app, limit: limit, above: try database?.history(of: app, limit: limit) ?? []))
        } catch {
            return unread(after: error)
        }
    }

    // MARK: - Opening

    private func open() throws(DatabaseFault) {
        if lock == nil { lock = try takeLock() }
        let opened: ServerDatabase
        do throws(DatabaseFault) {
            opened = try ServerDatabase(files, clock: clock)
        } catch {
            guard case .damaged(let what) = error else { throw error }
            try moveAside(what)
            opened = try ServerDatabase(files, clock: clock)
        }
        do throws(DatabaseFault) {
            records.loaded(try opened.load(), late: isLate)
            database = opened
        } catch {
            opened.close()
            guard case .damaged(let what) = error else { throw error }
            try moveAside(what)
            database = try ServerDatabase(files, clock: clock)
        }
        isLate = false
        isAfterReboot = database?.isAfterReboot ?? false
    }

    private func takeLock() throws(DatabaseFault) -> ServerLock {
        do throws(KernelError) {
            try files.prepare()
        } catch {
            throw DatabaseFault(error)
        }
        switch ServerLock.take(files.lock, clock) {
        case .taken(let lock): return lock
        case .held(let pid): throw .refused(.anotherServer(path: files.database, pid: pid))
        case .failed(let error): throw DatabaseFault(error)
        }
    }

    /// Gives up the database that is open: a damaged one is moved aside, one that somebody has changed is opened anew. All that is
    /// known is to be written then. False: there is none for now.
    private func renew(after fault: DatabaseFault) -> Bool {
        database?.close()
        database = nil
        records.forgotten()
        do throws(DatabaseFault) {
            if case .damaged(let what) = fault { try moveAside(what) }
            database = try ServerDatabase(files, clock: clock)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func moveAside(_ what: String) throws(DatabaseFault) {
        guard timesMovedAside < StoreBounds.movedAside else {
            throw .trouble(.failing("damaged again and again: \(what)"))
        }
        do throws(KernelError) {
            let path = try files.moveAside(at: clock.calendar())
            timesMovedAside += 1
            state.movedAside = path
            news.append(.damaged(what, movedTo: path))
        } catch {
            throw DatabaseFault(error)
        }
    }

    // MARK: - Trouble

    @discardableResult private func fail(_ fault: DatabaseFault) -> StoreResult {
        switch fault {
        case .trouble(let trouble): fail(trouble)
        case .damaged(let what), .differs(let what): fail(.failing(what))
        case .refused(let refusal): fail(Self.trouble(refusal))
        }
        return .held
    }

    private func fail(_ trouble: StoreTrouble) {
        if state.trouble == nil { news.append(.notKept(trouble)) }
        state.trouble = trouble
        state.lost += records.dropRuns()
        state.held = records.held.count
        nextTry = clock.monotonic() + retryPause.next()
    }

    private static func trouble(_ refusal: StoreRefusal) -> StoreTrouble {
        switch refusal {
        case .anotherServer(_, let pid): .anotherServer(pid: pid)
        case .newer, .foreign, .noThread: .failing(refusal.text)
        }
    }
}
