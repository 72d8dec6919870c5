import CurfewCore
import CurfewWire

/// What the schedules' desk needs of the server: what is kept, and who hears of it.
extension ServeHost {
    /// Answers what is about schedules; false for anything else.
    func answerSchedules(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        switch verb {
        case .notify: desk.notify(request)
        case .cancel: desk.cancel(request)
        case .schedule: desk.schedule(request)
        case .push: desk.push(request)
        case .payload: desk.payload(request)
        case .fetch: desk.fetch(request)
        case .fetchInterval: desk.fetchInterval(request)
        case .submit: desk.submit(request)
        case .runRequest: desk.runRequest(request)
        case .expireRequest: desk.expireRequest(request)
        default: return false
        }
        return true
    }

    /// Counts once it is kept for good; where nothing is kept, at once.
    func keep(
        _ keeping: ScheduleDesk.Keeping, _ request: ControlRequest, _ ask: (any ServerRecords) -> Int?
    ) {
        guard let records else { return desk.kept(keeping, request) }
        if let app = request.app, !mayKeepMore(of: app) {
            desk.notKept(keeping)
            return refuse(
                request, "busy",
                "\(Self.mostKeptOfAnApp) requests of \(name(of: app)) wait to be kept, as many as may of one app; "
                    + "ask again once one is answered")
        }
        guard let number = ask(records) else {
            desk.notKept(keeping)
            return refuseBusy(request)
        }
        owe(request)
        recordRequests[number] = .schedule(request, keeping)
    }

    /// One app that asks on and on doesn't take the places of all others.
    private func mayKeepMore(of app: AppID) -> Bool {
        let waiting = recordRequests.values.filter {
            if case .schedule(let other, _) = $0 { other.app == app } else { false }
        }
        return waiting.count < Self.mostKeptOfAnApp
    }

    /// A quarter of what may wait for the records.
    private static let mostKeptOfAnApp = 16

    func scheduleAnswered(_ answer: RecordAnswer, _ keeping: ScheduleDesk.Keeping, _ request: ControlRequest) {
        if case .busy = answer {
            desk.notKept(keeping)
            return refuseBusy(request)
        }
        desk.kept(keeping, request)
    }

    func askForPush(_ push: Int, of app: String, _ request: ControlRequest) {
        guard let records else { return desk.tell(nil, request) }
        guard let number = records.push(push, of: app) else { return refuseBusy(request) }
        owe(request)
        recordRequests[number] = .payload(request)
    }

    func payloadAnswered(_ answer: RecordAnswer, _ request: ControlRequest) {
        switch answer {
        case .push(let push): desk.tell(push, request)
        case .unreadable(let why): refuse(request, "failed", "the payload can't be read: \(why)")
        case .busy, .done, .runs: refuseBusy(request)
        }
    }

    func noteDelivery(_ due: Schedules.Due, badge: Int?) {
        let id = due.notification.id
        if !desk.replacements.remembers(.init(app: due.app, id: id), passed: due.passed) {
            records?.noteNotification(id, of: due.app, passed: due.passed)
        }
        if let badge { records?.noteBadge(badge, of: due.app) }
    }

    func noteOver(_ id: String, of app: String) { records?.noteNotification(id, of: app, passed: nil) }

    /// An app that doesn't run has no history: who follows its last run, or all apps, hears of it all the same.
    func record(_ record: EventRecord, ofAppNamed name: String) {
        if let app = app(called: name) { return self.record(record, of: app) }
        let entry = EventLog.Entry(number: 0, instant: kernel.now, record: record)
        control?.tell(entry, named: name, last: apps[name]?.lastApp)
    }
}
