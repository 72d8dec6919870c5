import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire

/// What outlives the server: the list, what bare commands are, and runs with their ends.
extension ServeHost {
    // MARK: At the start

    /// The list, and what it says of how each ended last.
    func loadRecords() {
        guard let records else { return }
        _ = curfew_epoll_add(epoll.number, records.descriptor, 1, Kind.records.token())
        let kept = records.load()
        let now = engine.now.lifecycle
        for app in kept.apps {
            let end = app.lastRun.map { runEnd(of: $0, of: app, isAfterReboot: kept.isAfterReboot) }
            let ended = app.lastRun?.end.map { now - Span(nanoseconds: max(0, Self.calendar - $0.ended) * 1000) }
            apps.restore(app, bareDefinition(of: app), end, at: ended ?? now)
            if let run = app.lastRun, let end, run.end == nil || app.restart != nil {
                unseen.append(
                    UnseenEnd(
                        app: app.name, run: run.end == nil ? run.number : nil, reason: end.reason,
                        restart: run.end == nil ? nil : app.restart))
            }
        }
        apps.restoreList(
            mostRecentFirst: kept.apps.filter { !$0.isRemoved }.map(\.name),
            removed: kept.apps.filter(\.isRemoved).map(\.name))
        desk.restore(kept)
        tellNews()
    }

    /// A run whose end nobody saw, for its server was killed before; or a launch to come that this server was killed before.
    struct UnseenEnd {
        let app: String
        /// The number of a run whose end is to be noted.
        let run: Int?
        let reason: EndReason
        let restart: RestartRecord?
    }

    /// Launched again is what says `restart`. Before anything is launched: an end is its app's latest run's.
    func restartUnseen() {
        let now = engine.now.lifecycle
        for unseen in unseen {
            var pause: Span?
            if apps.list.mayLaunchInBackground(unseen.app), let definition = try? definition(named: unseen.app) {
                let planned = unseen.restart.map { restart in
                    (
                        pause: Span(nanoseconds: restart.pause * 1000),
                        left: Span(nanoseconds: max(0, restart.due - Self.calendar) * 1000)
                    )
                }
                pause = apps.plan(restartOf: unseen.app, definition.restart, at: now, planned: planned)
            }
            if let run = unseen.run {
                // How long it had lived nobody has seen.
                records?.noteEnd(
                    of: unseen.app, run: run, .init(ended: Self.calendar, reason: unseen.reason),
                    Self.restart(after: pause), restoredEnds: 0)
            }
        }
        unseen = []
    }

    private static func restart(after pause: Span?) -> RestartRecord? {
        pause.map { RestartRecord(pause: $0.nanoseconds / 1000, due: calendar + $0.nanoseconds / 1000) }
    }

    /// It is launched again after that pause; nil: not any more.
    func noteRestart(of name: String, after pause: Span?) { records?.noteRestart(of: name, Self.restart(after: pause)) }

    private func runEnd(of run: RunRecord, of app: AppRecord, isAfterReboot: Bool) -> RunEnd {
        guard let end = run.end else { return .unseen(isReboot: isAfterReboot, life: .zero) }
        let life = Span(nanoseconds: max(0, end.ended - run.began) * 1000)
        // Whoever was to be launched again has failed, as far as its `restart` is concerned.
        return RunEnd(end.reason, isFailure: app.restart != nil, wasInFront: run.wasInFront, life: life)
    }

    /// With the server's environment, for its own isn't kept; nil for one that is written elsewhere.
    private func bareDefinition(of app: AppRecord) -> ServedDefinition? {
        guard app.source == .bare else { return nil }
        var order = LaunchOrder()
        order.name = app.name
        order.command = app.command
        order.options = app.options
        order.directory = app.directory
        do throws(DefinitionRefusal) {
            let definition = try definitions.definition(of: order)
            definition.environment = nil
            return definition
        } catch {
            complain("\(app.name): what was kept of it can't be launched: \(error.problem)")
            return nil
        }
    }

    // MARK: While it runs

    /// In microseconds since 1970.
    private static var calendar: Int64 { curfew_realtime_nanoseconds() / 1000 }

    func noteLaunch(of instance: Instance, _ definition: ServedDefinition, inBackground: Bool) {
        guard let records, let entry = apps[definition.name] else { return }
        var app = AppRecord(
            name: definition.name, source: definition.source, command: definition.plan.manifest.words,
            options: definition.options, directory: definition.directory)
        app.launches = entry.launches
        let run = RunRecord(
            app: app.name, number: entry.launches, began: Self.calendar, pid: instance.tree.leader,
            wasInFront: !inBackground)
        records.noteLaunch(of: app, run, toFront: !inBackground)
    }

    /// `pause`: after which it is launched again; nil: it stays ended.
    func noteEnd(of instance: Instance, _ entry: ServedApps.Entry, pause: Span?) {
        guard let end = entry.end else { return }
        let measures = instance.reporter.measures
        records?.noteEnd(
            of: entry.name, run: entry.launches,
            .init(
                ended: Self.calendar, reason: end.reason, status: entry.status,
                cpu: Int64(clamping: measures.cpuMicroseconds),
                peak: measures.peakMemory.map { Int64(clamping: $0) }), Self.restart(after: pause),
            restoredEnds: entry.restoredEnds)
    }

    // MARK: Requests

    /// What the records were asked for, by whom.
    enum RecordRequest {
        case history(ControlRequest)
        /// `launches`: how often it had been launched by then.
        case removal(ControlRequest, of: String, launches: Int)
        case payload(ControlRequest)
        case schedule(ControlRequest, ScheduleDesk.Keeping)
    }

    /// Off the list once that is kept for good, and answered then; where it can't be, it stays in the list.
    func keepRemoval(of name: String, _ request: ControlRequest) {
        guard let records else {
            remove(name)
            return accept(request)
        }
        guard let number = records.remove(name) else {
            apps.keep(name)
            return refuseRemoval(of: name, request)
        }
        apps.willRemove(name)
        owe(request)
        recordRequests[number] = .removal(request, of: name, launches: apps[name]?.launches ?? 0)
    }

    private func removalAnswered(_ answer: RecordAnswer, _ request: ControlRequest, _ name: String, _ launches: Int) {
        if case .busy = answer {
            apps.keep(name)
            return refuseRemoval(of: name, request)
        }
        // Launched meanwhile, it has come back to the list.
        if apps[name]?.launches == launches { remove(name) }
        accept(request)
    }

    /// Off the list: nothing of what it has scheduled is due any more.
    private func remove(_ name: String) {
        apps.remove(name)
        desk.held(name, true)
    }

    private func refuseRemoval(of name: String, _ request: ControlRequest) {
        refuse(request, "busy", "\(name) stays in the list: \(Self.whyBusy)")
    }

    func history(_ request: ControlRequest) {
        guard let records else {
            return refuse(request, "unsupported", "this server keeps no history")
        }
        let limit = request.message["limit"].flatMap { Int($0) } ?? Self.usualHistory
        guard limit > 0 else { return refuse(request, "invalid", "limit needs a number above 0") }
        // A pid names the app whose it is.
        let name = request.message["app"].map { told in app(named: told).map { self.name(of: $0) } ?? told }
        if let name, app(called: name) == nil, apps[name] == nil, !knows(name) {
            return refuse(request, "no-app", "nothing is known of an app called \(name); `curfew apps` shows what is")
        }
        guard let number = records.history(of: name, limit: limit) else {
            return refuseBusy(request)
        }
        owe(request)
        recordRequests[number] = .history(request)
    }

    private static var usualHistory: Int { 100 }

    func answerRecords() {
        for (number, answer) in records?.takeAnswers() ?? [] {
            switch recordRequests.removeValue(forKey: number) {
            case .history(let request): historyAnswered(answer, request)
            case .removal(let request, let name, let launches): removalAnswered(answer, request, name, launches)
            case .payload(let request): payloadAnswered(answer, request)
            case .schedule(let request, let keeping): scheduleAnswered(answer, keeping, request)
            case nil: break
            }
        }
        tellNews()
    }

    private func historyAnswered(_ answer: RecordAnswer, _ request: ControlRequest) {
        switch answer {
        case .done, .push: accept(request)
        case .busy: refuseBusy(request)
        case .unreadable(let why): refuse(request, "failed", "the history can't be read: \(why)")
        case .runs(let runs):
            control?.reply(to: request) {
                var left = runs[...]
                let each = { left.popFirst().map { Message("run", Self.fields(of: $0)) } }
                return ControlServer.marked(ControlServer.lines(each, then: Message("ok")), for: request)
            }
        }
    }

    func refuseBusy(_ request: ControlRequest) { refuse(request, "busy", Self.whyBusy) }

    private static var whyBusy: String {
        "the server's database is in use by somebody else, or too much waits for it; try again"
    }

    private func tellNews() { for news in records?.takeNews() ?? [] { complain(news) } }

    private static func fields(of run: RunRecord) -> [Field] {
        func seconds(_ microseconds: Int64) -> String { Seconds.text(nanoseconds: microseconds * 1000) }
        var fields = [Field("app", run.app), Field("number", String(run.number)), Field("began", seconds(run.began))]
        if let end = run.end {
            fields += [Field("ended", seconds(end.ended)), Field("reason", end.reason.word)]
            if let status = end.status { fields.append(Field("status", String(status))) }
            if let cpu = end.cpu { fields.append(Field("cpu", seconds(cpu))) }
            if let peak = end.peak { fields.append(Field("memory-peak", String(peak))) }
        }
        return fields
    }
}
