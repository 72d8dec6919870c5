/// What an app was woken for because it has asked for it: it is warned before its time is over, and that can come early.
///
/// Source: Apple, `BGTask.expirationHandler`: called shortly before the background time is over; whoever has not completed the
/// task by then is ended.
extension App {
    /// The change that it is told then.
    public static let expirationEvent = "taskWillExpire"

    /// Whether it works on a request in background, or will once it hears of it.
    public var isOnRequest: Bool {
        guard end == nil, !phase.isOver, !isInForeground, !isSuspending else { return false }
        if channel.pending.contains(where: { $0.event.isRequest }) { return true }
        guard mailbox.holdsRequest else { return false }
        if case .starting = phase.place { return true }
        return isAware || phase.run?.grace != nil
    }

    /// What travels with the event of a request that needs power.
    public static let powerInfo = Info("needs-power", "1")

    /// Whether it works on processing for which the machine has power: what that computes isn't counted.
    ///
    /// Source: Apple, `BGProcessingTaskRequest.requiresExternalPower`: the CPU monitor is off.
    var isUnmetered: Bool {
        isOnRequest && (channel.pending.contains(where: \.isUnmetered) || mailbox.holdsUnmeteredRequest)
    }

    /// It has the lead that a warning has, and no more: a plain app is stopped then, any other killed unless it has answered.
    mutating func expire(at now: Moment, into effects: inout [Effect]) {
        guard isOnRequest else { return }
        for index in channel.pending.indices where channel.pending[index].lead != nil {
            warnOfExpiration(index, at: now, into: &effects)
        }
        if !isAware, let grace = phase.run?.grace, grace.remaining(at: now) > policy.expirationLead {
            continueIfStopped(at: now, into: &effects)
            deliver(.change(Self.expirationEvent), at: now, into: &effects)
            let lead = policy.expirationLead
            let left = runsInBackground ? countdown(lead, at: now) : Countdown(lead)
            phase.run?.grace = left
        }
        proceed(at: now, into: &effects)
    }

    /// One that a terminal has stopped couldn't answer, and would be killed for that.
    mutating func warnOfExpiration(_ index: Int, at now: Moment, into effects: inout [Effect]) {
        continueIfStopped(at: now, into: &effects)
        channel.warned(index, leaving: policy.expirationLead, at: now)
        let request = channel.pending[index]
        let info = [Info("event", request.event.name), Info("seq", String(request.sequence))]
        let left = request.watchdog.remaining(at: now)
        deliver(.change(Self.expirationEvent), limit: left, info: info, at: now, into: &effects)
    }
}

extension PostedEvent {
    /// Whether what is computed for it isn't counted.
    var isUnmetered: Bool { TaskRequest.Kind(event: name) == .processing && info.contains(App.powerInfo) }
}
