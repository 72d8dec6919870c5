/// What others tell the app: changes of its world, and events that wake it.
extension App {
    /// The aspects whose changes are kept for a suspended app.
    public static let maximumKeptChanges = 64
    /// The waking events that may wait for their acknowledgement.
    public static let maximumWakingEvents = 64

    /// Delivered at once to an app that runs; kept for one that is suspended, the latest of each name.
    mutating func post(_ change: PostedEvent, request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        if let rejection = rejectionOfPosting { return reject(request, rejection, into: &effects) }
        if isSuspending || isStoppedByTerminal {
            guard keep(change, into: &effects) else { return reject(request, .tooManyChanges, into: &effects) }
        } else {
            deliver(.change(change.name), info: change.info, at: now, into: &effects)
        }
        answerState(request, into: &effects)
    }

    private var rejectionOfPosting: Rejection? {
        if end != nil { return .terminating }
        return isRunning || isSuspending ? nil : .notRunning
    }

    private mutating func keep(_ change: PostedEvent, into effects: inout [Effect]) -> Bool {
        guard mailbox.keep(change: change) else { return false }
        effects.append(.note(id, .changeKept(change.name)))
        return true
    }

    mutating func deliverKeptChanges(at now: Moment, into effects: inout [Effect]) {
        for change in mailbox.takeChanges() {
            deliver(.change(change.name), info: change.info, at: now, into: &effects)
        }
    }

    /// Resumes a suspended app for the event, in background. A plain app runs for the waking limit.
    mutating func wake(_ event: PostedEvent, request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        if let rejection = rejection(ofWakingFor: event) {
            return reject(request, rejection, into: &effects)
        }
        if isAsleep { wakeUp(for: "the event \(event.name)", at: now, into: &effects) }
        resumeForWaking(event, for: policy.grace(forWakingEvent: event.name), counts: true, at: now, into: &effects)
        answerState(request, into: &effects)
        proceed(at: now, into: &effects)
    }

    /// In background; an app that isn't suspended is only told. Counted, it can be one time too many, and the app is killed.
    ///
    /// `span`: how long a plain one may run for it.
    mutating func resumeForWaking(
        _ event: PostedEvent, for span: Span, counts: Bool, at now: Moment, into effects: inout [Effect]
    ) {
        if isSuspending, counts, !countResumption(at: now, into: &effects) { return }
        phase.run?.wasFoundIdle = false
        // It may use all of its time for that, quiet or not.
        if phase.run?.awaitsQuiet == true {
            phase.run?.awaitsQuiet = false
            updateIdle(at: now)
        }
        let grace = isAware ? nil : wakingTime(span, at: now)
        if let grace { phase.run?.grace = grace }
        if isSuspending {
            returnToBackground(grace: grace, at: now, into: &effects)
            if !isAware || channel.hasFinishedLaunching {
                deliver(.wakingEvent, at: now, into: &effects)
                deliverKeptChanges(at: now, into: &effects)
            }
        } else {
            continueIfStopped(at: now, into: &effects)
        }
        if isAware, channel.hasFinishedLaunching {
            deliverWaking(event, to: .everybody, at: now, into: &effects)
        } else {
            mailbox.keep(wakingEvent: event)
            if !isAware { deliverWaking(event, to: .everybody, at: now, into: &effects) }
            announceLaunch(at: now, into: &effects)
        }
    }

    /// Why it isn't woken for the event now; nil: it would be.
    public func rejection(ofWakingFor event: PostedEvent) -> Rejection? {
        if let rejection = rejectionOfPosting { return rejection }
        if policy.missingMode(forWakingEvent: event.name) != nil { return .noBackgroundMode }
        return channel.isFullOfWakingEvents ? .tooManyEvents : nil
    }

    /// Never less than what is left of its grace.
    func wakingTime(_ span: Span, at now: Moment) -> Countdown? {
        guard phase.isAway, !policy.isContinuous else { return nil }
        let span = max(phase.run?.grace?.remaining(at: now) ?? .zero, span)
        return runsInBackground ? countdown(span, at: now) : Countdown(span)
    }

    /// In the foreground the event comes without a limit.
    private mutating func deliverWaking(
        _ event: PostedEvent, to audience: Delivery.Audience, at now: Moment, into effects: inout [Effect]
    ) {
        let limit = runsInBackground ? policy.limit(ofWakingEvent: event.name) : nil
        deliver(.wake(event.name), limit: limit, info: event.info, to: audience, at: now, into: &effects)
    }

    /// The events it was launched or woken for before it was aware.
    mutating func deliverUnheardWakingEvents(at now: Moment, into effects: inout [Effect]) {
        for waking in mailbox.takeWakingEvents() {
            let audience = waking.isOfLaunch ? launchAudience : .connections
            deliverWaking(waking.event, to: audience, at: now, into: &effects)
        }
    }

    func reject(_ request: RequestID?, _ rejection: Rejection, into effects: inout [Effect]) {
        guard let request else { return }
        effects.append(.reply(request, .rejected(rejection)))
    }
}
