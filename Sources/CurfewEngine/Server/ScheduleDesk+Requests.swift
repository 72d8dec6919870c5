import CurfewCore
import CurfewWire

/// `notify`, `cancel` and `schedule`.
extension ScheduleDesk {
    /// What the records were asked for.
    enum Keeping {
        case notification(NotificationRecord)
        case fetchInterval(Span, of: String)
        case push(PushRecord)
        case request(RequestRecord)
        /// Nil: all there are.
        case cancellingRequest(String?, of: String)
        /// Nil: all there are.
        case cancelling(String?, of: String)
    }

    /// Whose it is: the sender's own, or the one that is named. Nil once it was refused.
    func appName(_ request: ControlRequest) -> String? {
        if let app = request.app { return host.name(of: app) }
        guard let told = request.message["app"] else {
            host.refuse(request, "no-app", "app=NAME has to say which app is meant; `curfew apps` shows them")
            return nil
        }
        let name = host.app(named: told).map { host.name(of: $0) } ?? told
        if schedules[name] != nil || host.apps.list.contains(name) { return name }
        do throws(LaunchRefusal) {
            _ = try host.definition(named: name)
            return name
        } catch {
            host.refuse(request, error.code, error.problem)
            return nil
        }
    }

    /// Nothing launches what was removed, whoever asks. True once it was refused.
    func isRemoved(_ app: String, _ request: ControlRequest) -> Bool {
        if host.apps.list.mayLaunchInBackground(app) { return false }
        host.refuse(request, "app-removed", "\(app) was removed; it gets nothing until somebody opens it")
        return true
    }

    // MARK: notify

    func notify(_ request: ControlRequest) {
        guard let name = appName(request) else { return }
        let now = WallTimer.now
        do throws(BadNotification) {
            let reading = NotificationRequest(message: request.message, now: now, zones: zones)
            let notification = try reading.read(id: generatedID(for: name))
            var trial = LocalNotifications()
            // What begins just now isn't over.
            let passed = trial.passed(of: notification.rule, at: now - Span(nanoseconds: 1000), offset)
            guard case .kept = trial.keep(notification, passed: passed, offset) else {
                throw BadNotification("it would never come: its time is in none of the years \(CivilTime.years)")
            }
            let record = NotificationRecord(app: name, notification: notification, passed: passed)
            replacements.began(.init(app: name, id: notification.id))
            host.keep(.notification(record), request) { $0.keep(record) }
        } catch {
            host.refuse(request, "invalid", error.problem)
        }
    }

    private func generatedID(for app: String) -> String {
        repeat { lastGenerated += 1 } while schedules[app]?.notifications["n\(lastGenerated)"] != nil
        return "n\(lastGenerated)"
    }

    /// It is kept for good, and counts from now on.
    func kept(_ keeping: Keeping, _ request: ControlRequest) {
        switch keeping {
        case .notification(let record): kept(record, request)
        case .push(let record): keptPush(record, request)
        case .request(let record): keptRequest(record, request)
        case .cancellingRequest(let id, let app): cancelledRequest(id, of: app, request)
        case .fetchInterval(let interval, let app): keptInterval(interval, of: app, request)
        case .cancelling(let id, let app):
            let isKnown = schedules.change(app) { schedule in
                guard let id else {
                    schedule.notifications.cancelAll()
                    return true
                }
                return schedule.notifications.cancel(id)
            }
            host.accept(request, isKnown ? [] : [Field("ignored", "unknown-notification")])
        }
        arm()
    }

    /// It couldn't be: whoever has asked may ask again.
    func notKept(_ keeping: Keeping) {
        switch keeping {
        case .push(let record): pushNotKept(record)
        case .notification(let record):
            let (app, id) = (record.app, record.notification.id)
            guard case .some(let passed) = replacements.ended(.init(app: app, id: id), isKept: false) else { return }
            host.records?.noteNotification(id, of: app, passed: passed)
        case .request(let record): requestNotKept(record)
        case .fetchInterval, .cancellingRequest, .cancelling: break
        }
    }

    private func kept(_ record: NotificationRecord, _ request: ControlRequest) {
        let (app, notification) = (record.app, record.notification)
        _ = replacements.ended(.init(app: app, id: notification.id), isKept: true)
        let scheduling = schedules.keep(notification, passed: record.passed, of: app, offset)
        schedules.hold(app, !host.apps.list.mayLaunchInBackground(app))
        guard case .kept(let due, let dropped) = scheduling else {
            return host.refuse(request, "invalid", "it never comes")
        }
        if let dropped { host.noteOver(dropped, of: app) }
        let fields = [Field("notification", notification.id), Field("due", due.secondsText)]
        host.accept(request, fields + (dropped.map { [Field("dropped", $0)] } ?? []))
    }

    // MARK: cancel

    func cancel(_ request: ControlRequest) {
        guard let name = appName(request) else { return }
        if cancelRequests(request, of: name) { return }
        let id = request.message["notification"]
        guard id != nil || request.message["all"] == "1" else {
            return host.refuse(
                request, "invalid", "cancel needs notification=ID, all=1, request=ID or all=requests")
        }
        let waiting = schedules[name]?.notifications.pending.map(\.notification.id) ?? []
        // Those that are being kept are so before these are dropped.
        let ids = id.map { [$0] } ?? Array(Set(waiting).union(replacements.ids(of: name)))
        host.keep(.cancelling(id, of: name), request) { $0.dropNotifications(ids, of: name) }
    }

    // MARK: schedule

    func schedule(_ request: ControlRequest) {
        var names: [String] = []
        let isOfOne = request.app != nil || request.message["app"] != nil
        if isOfOne {
            guard let name = appName(request) else { return }
            schedules.move(name, offset)
            names = [name]
        } else {
            names = schedules.names
        }
        host.control?.reply(to: request) { [unowned self] in
            let all = scheduled(names, working: isOfOne ? [] : Array(works.keys))
            var left = all[...]
            let each: ControlSession.Lines = { left.popFirst().map { $0.message() } }
            let final = Message("ok", [Field("count", String(all.count))])
            return ControlServer.marked(ControlServer.lines(each, then: final), for: request)
        }
    }

    /// What of an app's is due, and when; its words are made once they are sent.
    private struct Scheduled {
        let due: WallTime
        let app: String
        let message: () -> Message
    }

    /// The soonest first. `working`: apps that may have nothing but what they work on.
    private func scheduled(_ names: [String], working: [String]) -> [Scheduled] {
        let machine = Self.condition(host.machine.reading())
        var all: [Scheduled] = []
        for name in Set(names).union(working).sorted() {
            let woken = [fetchFields(of: name), pushFields(of: name)].compactMap { $0 }
            all += (woken + requestFields(of: name, machine)).map { entry in
                Scheduled(due: entry.due, app: name) { Message("schedule", entry.fields) }
            }
            all += (schedules[name]?.notifications.pending ?? []).map { pending in
                Scheduled(due: pending.due, app: name) { [unowned self] in message(of: pending, name) }
            }
        }
        return all.sorted { ($0.due, $0.app) < ($1.due, $1.app) }
    }

    private func message(of pending: LocalNotifications.Pending, _ app: String) -> Message {
        let waits = schedules[app]?.obstacle(pending.due, at: WallTimer.now)
        return Message("schedule", fields(of: pending, app, waits))
    }

    private func fields(
        of pending: LocalNotifications.Pending, _ app: String, _ waits: ScheduleObstacle?
    ) -> [Field] {
        let notification = pending.notification
        let content = notification.content
        var fields = [
            Field("app", app), Field("kind", "notification"), Field("notification", notification.id),
            Field("due", pending.due.secondsText), Field("shown", shownText(pending.due)),
        ]
        switch notification.rule.zone {
        case nil: break
        case .local?: fields.append(Field("zone", "local"))
        case .named(let name)?: fields.append(Field("zone", name))
        }
        if let repetition = notification.rule.repetition { fields.append(Field("repeat", repetition.text)) }
        if let waits { fields.append(Field("waits", waits.word)) }
        if let badge = content.badge { fields.append(Field("badge", String(badge))) }
        return fields + [Field("title", content.title.isEmpty ? content.body : content.title)]
    }

    /// What the machine's clock shows then, and how far that is ahead of UTC: `2026-12-01 08:00:00 +01:00`.
    func shownText(_ time: WallTime) -> String {
        let offset = offset(.local, time)
        guard let shown = CivilTime(time, offset: { _ in offset }) else { return time.secondsText }
        let minutes = offset.magnitude / 60
        let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
        func digits(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return shown.text.replacing("T", with: " ") + (offset < 0 ? " -" : " +") + digits(hours) + ":" + digits(rest)
    }

    // MARK: status

    /// What `status` shows of an app.
    func fields(of app: String) -> [Field] {
        schedules.move(app, offset)
        guard let schedule = schedules[app] else { return [] }
        var fields: [Field] = []
        if schedule.badge > 0 { fields.append(Field("badge", String(schedule.badge))) }
        if let next = schedule.notifications.pending.first {
            fields.append(Field("notifications", String(schedule.notifications.pending.count)))
            fields.append(Field("next-notification", shownText(next.due)))
        }
        if let due = schedule.fetch.due { fields.append(Field("next-fetch", shownText(due))) }
        if !schedule.requests.pending.isEmpty {
            fields.append(Field("requests", String(schedule.requests.pending.count)))
        }
        return fields
    }
}
