import CurfewCore
import CurfewLinux
import CurfewWire

/// Background fetch: which app is woken or launched to be up to date when it is opened, and when.
extension ScheduleDesk {
    /// More than so many percent of the time somebody waits: work that can wait does.
    private static let mostCPUStall = 60
    private static let mostMemoryStall = 10
    /// Up to so many percent nobody needs the machine, as far as can be told.
    private static let mostIdleStall = 20
    private static let lowBattery = 20
    static var fetchEvent: String { BackgroundMode.fetch.rawValue }

    /// The machine's, as far as it tells.
    static func condition(_ reading: MachineReading) -> MachineCondition {
        var condition = MachineCondition()
        condition.isShortOfCPU = reading.cpuStall ?? 0 > mostCPUStall
        condition.isShortOfMemory = reading.memoryStall ?? 0 > mostMemoryStall
        condition.isIdle = reading.cpuStall ?? 0 <= mostIdleStall
        condition.isOnline = reading.isOnline ?? true
        condition.isOnPower = reading.isOnPower ?? true
        condition.isBatteryLow = reading.isOnPower == false && reading.batteryLevel ?? 100 < lowBattery
        return condition
    }

    private func localOffset(_ time: WallTime) -> Int64 { offset(.local, time) }

    // MARK: What it goes by

    /// What manifests say, as they were just read. Nil: nothing.
    func define(_ intervals: [String: Span]) {
        let now = WallTimer.now
        for app in Set(intervals.keys).union(schedules.names) {
            guard let interval = intervals[app] else {
                if schedules[app]?.fetch.defined != nil {
                    schedules.change(app) { $0.fetch.define(nil, at: now, offset: localOffset) }
                }
                continue
            }
            schedules.change(app) { $0.fetch.define(interval, at: now, offset: localOffset) }
            schedules.hold(app, !host.apps.list.mayLaunchInBackground(app))
        }
    }

    /// It has come to the front. Of an app that never fetches nothing is learned.
    func noteOpening(of app: String) {
        guard schedules[app]?.fetch.learns == true else { return }
        let now = WallTimer.now
        guard let shown = CivilTime(now, offset: localOffset) else { return }
        let opening = UseHabits.Opening(now, shown: shown)
        schedules.change(app) { $0.fetch.opened(opening, offset: localOffset) }
        host.records?.noteOpening(opening, of: app)
        arm()
    }

    // MARK: When it is due

    func fetch(_ app: String) {
        let now = WallTimer.now
        func postpone(_ obstacle: ScheduleObstacle) {
            schedules.change(app) { $0.fetch.postpone(because: obstacle, at: now) }
        }
        let machine = Self.condition(host.machine.reading())
        if let obstacle = machine.obstacle { return postpone(obstacle) }
        if !machine.isOnline { return postpone(.offline) }
        guard let id = host.app(called: app), let state = host.app(id)?.state else {
            do throws(LaunchRefusal) {
                try launch(app, for: PostedEvent(Self.fetchEvent))
                return began(app, at: now)
            } catch {
                return postpone(.cantBeLaunched)
            }
        }
        if state.isForeground { return postpone(.appInFront) }
        guard wake(id, for: PostedEvent(Self.fetchEvent)) else { return postpone(.cantBeLaunched) }
        began(app, at: now)
    }

    /// One that doesn't run, into background; for an event that its manifest has the mode for.
    @discardableResult
    func launch(_ app: String, for event: PostedEvent) throws(LaunchRefusal) -> Instance {
        let definition = try host.definition(named: app)
        if let mode = definition.plan.manifest.policy.missingMode(forWakingEvent: event.name) {
            throw LaunchRefusal("no-background-mode", Self.lacks(mode, app))
        }
        let options = LaunchOptions(inBackground: true, wakingEvent: event, info: definition.launch.info)
        return try host.launch(definition, options)
    }

    static func lacks(_ mode: BackgroundMode, _ app: String) -> String {
        "the manifest of \(app) has no background mode \(mode.rawValue)"
    }

    private func began(_ app: String, at now: WallTime) {
        schedules.change(app) { $0.fetch.began(at: now, offset: localOffset) }
        noteFetch(of: app)
    }

    private func noteFetch(of app: String) {
        guard let record = fetchRecord(of: app) else { return }
        host.records?.noteFetch(record)
    }

    private func fetchRecord(of app: String) -> FetchRecord? {
        guard let fetch = schedules[app]?.fetch else { return nil }
        return FetchRecord(
            app: app, asked: fetch.asked, lastFetch: fetch.rule.lastFetch, fruitless: fetch.rule.fruitless)
    }

    /// What came of it, as the app says.
    func fetchCompleted(_ app: String, _ result: FetchResult) {
        guard schedules[app]?.fetch.learns == true else { return }
        schedules.change(app) { $0.fetch.completed(result, at: WallTimer.now, offset: localOffset) }
        noteFetch(of: app)
        arm()
    }

    // MARK: Requests

    /// `fetch`: one now, whatever the interval and the machine.
    func fetch(_ request: ControlRequest) {
        guard let name = appName(request), !isRemoved(name, request) else { return }
        if let id = host.app(called: name) {
            let event = PostedEvent(Self.fetchEvent)
            if host.app(id)?.rejection(ofWakingFor: event) == nil { began(name, at: WallTimer.now) }
            host.control?.wake(request, event, id)
            return arm()
        }
        do throws(LaunchRefusal) {
            let instance = try launch(name, for: PostedEvent(Self.fetchEvent))
            began(name, at: WallTimer.now)
            let state = host.app(instance.id)?.state ?? .notRunning
            host.accept(request, [Field("state", state.rawValue)])
        } catch {
            host.refuse(request, error.code, error.problem)
        }
        arm()
    }

    /// `fetch-interval`: how often an app wants to.
    func fetchInterval(_ request: ControlRequest) {
        guard let name = appName(request) else { return }
        guard let interval = Self.interval(request.message["seconds"] ?? "") else {
            return host.refuse(request, "invalid", "fetch-interval needs seconds=NUMBER, minimum or never")
        }
        let policy = host.app(called: name).flatMap { host.app($0)?.policy }
        if let mode = policy?.missingMode(forWakingEvent: Self.fetchEvent) {
            return host.refuse(request, "no-background-mode", Self.lacks(mode, name))
        }
        let rule = schedules[name]?.fetch.rule
        let record = FetchRecord(
            app: name, asked: interval, lastFetch: rule?.lastFetch, fruitless: rule?.fruitless ?? 0)
        host.keep(.fetchInterval(interval, of: name), request) { $0.keep(record) }
    }

    private static func interval(_ text: String) -> Span? {
        switch text {
        case "never": return .infinite
        case "minimum": return .zero
        default:
            guard let nanoseconds = Seconds.parse(text), nanoseconds >= 0 else { return nil }
            return Span(nanoseconds: nanoseconds)
        }
    }

    /// That is kept for good.
    func keptInterval(_ interval: Span, of app: String, _ request: ControlRequest) {
        schedules.change(app) { $0.fetch.ask(for: interval, at: WallTimer.now, offset: localOffset) }
        schedules.hold(app, !host.apps.list.mayLaunchInBackground(app))
        host.accept(request, schedules[app]?.fetch.due.map { [Field("due", $0.secondsText)] } ?? [])
    }

    // MARK: What is shown

    func fetchFields(of app: String) -> Entry? {
        guard let schedule = schedules[app], let due = schedule.fetch.due else { return nil }
        let waits = schedule.isHeld ? .appRemoved : schedule.fetch.obstacle ?? schedule.obstacle(due, at: WallTimer.now)
        var fields = [
            Field("app", app), Field("kind", "fetch"), Field("due", due.secondsText), Field("shown", shownText(due)),
        ]
        if let interval = schedule.fetch.rule.interval {
            fields.append(Field("repeat", String(interval.nanoseconds / 1_000_000_000)))
        }
        return (due, fields + (waits.map { [Field("waits", $0.word)] } ?? []))
    }
}
