/// Keep-alive: an app that asks for it is woken every so often, to tell its servers that it is there.
///
/// Source: Apple, `setKeepAliveTimeout(_:handler:)`: a handler that is called in background, at the latest when so many
/// seconds have passed; it is the app's until it is replaced, cleared, or the app has ended.
extension App {
    /// The waking event that it is told.
    public static let keepAliveEvent = "keepAlive"

    /// How often it is woken, as it has asked; nil: it hasn't.
    public var keepAliveInterval: Span? { keepAlive.period?.interval }

    /// How soon it is woken next; nil where it isn't.
    public func keepAliveLeft(at now: Moment) -> Span? {
        keepAlive.period.map { max(.zero, $0.end - now.lifecycle) }
    }

    /// `interval`: zero, infinite or none ends it.
    mutating func setKeepAlive(_ interval: Span?, request: RequestID, at now: Moment, into effects: inout [Effect]) {
        let wanted = interval.flatMap { $0 == .zero || $0.isInfinite ? nil : $0 }
        if let rejection = rejection(ofKeepAlive: wanted) { return reject(request, rejection, into: &effects) }
        if wanted != keepAliveInterval { effects.append(.note(id, .keepAliveChanged(wanted))) }
        keepAlive.set(wanted, at: now)
        effects.append(.reply(request, .accepted))
    }

    private func rejection(ofKeepAlive interval: Span?) -> Rejection? {
        if end != nil { return .terminating }
        if phase.isOver { return .notRunning }
        guard let interval else { return nil }
        guard let minimum = policy.keepAliveMinimum else { return .keepAliveUnsupported }
        if policy.missingMode(forWakingEvent: Self.keepAliveEvent) != nil { return .noBackgroundMode }
        return interval < minimum ? .keepAliveTooShort : nil
    }

    // MARK: Being due

    /// In front there is nothing to be told, and what sleeps until it is opened sleeps on; an app that hasn't seen to the last
    /// one isn't told of another. It isn't counted: nobody is woken so too often.
    mutating func keepAliveDue(at now: Moment, into effects: inout [Effect]) {
        keepAlive.beginPeriod(at: now)
        guard phase.isAway, !phase.stay.ignoresInput, !channel.owes(.wake(Self.keepAliveEvent)) else { return }
        if isAsleep {
            wakeUp(for: "its keep-alive", at: now, into: &effects)
        } else if isSuspending {
            effects.append(.note(id, .didWake(by: "its keep-alive")))
        }
        let event = PostedEvent(Self.keepAliveEvent)
        // One that nobody has heard of: a plain app, asleep in front, would be kept one each time.
        mailbox.drop(wakingEvent: event.name)
        resumeForWaking(event, for: policy.wakeLimit, counts: false, at: now, into: &effects)
    }
}
