/// Asleep: stopped where it was, in front, until it is needed. It is no home: nothing is told, and no limit follows from it.
extension App {
    /// The waking event of input that has come at home.
    public static let inputEvent = "input"

    /// Whether it was stopped in front, and neither woken nor sent home since.
    public var isAsleep: Bool { isSuspending && phase.stay.isAsleep }

    /// Whether it sleeps because somebody has asked for it, and not for having been idle.
    public var sleepsAsAsked: Bool { isAsleep && phase.stay.isAskedToSleep }

    /// Whether it sleeps until it is opened, whatever comes.
    public var sleepsUntilOpened: Bool { isAsleep && phase.stay.ignoresInput }

    /// Whether it was stopped for having been idle, and nobody had asked for it before whoever does is answered at once.
    public var wasFoundIdle: Bool { isSuspending && phase.stay.suspension.wasFoundIdle }

    /// What keeps it awake, of one that is to sleep when idle; nil where it isn't, and where nothing does.
    public var awakeReason: AwakeReason? { idle.meter?.lastReason }

    /// Whether what it has done counts from when it was last measured; else from an earlier time.
    public var isMeasuredAnew: Bool { idle.meter?.beginsAnew == true }

    /// Whether what it has done keeps it awake.
    public func isBusy(by sample: IdleSample) -> Bool {
        guard let sleep = policy.sleep, let meter = idle.meter else { return false }
        return meter.isBusy(by: sample, sleep)
    }

    /// Whether input wakes it while it is stopped.
    var wakesForInput: Bool { policy.sleep?.wakesForInput == true && !phase.stay.ignoresInput }

    // MARK: Falling asleep

    /// `curfew sleep`.
    mutating func sleep(stays: Bool, request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        if let rejection = rejectionOfSleep { return reject(request, rejection, into: &effects) }
        switch phase.place {
        case .foreground:
            if let request { suspensionRequests.append(request) }
            fallAsleep(stays: stays, isAsked: true, at: now, into: &effects)
        case .running:
            // At home it is asleep as soon as nothing lets it run on. It hasn't had all of its time for its input.
            phase.stay.run.grace = nil
            phase.stay.run.isForInput = false
            phase.stay.run.wasFoundIdle = false
            phase.stay.ignoresInput = stays
            if let request { suspensionRequests.append(request) }
            proceed(at: now, into: &effects)
        case .suspended:
            if let request { suspensionRequests.append(request) }
            if !phase.stay.suspension.answersAtOnce {
                phase.stay.isAskedToSleep = true
                phase.stay.suspension.wasFoundIdle = false
            }
            if stays { ignoreInput(at: now, into: &effects) }
            if phase.stay.suspension.answersAtOnce { answerSuspensionRequests(into: &effects) }
        case .starting, .over: break
        }
    }

    /// From now on, until it is opened. Whose input is being looked at has nothing more to wait for.
    private mutating func ignoreInput(at now: Moment, into effects: inout [Effect]) {
        guard !phase.stay.ignoresInput else { return }
        let isStopped = phase.place == .suspended(isConfirmed: true)
        if isStopped, wakesForInput { effects.append(.unwatchInput(id)) }
        if shared.nextLook != nil { phase.stay.suspension.isInputFresh = true }
        phase.stay.suspension.isLooking = false
        phase.stay.ignoresInput = true
        shared.stopLooking()
        if isStopped, !phase.stay.suspension.wasAnswered { isNowAsleep(at: now, into: &effects) }
    }

    private var rejectionOfSleep: Rejection? {
        if end != nil { return .terminating }
        guard isRunning || isSuspending else { return .notRunning }
        if isSuspending { return nil }
        if policy.isContinuous { return .neverSuspended }
        if isTraced { return .traced }
        if state == .inactive { return .interrupted }
        if policy.exitsOnSuspend { return .exitsOnSuspend }
        if !tasks.isEmpty { return .holdsTask }
        return channel.owes ? .owesAnswer : nil
    }

    private mutating func fallAsleep(stays: Bool, isAsked: Bool, at now: Moment, into effects: inout [Effect]) {
        var stay = Away(budget: policy.backgroundBudget, grace: nil, leftForegroundAt: now.lifecycle)
        stay.isAsleep = true
        stay.ignoresInput = stays
        stay.isAskedToSleep = isAsked
        memory?.stopMeasuring()
        let before = standing
        shared.forgetWhatWasLeft()
        phase.goAway(stay)
        phase.suspend()
        phase.stay.suspension.wasFoundIdle = !isAsked
        noteFreshInput(at: now)
        moved(from: before, at: now, into: &effects)
        effects.append(.suspend(id, includingStopped: false))
    }

    /// Stopped for good: from now on its input is waited for. False where there is none to wait for.
    mutating func watchInput(into effects: inout [Effect]) -> Bool {
        guard wakesForInput else { return false }
        phase.stay.suspension.isLooking = true
        effects.append(.watchInput(id, afresh: phase.stay.suspension.isInputFresh))
        return true
    }

    // MARK: Having had its chance to read

    /// Its stop is ordered. Idle, done with the event, or at the end of its time for it, it has read what it reads.
    mutating func noteFreshInput(at now: Moment) {
        guard let lastInput, let quiet = policy.sleep?.quiet else { return }
        phase.stay.suspension.isInputFresh = now.real - lastInput < quiet
    }

    /// It goes on: stopped it couldn't read, nor see a connection that was held back.
    mutating func renewFreshInput(at now: Moment) {
        if isSuspending, phase.stay.suspension.isInputFresh || shared.nextLook != nil { lastInput = now.real }
    }

    /// `obstacle`: what of its input can't be waited for, or else has to keep it awake.
    mutating func inputWatched(obstacle: String?, at now: Moment, into effects: inout [Effect]) {
        guard phase.place == .suspended(isConfirmed: true), end == nil else { return }
        phase.stay.suspension.isLooking = false
        guard let obstacle, isAsleep, policy.sleep?.isForced != true else {
            if let obstacle { keptAwake(by: obstacle, into: &effects) }
            return isNowAsleep(at: now, into: &effects)
        }
        keptAwake(by: obstacle, into: &effects)
        let requests = suspensionRequests
        suspensionRequests.removeAll()
        wakeUp(at: now, into: &effects)
        idle.change { $0.keptAwake(by: .other(obstacle), at: now) }
        for request in requests { reject(request, .inputUnwatched, into: &effects) }
        proceed(at: now, into: &effects)
    }

    /// The same obstacle is named once.
    private mutating func keptAwake(by obstacle: String, into effects: inout [Effect]) {
        if lastObstacle == obstacle { return }
        lastObstacle = obstacle
        effects.append(.note(id, .keptAwake(obstacle)))
    }

    mutating func isNowAsleep(at now: Moment, into effects: inout [Effect]) {
        if phase.stay.suspension.wasAnswered { return answerSuspensionRequests(into: &effects) }
        phase.stay.suspension.wasAnswered = true
        schedulePageOut(at: now)
        if isAsleep {
            effects.append(.note(id, .didSleep(by: phase.stay.isAskedToSleep ? "being asked" : "being idle")))
        }
        answerSuspensionRequests(into: &effects)
    }

    // MARK: Waking

    /// Input has come. In front it goes on where it was; at home it has a while in background.
    mutating func inputCame(_ news: InputNews, at now: Moment, into effects: inout [Effect]) {
        guard isSuspending, end == nil else { return }
        lastInput = now.real
        if let socket = news.listener { shared.wakes(socket) }
        effects.append(.note(id, .didWake(by: news.text, from: news.from, to: news.to)))
        if isAsleep {
            wakeUp(at: now, into: &effects)
            if isInForeground { return proceed(at: now, into: &effects) }
        }
        let event = PostedEvent(Self.inputEvent, news.info)
        resumeForWaking(
            event, for: policy.wakeLimit, counts: policy.sleep?.countsResumptions == true, at: now, into: &effects)
        awaitQuiet(at: now)
        proceed(at: now, into: &effects)
    }

    /// It runs on in background for its input; one that is aware says itself when it has had enough.
    private mutating func awaitQuiet(at now: Moment) {
        guard !isAware, runsInBackground else { return }
        phase.stay.run.awaitsQuiet = true
        phase.stay.run.isForInput = true
        updateIdle(at: now)
    }

    /// Something of it has run between the look that found it idle and its stop: it may have read what came, and answered
    /// nobody. It goes on; where somebody was told that it sleeps, that is told, too.
    mutating func ranOn(at now: Moment, into effects: inout [Effect]) {
        guard phase.place == .suspended(isConfirmed: true), wasFoundIdle, phase.stay.suspension.isLooking, end == nil
        else { return }
        lastInput = now.real
        if isAsleep {
            if phase.stay.suspension.wasAnswered { effects.append(.note(id, .didWake(by: "work it had begun"))) }
            wakeUp(at: now, into: &effects)
            idle.change { $0.goesOn(for: .other("it had begun something when it was to be stopped")) }
            if isInForeground { return proceed(at: now, into: &effects) }
        }
        let grace = isAware ? nil : wakingTime(policy.wakeLimit, at: now)
        if isSuspending {
            returnToBackground(grace: grace, at: now, into: &effects)
            deliverKeptChanges(at: now, into: &effects)
        } else if let grace {
            phase.run?.grace = grace
        }
        awaitQuiet(at: now)
        proceed(at: now, into: &effects)
    }

    /// Somebody has opened it, sends it home, ends it, or has something for it.
    mutating func wakeUp(for cause: String, at now: Moment, into effects: inout [Effect]) {
        effects.append(.note(id, .didWake(by: cause)))
        wakeUp(at: now, into: &effects)
    }

    private mutating func wakeUp(at now: Moment, into effects: inout [Effect]) {
        if phase.stay.isPlaceTaken { return goOnBehind(at: now, into: &effects) }
        let wasStoppedByTerminal = isStoppedByTerminal
        renewFreshInput(at: now)
        enterForeground(isActive: true, at: now, into: &effects)
        resume(includingStopped: wasStoppedByTerminal, into: &effects)
        answerSuspensionRequests(into: &effects)
        announceLaunch(at: now, into: &effects)
        deliverKeptChanges(at: now, into: &effects)
        if isAware { deliverUnheardWakingEvents(at: now, into: &effects) }
        demandSignOfLife(at: now)
        scheduleMeasurement(at: now)
    }

    /// Another app has come in front meanwhile: it hears now that it has left.
    private mutating func goOnBehind(at now: Moment, into effects: inout [Effect]) {
        returnToBackground(grace: graceAtHome, at: now, into: &effects)
        phase.stay.isAsleep = false
        if policy.yieldsInBackground { effects.append(.setPriority(id, isLowered: true)) }
        measureAtEdge(into: &effects)
        guard channel.hasFinishedLaunching || !isAware else { return announceLaunch(at: now, into: &effects) }
        deliver(.home, at: now, into: &effects)
        deliverKeptChanges(at: now, into: &effects)
        if isAware { deliverUnheardWakingEvents(at: now, into: &effects) }
    }

    /// Whoever sleeps has left its place.
    mutating func notePlace(isFrontFull: Bool) {
        if isAsleep { phase.stay.isPlaceTaken = isFrontFull }
    }

    // MARK: Idleness

    /// In front as long as it is to sleep when idle; in background after input, until it is quiet again.
    mutating func updateIdle(at now: Moment) {
        guard let span = idleSpan else { return idle.end() }
        if idle.meter?.span != span { idle = .watched(IdleMeter(for: span, at: now)) }
    }

    private var idleSpan: Span? {
        guard let sleep = policy.sleep, end == nil, !isTraced, !policy.isContinuous else { return nil }
        switch phase.place {
        case .foreground(let isActive): return isActive ? sleep.whenIdle : nil
        case .running: return phase.stay.run.awaitsQuiet ? sleep.quiet : nil
        case .starting, .suspended, .over: return nil
        }
    }

    mutating func lookAtIdleness(into effects: inout [Effect]) {
        idle.change { $0.isLookedAt() }
        effects.append(.measureIdleness(id))
    }

    mutating func idlenessMeasured(_ sample: IdleSample, at now: Moment, into effects: inout [Effect]) {
        guard let sleep = policy.sleep, idleSpan != nil else { return }
        let obstacle = isInForeground ? idleObstacle : nil
        guard idle.judge(sample, sleep, obstacle: obstacle, at: now) else { return }
        lastInput = nil
        if isInForeground {
            fallAsleep(stays: false, isAsked: false, at: now, into: &effects)
        } else {
            phase.stay.run.grace = Countdown(.zero)
            // Else it is stopped when that look is long ago.
            phase.stay.run.wasFoundIdle = wantsSuspension(at: now)
            proceed(at: now, into: &effects)
        }
    }

    /// What keeps an app awake that does nothing; a task, an answer and an end that is to come even one that is forced.
    private var idleObstacle: AwakeReason? {
        if let task = tasks.first { return .holdsTask(task.id) }
        if let owed = channel.pending.first { return .owes(owed.event) }
        if channel.owes { return .owes(.lifecycle(.didFinishLaunching)) }
        if policy.exitsOnSuspend { return .exitsOnSuspend }
        guard policy.sleep?.isForced != true, let footprint, let limit = policy.memory?.background.fatal,
            footprint > limit
        else { return nil }
        return .footprint(footprint, limit: limit)
    }
}

/// Large and rare: most apps have none, and each copy of an app would carry it.
enum Idleness: Sendable, Hashable {
    case unwatched
    indirect case watched(IdleMeter)

    var meter: IdleMeter? { if case .watched(let meter) = self { meter } else { nil } }

    mutating func end() { if case .watched = self { self = .unwatched } }

    mutating func change(_ body: (inout IdleMeter) -> Void) {
        guard case .watched(var meter) = self else { return }
        body(&meter)
        self = .watched(meter)
    }

    mutating func judge(_ sample: IdleSample, _ policy: SleepPolicy, obstacle: AwakeReason?, at now: Moment) -> Bool {
        var isIdle = false
        change { isIdle = $0.judge(sample, policy, obstacle: obstacle, at: now) }
        return isIdle
    }
}

extension InputNews {
    /// What travels with the waking event.
    var info: [Info] {
        [Info("what", kind)] + (from.map { [Info("from", $0)] } ?? []) + (to.map { [Info("to", $0)] } ?? [])
    }
}
