import CurfewCore
import CurfewLinux
import CurfewWire

/// Remote notifications: what somebody elsewhere has for an app.
extension ScheduleDesk {
    static var pushEvent: String { BackgroundMode.remoteNotification.rawValue }
    private static let maximumIDBytes = 64

    // MARK: Requests

    /// `push`: answered once it is kept for good.
    func push(_ request: ControlRequest) {
        guard let name = appName(request) else { return }
        if isRemoved(name, request) { return }
        do throws(BadNotification) {
            let bytes = try payload(of: request)
            guard bytes.count <= RemotePayload.maximumBytes else {
                return host.refuse(
                    request, "PayloadTooLarge",
                    "the payload has more than \(RemotePayload.maximumBytes) bytes, and nothing was delivered")
            }
            try push(request, to: name, bytes, RemotePayload(bytes))
        } catch {
            host.refuse(request, "invalid", error.problem)
        }
    }

    private func payload(of request: ControlRequest) throws(BadNotification) -> [UInt8] {
        if let text = request.message["payload"] { return Array(text.utf8) }
        guard let file = request.message["order"] else {
            throw BadNotification("push needs payload=JSON, or order=FILE")
        }
        do throws(DefinitionRefusal) {
            return try LaunchOrder.takeBytes(file, in: host.directory.serverFolder)
        } catch {
            throw BadNotification(error.problem)
        }
    }

    private func push(
        _ request: ControlRequest, to name: String, _ bytes: [UInt8], _ payload: RemotePayload
    ) throws(BadNotification) {
        if payload.isSilent, let mode = missingMode(of: name, for: Self.pushEvent) {
            return host.refuse(request, "no-background-mode", Self.lacks(mode, name))
        }
        let id = request.message["apns-id"]
        if let id {
            guard 1...Self.maximumIDBytes ~= id.utf8.count else {
                throw BadNotification("apns-id= has 1 to \(Self.maximumIDBytes) bytes")
            }
            if isRepeated(.init(app: name, id: id), request) { return }
        }
        lastPush += 1
        let record = PushRecord(
            app: name, number: lastPush, received: WallTimer.now, apnsID: id, isSilent: payload.isSilent,
            payload: String(decoding: bytes, as: UTF8.self))
        host.keep(.push(record), request) { $0.keep(record) }
    }

    /// True where the id is known already; then it is answered, be it later.
    private func isRepeated(_ key: Replacements.Key, _ request: ControlRequest) -> Bool {
        if repeatedPushes[key] != nil {
            host.owe(request)
            repeatedPushes[key]?.append(request)
            return true
        }
        guard schedules.change(key.app, { $0.isNew(push: key.id) }) else {
            acceptRepeated(request)
            return true
        }
        repeatedPushes[key] = []
        return false
    }

    private func acceptRepeated(_ request: ControlRequest) { host.accept(request, [Field("ignored", "known-apns-id")]) }

    private func takeRepeated(of record: PushRecord) -> [ControlRequest] {
        record.apnsID.flatMap { repeatedPushes.removeValue(forKey: .init(app: record.app, id: $0)) } ?? []
    }

    /// As it runs, or else as it would be launched.
    func missingMode(of name: String, for event: String) -> BackgroundMode? {
        let running = host.app(called: name).flatMap { host.app($0)?.policy }
        let policy = running ?? (try? host.definition(named: name))?.plan.manifest.policy
        return policy?.missingMode(forWakingEvent: event)
    }

    func keptPush(_ record: PushRecord, _ request: ControlRequest) {
        host.accept(request, [Field("push", String(record.number))])
        for repeated in takeRepeated(of: record) { acceptRepeated(repeated) }
        deliver(record)
    }

    func pushNotKept(_ record: PushRecord) {
        guard let id = record.apnsID else { return }
        schedules.change(record.app) { $0.forget(push: id) }
        for repeated in takeRepeated(of: record) { host.refuseBusy(repeated) }
    }

    /// `payload`: what was pushed under a number.
    func payload(_ request: ControlRequest) {
        guard let name = appName(request) else { return }
        guard let number = request.message["push"].flatMap({ Int($0) }) else {
            return host.refuse(request, "invalid", "payload needs push=NUMBER, as the event has it")
        }
        host.askForPush(number, of: name, request)
    }

    /// In lines that each fit: of an escape a byte may take four.
    func tell(_ push: PushRecord?, _ request: ControlRequest) {
        guard let push else {
            return host.refuse(request, "unknown-push", "nothing is kept under that number any more")
        }
        host.control?.reply(to: request) {
            var rest = Substring(push.payload)
            let parts: ControlSession.Lines = {
                guard !rest.isEmpty else { return nil }
                var part = rest.prefix(Self.partBytes)
                while part.utf8.count > Self.partBytes { part.removeLast() }
                // One character that is longer than that.
                if part.isEmpty { part = rest.prefix(1) }
                rest = rest[part.endIndex...]
                return Message("part", [Field("text", String(part))])
            }
            let final = Message("ok", [Field("bytes", String(push.payload.utf8.count))])
            return ControlServer.marked(ControlServer.lines(parts, then: final), for: request)
        }
    }

    private static let partBytes = 900

    /// The silent one that was kept back.
    func pushFields(of app: String) -> Entry? {
        guard let schedule = schedules[app], let number = schedule.pushes.kept, let due = schedule.pushDue else {
            return nil
        }
        let waits = schedule.obstacle(due, at: WallTimer.now)
        let fields = [
            Field("app", app), Field("kind", "push"), Field("push", String(number)), Field("due", due.secondsText),
            Field("shown", shownText(due)),
        ]
        return (due, fields + (waits.map { [Field("waits", $0.word)] } ?? []))
    }

    // MARK: Delivery

    /// As they were kept: what wasn't delivered is, and of silent ones it is known how many were.
    func restore(_ pushes: [PushRecord], at now: WallTime) {
        lastPush = pushes.last?.number ?? 0
        for (app, own) in Dictionary(grouping: pushes, by: \.app) {
            let silent = own.filter(\.isSilent)
            // The latest alone, whose place no later one has taken; as far as that wasn't written, it is now.
            let waiting = silent.last.flatMap { $0.delivered == nil ? $0 : nil }
            if let waiting { keptBack[app] = waiting }
            for record in silent where record.delivered == nil && record.number != waiting?.number {
                host.records?.notePush(record.number, of: app, delivered: .never)
            }
            let times = silent.compactMap(\.delivered).filter { $0.microseconds > 0 }
            let rule = SilentPushes(delivered: times, kept: waiting?.number)
            schedules.change(app) { $0.restore(rule, ids: own.compactMap(\.apnsID), at: now) }
            backlog += own.filter { !$0.isSilent && $0.delivered == nil }
        }
        backlog.sort { $0.number < $1.number }
    }

    /// What was kept back may come now.
    func deliverKept(_ app: String, _ number: Int) {
        guard let record = keptBack[app], record.number == number else { return }
        keptBack[app] = nil
        wake(record)
    }

    /// Of an app that is gone for now, and of a server that ends, the next server has it.
    func deliver(_ record: PushRecord) {
        guard !host.isEnding, host.apps.list.mayLaunchInBackground(record.app) else { return }
        guard let payload = try? RemotePayload(Array(record.payload.utf8)) else { return }
        if payload.isSilent {
            let (isAdmitted, replaced) = schedules.change(record.app) {
                $0.admit(push: record.number, at: WallTimer.now)
            }
            if let replaced { host.records?.notePush(replaced, of: record.app, delivered: .never) }
            keptBack[record.app] = isAdmitted ? nil : record
            if isAdmitted { wake(record) }
            return
        }
        if let badge = payload.badge {
            schedules.change(record.app) { $0.badge = badge }
            host.records?.noteBadge(badge, of: record.app)
        }
        host.records?.notePush(record.number, of: record.app, delivered: WallTimer.now)
        let isHeard = payload.isContentAvailable && missingMode(of: record.app, for: Self.pushEvent) == nil
        let notice = Self.notice(of: record, payload)
        if isInFront(record.app) {
            if !isHeard { _ = tellInFront(notice) }
        } else {
            deliver(notice)
        }
        if isHeard { wake(record, triesAgain: false) }
    }

    /// One that never heard of it is told by the next server.
    private func wake(_ record: PushRecord) {
        guard wake(record, triesAgain: true) else { return }
        host.records?.notePush(record.number, of: record.app, delivered: WallTimer.now)
    }

    private static func info(of record: PushRecord) -> [Info] {
        [Info("push", String(record.number)), Info("bytes", String(record.payload.utf8.count))]
    }

    private static func notice(of record: PushRecord, _ payload: RemotePayload) -> Notice {
        let content = LocalNotification.Content(
            title: payload.title, body: payload.body, action: NotificationRequest.usualAction, badge: payload.badge,
            sound: payload.sound)
        let shown = LocalNotification(
            id: "push-\(record.number)", rule: CalendarRule(.moment(record.received)), content: content)
        return Notice(app: record.app, notification: shown, event: RemotePayload.event, info: info(of: record))
    }

    /// Whether it hears of it. `triesAgain`: the next server does, where it doesn't.
    @discardableResult
    private func wake(_ record: PushRecord, triesAgain: Bool) -> Bool {
        let event = PostedEvent(Self.pushEvent, Self.info(of: record))
        do throws(LaunchRefusal) {
            if let id = host.app(called: record.app) {
                if wake(id, for: event) { return true }
                throw LaunchRefusal("busy", "it is being ended, or has too much to hear of")
            }
            try launch(record.app, for: event)
            return true
        } catch {
            let later = triesAgain ? ", of which the next start tells it" : ", which was shown"
            host.complain("\(record.app) can't be told of push \(record.number)\(later): \(error.problem)")
            return false
        }
    }
}

extension WallTime {
    /// Of what a later one has taken the place of.
    static let never = WallTime(microseconds: 0)
}
