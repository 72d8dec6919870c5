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
        _ = curfew_epoll_add(epoll.number, records.descriptor, 1, Source.records.token())
        let kept = records.load()
        let now = engine.now.lifecycle
        for app in kept.apps {
            let end = app.lastRun.map { runEnd(of: $0, isAfterReboot: kept.isAfterReboot) }
            let ended = app.lastRun?.end.map { now - Span(nanoseconds: max(0, Self.calendar - $0.ended) * 1000) }
            apps.restore(app, bareDefinition(of: app), end, at: ended ?? now)
            if let run = app.lastRun, run.end == nil, let end {
                unseen.append(app.name)
                records.noteEnd(of: app.name, run: run.number, .init(ended: Self.calendar, reason: end.reason))
            }
        }
        apps.restoreList(
            mostRecentFirst: kept.apps.filter { !$0.isRemoved }.map(\.name),
            removed: kept.apps.filter(\.isRemoved).map(\.name))
        tellNews()
    }

    private func runEnd(of run: RunRecord, isAfterReboot: Bool) -> RunEnd {
        guard let end = run.end else { return .unseen(isReboot: isAfterReboot, life: .zero) }
        let life = Span(nanoseconds: max(0, end.ended - run.began) * 1000)
        return RunEnd(end.reason, wasInFront: run.wasInFront, life: life)
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
            name: definition.name, source: definition.source, command: definition.plan.manifest.commandLine,
            options: definition.options, directory: definition.directory)
        app.launches = entry.launches
        let run = RunRecord(
            app: app.name, number: entry.launches, began: Self.calendar, pid: instance.tree.leader,
            wasInFront: !inBackground)
        records.noteLaunch(of: app, run, toFront: !inBackground)
    }

    func noteEnd(of instance: Instance, _ entry: ServedApps.Entry) {
        guard let end = entry.end else { return }
        let measures = instance.reporter.measures
        records?.noteEnd(
            of: entry.name, run: entry.launches,
            .init(
                ended: Self.calendar, reason: end.reason, status: entry.status,
                cpu: Int64(clamping: measures.cpuMicroseconds),
                peak: measures.peakMemory.map { Int64(clamping: $0) }))
    }

    // MARK: Requests

    /// What the records were asked for, by whom.
    enum RecordRequest {
        case history(ControlRequest)
        /// `launches`: how often it had been launched by then.
        case removal(ControlRequest, of: String, launches: Int)
    }

    /// Off the list once that is kept for good, and answered then; where it can't be, it stays in the list.
    func keepRemoval(of name: String, _ request: ControlRequest) {
        guard let records else {
            apps.remove(name)
            return accept(request)
        }
        guard let number = records.remove(name) else {
            apps.keep(name)
            return refuseRemoval(of: name, request)
        }
        apps.willRemove(name)
        recordRequests[number] = .removal(request, of: name, launches: apps[name]?.launches ?? 0)
    }

    private func removalAnswered(_ answer: RecordAnswer, _ request: ControlRequest, _ name: String, _ launches: Int) {
        if case .busy = answer {
            apps.keep(name)
            return refuseRemoval(of: name, request)
        }
        // Launched meanwhile, it has come back to the list.
        if apps[name]?.launches == launches { apps.remove(name) }
        accept(request)
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
        guard let number = records.history(of: name, limit: limit) else {
            return refuseBusy(request)
        }
        recordRequests[number] = .history(request)
    }

    private static var usualHistory: Int { 100 }

    func answerRecords() {
        for (number, answer) in records?.takeAnswers() ?? [] {
            switch recordRequests.removeValue(forKey: number) {
            case .history(let request): historyAnswered(answer, request)
            case .removal(let request, let name, let launches): removalAnswered(answer, request, name, launches)
            case nil: break
            }
        }
        tellNews()
    }

    private func historyAnswered(_ answer: RecordAnswer, _ request: ControlRequest) {
        switch answer {
        case .done: accept(request)
        case .busy: refuseBusy(request)
        case .unreadable(let why): refuse(request, "failed", "the history can't be read: \(why)")
        case .runs(let runs):
            for run in runs { reply(to: request, Message("run", Self.fields(of: run))) }
            accept(request)
        }
    }

    private func refuseBusy(_ request: ControlRequest) { refuse(request, "busy", Self.whyBusy) }

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
