import CurfewCore
import CurfewLinux
import CurfewWire

/// Refresh and processing requests: apps that have asked to be woken or launched for some work, once, when it suits the machine.
///
/// Source: Apple, `BGTaskScheduler`.
extension ScheduleDesk {
    /// What an app was woken for, until it has answered.
    struct Work {
        let request: TaskRequest
        let began: WallTime
    }

    /// How often it is looked whether the machine is still idle, and who works on.
    static let workPause = Span.seconds(5)

    // MARK: submit

    func submit(_ request: ControlRequest) {
        guard let name = appName(request) else { return }
        let now = WallTimer.now
        do throws(BadNotification) {
            let task = try TaskRequestReading(message: request.message, now: now, zones: zones).read()
            if let mode = missingMode(of: name, for: task.kind.event) {
                return host.refuse(request, "no-background-mode", Self.lacks(mode, name))
            }
            var trial = schedules[name]?.requests ?? TaskRequests()
            guard trial.submit(task) else { return refuseTooMany(request, task.kind, name) }
            let record = RequestRecord(app: name, request: task, submitted: now)
            requestReplacements.began(.init(app: name, id: task.id))
            host.keep(.request(record), request) { $0.keep(record) }
        } catch {
            host.refuse(request, "invalid", error.problem)
        }
    }

    private func refuseTooMany(_ request: ControlRequest, _ kind: TaskRequest.Kind, _ app: String) {
        host.refuse(
            request, "too-many-requests",
            "of \(app) \(kind.maximumPending) \(kind.rawValue) request\(kind.maximumPending == 1 ? " waits" : "s wait"), as many as may"
        )
    }

    func keptRequest(_ record: RequestRecord, _ request: ControlRequest) {
        let (app, task) = (record.app, record.request)
        _ = requestReplacements.ended(.init(app: app, id: task.id), isKept: true)
        let isKept = schedules.change(app) { schedule in
            let isKept = schedule.requests.submit(task)
            // Others were kept while this one waited for that.
            if !isKept { schedule.requests.take(task.id) }
            schedule.requests.plan(at: WallTimer.now)
            return isKept
        }
        schedules.hold(app, !host.apps.list.mayLaunchInBackground(app))
        guard isKept else {
            host.records?.noteRequestOver(task.id, of: app)
            return refuseTooMany(request, task.kind, app)
        }
        host.accept(request, [Field("request", task.id)])
    }

    /// Somebody else has the records open, or too much waits for them.
    func requestNotKept(_ record: RequestRecord) {
        let (app, id) = (record.app, record.request.id)
        guard requestReplacements.ended(.init(app: app, id: id), isKept: false) != nil else { return }
        host.records?.noteRequestOver(id, of: app)
    }

    /// It was launched for. What comes in its place, and is being kept just now, isn't over.
    private func noteOver(_ request: TaskRequest, of app: String) {
        if requestReplacements.remembers(.init(app: app, id: request.id), passed: nil) { return }
        host.records?.noteRequestOver(request.id, of: app)
    }

    // MARK: cancel

    /// False where no request is meant.
    func cancelRequests(_ request: ControlRequest, of name: String) -> Bool {
        let id = request.message["request"]
        guard id != nil || request.message["all"] == "requests" else { return false }
        let waiting = schedules[name]?.requests.pending.map(\.id) ?? []
        // Those that are being kept are so before these are dropped.
        let ids = id.map { [$0] } ?? Set(waiting).union(requestReplacements.ids(of: name)).sorted()
        host.keep(.cancellingRequest(id, of: name), request) { $0.dropRequests(ids, of: name) }
        return true
    }

    func cancelledRequest(_ id: String?, of app: String, _ request: ControlRequest) {
        let isKnown = schedules.change(app) { schedule in
            defer { schedule.requests.plan(at: WallTimer.now) }
            guard let id else {
                schedule.requests.cancelAll()
                return true
            }
            return schedule.requests.take(id) != nil
        }
        host.accept(request, isKnown ? [] : [Field("ignored", "unknown-request")])
    }

    // MARK: When it is due

    /// Whatever of the app's isn't too early is looked at; the first that nothing is in the way of has its turn.
    func workIsDue(for app: String) {
        let now = WallTimer.now
        func postpone(_ obstacle: ScheduleObstacle?) {
            schedules.change(app) { $0.requests.postpone(because: obstacle, at: now) }
        }
        if isWorking(app) { return postpone(.otherRuns) }
        if let id = host.app(called: app), host.app(id)?.state.isForeground == true { return postpone(.appInFront) }
        let machine = Self.condition(host.machine.reading())
        guard let request = schedules[app]?.requests.ready(at: now, machine) else { return postpone(nil) }
        do throws(LaunchRefusal) {
            try begin(request, of: app)
            // Of others it is known by then that this one works.
            schedules.change(app) { $0.requests.plan(at: now) }
        } catch {
            postpone(.cantBeLaunched)
        }
    }

    private func begin(_ request: TaskRequest, of app: String) throws(LaunchRefusal) {
        let power = request.needsPower && request.kind == .processing ? [App.powerInfo] : []
        let event = PostedEvent(request.kind.event, [Info("request", request.id)] + power)
        if let id = host.app(called: app), let running = host.app(id) {
            if let mode = running.policy.missingMode(forWakingEvent: event.name) {
                throw LaunchRefusal("no-background-mode", Self.lacks(mode, app))
            }
            // One that is being ended hears of nothing, and one that is woken too often is killed for it.
            guard wake(id, for: event), let told = host.app(id), told.state.isForeground || told.isOnRequest else {
                throw LaunchRefusal("terminating", "\(app) is being ended")
            }
        } else {
            _ = try launch(app, for: event)
        }
        schedules.change(app) { _ = $0.requests.take(request.id) }
        noteOver(request, of: app)
        works[app] = Work(request: request, began: WallTimer.now)
        workChanged()
    }

    // MARK: While it works

    func isWorking(_ app: String) -> Bool {
        works[app] != nil && host.app(called: app).flatMap { host.app($0)?.isOnRequest } == true
    }

    /// It has said what came of it.
    func workCompleted(_ app: String) {
        guard works.removeValue(forKey: app) != nil else { return }
        workChanged()
        lookForWork(of: app)
    }

    /// Another of its requests may come now.
    private func lookForWork(of app: String) {
        schedules.change(app) { $0.requests.plan(at: WallTimer.now) }
        arm()
    }

    private func workChanged() {
        processorUse.reset()
        nextWorkLook = works.isEmpty ? nil : host.engine.now.lifecycle + Self.workPause
    }

    /// Whether the machine is still idle, and who works on.
    func lookAtWork() {
        let now = host.engine.now.lifecycle
        guard let due = nextWorkLook, due <= now else { return }
        for app in works.keys.sorted() where !isWorking(app) {
            works[app] = nil
            processorUse.reset()
            lookForWork(of: app)
        }
        nextWorkLook = works.isEmpty ? nil : now + Self.workPause
        guard !works.isEmpty else { return }
        let machine = conditionWhileWorking(at: now)
        for (app, work) in works where work.request.reasonToEnd(machine) != nil {
            if let id = host.app(called: app) { host.feed(.app(id, .expire)) }
        }
    }

    /// Processors that nobody but that work is busy on are idle.
    private func conditionWhileWorking(at now: Instant) -> MachineCondition {
        let reading = host.machine.reading()
        var condition = Self.condition(reading)
        guard let busy = reading.processorTime else { return condition }
        let own = works.keys.compactMap { host.app(called: $0) }
            .reduce(Span.zero) { $0 + .microseconds(Int64(clamping: host.engine.kernel.cpuMicroseconds(of: $1))) }
        if !processorUse.isOthers(at: now, busy: .microseconds(busy), own: own) { condition.isIdle = true }
        return condition
    }

    // MARK: Trying it

    /// `run-request`: that one now, whatever it waits for. Source: lldb's `_simulateLaunchForTaskWithIdentifier:`.
    func runRequest(_ request: ControlRequest) {
        guard let (name, id) = named(request), !isRemoved(name, request) else { return }
        guard let task = schedules[name]?.requests[id] else {
            return host.refuse(request, "unknown-request", "no request \(id) of \(name) waits")
        }
        if isWorking(name) {
            return host.refuse(request, "busy", "\(name) works on another of its requests")
        }
        do throws(LaunchRefusal) {
            try begin(task, of: name)
            schedules.change(name) { $0.requests.plan(at: WallTimer.now) }
            let state = host.app(called: name).flatMap { host.app($0)?.state } ?? .notRunning
            host.accept(request, [Field("state", state.rawValue)])
        } catch {
            host.refuse(request, error.code, error.problem)
        }
        arm()
    }

    /// `expire-request`: as if the machine were needed. Source: lldb's `_simulateExpirationForTaskWithIdentifier:`.
    func expireRequest(_ request: ControlRequest) {
        guard let (name, id) = named(request) else { return }
        guard works[name]?.request.id == id, isWorking(name), let app = host.app(called: name) else {
            return host.refuse(
                request, "unknown-request", "\(name) doesn't work on a request \(id) in background just now")
        }
        host.feed(.app(app, .expire))
        host.accept(request)
    }

    private func named(_ request: ControlRequest) -> (app: String, id: String)? {
        guard let name = appName(request) else { return nil }
        guard let id = request.message["request"] else {
            host.refuse(request, "invalid", "\(request.message.verb) needs request=ID")
            return nil
        }
        return (name, id)
    }

    // MARK: What is shown

    /// Those that wait, as they were submitted, behind the one that its app works on.
    func requestFields(of app: String, _ machine: MachineCondition) -> [Entry] {
        let now = WallTimer.now
        var all: [Entry] = []
        if isWorking(app), let work = works[app] {
            all.append((work.began, fields(of: work.request, app, due: work.began) + [Field("waits", "runs")]))
        }
        guard let schedule = schedules[app] else { return all }
        for request in schedule.requests.pending {
            let due = schedule.requests.due(of: request)
            let waits = schedule.isHeld ? .appRemoved : schedule.requests.obstacle(to: request, at: now, machine)
            all.append((due, fields(of: request, app, due: due) + (waits.map { [Field("waits", $0.word)] } ?? [])))
        }
        return all
    }

    private func fields(of request: TaskRequest, _ app: String, due: WallTime) -> [Field] {
        var fields = [
            Field("app", app), Field("kind", request.kind.rawValue), Field("request", request.id),
            Field("due", due.secondsText), Field("shown", shownText(due)),
        ]
        if let earliest = request.earliest { fields.append(Field("earliest", earliest.secondsText)) }
        if request.needsNetwork { fields.append(Field("needs-network", "1")) }
        if request.needsPower { fields.append(Field("needs-power", "1")) }
        return fields
    }

    // MARK: At the start

    func restore(_ requests: [RequestRecord]) {
        for record in requests {
            let isKept = schedules.change(record.app) { schedule in
                let isKept = schedule.requests.submit(record.request)
                schedule.requests.plan(at: WallTimer.now)
                return isKept
            }
            if !isKept { host.records?.noteRequestOver(record.request.id, of: record.app) }
        }
    }
}
