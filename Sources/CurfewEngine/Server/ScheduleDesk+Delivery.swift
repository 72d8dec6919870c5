import CurfewCore
import CurfewLinux
import CurfewWire

/// What is due: told to an app that is in front, shown for any other.
extension ScheduleDesk {
    func deliver(_ due: Due) {
        host.noteDelivery(due, badge: due.notification.content.badge)
        deliver(
            Notice(
                app: due.app, notification: due.notification, event: LocalNotification.event,
                info: due.notification.info))
    }

    func deliver(_ notice: Notice) {
        let content = notice.notification.content
        let isShown = !content.title.isEmpty || !content.body.isEmpty
        if isShown, tellInFront(notice) { return }
        let way = isShown ? show(notice) : "badge"
        host.record(.notified(notice.notification, by: way), ofAppNamed: notice.app)
    }

    func isInFront(_ name: String) -> Bool {
        guard let app = host.app(called: name).flatMap({ host.app($0) }) else { return false }
        // Who is being ended hears of nothing any more, though it hasn't left the front.
        return app.state.isForeground && app.isAware && app.rejectionOfOpening == nil
    }

    /// A plain app hears of nothing, wherever it is: for that one it is shown.
    func tellInFront(_ notice: Notice) -> Bool {
        guard isInFront(notice.app), let id = host.app(called: notice.app) else { return false }
        host.record(.notified(notice.notification, by: "app"), of: id)
        host.feed(.app(id, .post(PostedEvent(notice.event, notice.info), request: nil)))
        return true
    }

    /// One that runs. False where it hears of nothing: it is being ended, lacks the mode, or has too much to hear of.
    func wake(_ app: AppID, for event: PostedEvent) -> Bool {
        guard host.app(app)?.rejection(ofWakingFor: event) == nil else { return false }
        host.feed(.app(app, .wake(event, request: nil)))
        return true
    }

    // MARK: On the desktop

    private func show(_ notice: Notice) -> String {
        guard desktop != nil else {
            tell(notice, because: nil)
            return "log"
        }
        switch shown.show(of: notice.app, hasAction: notice.notification.content.action != nil) {
        case .waiting(let number): show(notice, as: number, withAction: true)
        case .passing(let number): show(notice, as: number, withAction: false)
        case .summedUp: return "summary"
        }
        return "desktop"
    }

    private func show(_ notice: Notice, as number: Int, withAction: Bool) {
        notices[number] = notice
        let content = notice.notification.content
        show(
            DesktopNotice(
                number: number, app: notice.app, title: content.title, body: content.body,
                action: withAction ? content.action : nil, sound: content.sound))
    }

    private func show(_ notice: DesktopNotice) {
        guard desktop?.show(notice, host.environment.ofSession) == true else {
            return ended(.failed(notice.number, reason: "what shows notifications doesn't answer"))
        }
    }

    /// Something has become of what is shown.
    func desktopTold() {
        guard let answers = desktop?.takeAnswers() else {
            desktop = nil
            let lost = (Array(notices.keys) + Array(summaries.keys)).sorted()
            for number in lost { ended(.failed(number, reason: "what shows notifications was killed")) }
            return
        }
        for answer in answers { ended(answer) }
    }

    private func ended(_ answer: DesktopAnswer) {
        let notice = notices.removeValue(forKey: answer.number)
        let lostSummary = summaries.removeValue(forKey: answer.number)
        let summary = shown.ended(answer.number)
        switch answer {
        case .chosen: if let notice { open(notice) }
        case .closed: hasComplained = false
        case .failed(_, let reason):
            if let notice { tell(notice, because: reason) }
            if let text = lostSummary { tell(text, because: reason) }
        }
        if let summary { show(summary) }
    }

    private func show(_ summary: ShownNotifications.Summary) {
        let count = summary.apps.values.reduce(0, +)
        let apps = summary.apps.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key): \($0.value)" }
        let title = "\(count) more notification\(count == 1 ? "" : "s")"
        summaries[summary.number] = "\(title): \(apps.joined(separator: ", "))"
        show(
            DesktopNotice(
                number: summary.number, app: "curfew", title: title, body: apps.joined(separator: "\n")))
    }

    /// Nothing shows it: it stands in the server's own log.
    private func tell(_ notice: Notice, because reason: String?) {
        let texts = [notice.notification.content.title, notice.notification.content.body].filter { !$0.isEmpty }
        tell("notification from \(notice.app): \(texts.joined(separator: ": "))", because: reason)
    }

    private func tell(_ text: String, because reason: String?) {
        if let reason, !hasComplained {
            hasComplained = true
            host.complain("notifications can't be shown on the desktop, and are told here: \(reason)")
        }
        host.complain(Printable.text(text))
    }

    // MARK: Its button

    /// Its app comes to the front with it. Source: Apple, `UIApplication.LaunchOptionsKey.localNotification`.
    private func open(_ notice: Notice) {
        hasComplained = false
        // It hears of nothing any more: the next run is told.
        if isBeingEnded(notice.app) { return pressed[notice.app] = notice }
        if let id = host.app(called: notice.app) {
            // Before it is opened: what is kept for a suspended app comes between `willEnterForeground` and `didBecomeActive`.
            host.feed(.app(id, .post(PostedEvent(notice.event, notice.info), request: nil)))
            return host.feed(.app(id, .open(request: nil)))
        }
        do throws(LaunchRefusal) {
            let definition = try host.definition(named: notice.app)
            try host.launch(definition, LaunchOptions(info: Self.fitting(definition.launch.info, notice.info)))
        } catch {
            host.complain("\(notice.app): couldn't be launched for its notification: \(error.problem)")
        }
    }

    private func isBeingEnded(_ app: String) -> Bool {
        host.app(called: app).flatMap { host.app($0) }?.rejectionOfOpening != nil
    }

    /// When `openPressed` has something to do; nil: before an app has ended it has nothing.
    var nextOpening: Instant? { pressed.keys.allSatisfy(isBeingEnded) ? nil : host.lifecycleNow }

    /// Those whose app has ended by now, as they would have been.
    func openPressed() {
        for app in pressed.keys.sorted().filter({ !isBeingEnded($0) }).prefix(ServeHost.launchesPerTurn) {
            if let notice = pressed.removeValue(forKey: app) { open(notice) }
        }
    }

    /// Somebody has ended that app since, or taken it off the list; nil: all of them.
    func forgetPressed(of app: String?) {
        if let app { pressed[app] = nil } else { pressed.removeAll() }
    }

    /// What an app is always told at its launch, where that leaves room.
    private static func fitting(_ usual: [Info], _ info: [Info]) -> [Info] {
        let all = usual + info
        let fits = PostedEvent("", all).fitsOneLine(as: .lifecycle(.didFinishLaunching))
        return fits && all.count <= Info.maximumCount ? all : info
    }
}
