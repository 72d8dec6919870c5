@testable import CurfewCore

/// Keep-alive: told by the first tick after its time, which the world sees to.
extension ReferenceApp {
    var keepAliveLeft: Span? { keepAlive.map { Span(nanoseconds: max(0, $0.nanoseconds - sinceKeepAlive)) } }

    var isKeepAliveDue: Bool { !isTerminating && !isOver && !isGone && keepAliveLeft == .zero }

    mutating func askForKeepAlive(_ interval: Span?) -> Reply {
        if isTerminating || kill != nil { return .rejected(.terminating) }
        if isOver { return .rejected(.notRunning) }
        let wanted = interval == .zero ? nil : interval
        if let wanted {
            guard let minimum = policy.keepAliveMinimum else { return .rejected(.keepAliveUnsupported) }
            if lacksMode(for: App.keepAliveEvent) { return .rejected(.noBackgroundMode) }
            if wanted < minimum { return .rejected(.keepAliveTooShort) }
        }
        if wanted != keepAlive { expectedNotes.append(.keepAliveChanged(wanted)) }
        keepAlive = wanted
        sinceKeepAlive = 0
        return .accepted
    }

    mutating func takeTick() {
        guard isKeepAliveDue else { return }
        sinceKeepAlive = 0
        let isAway = state == .background || state == .suspended
        owesKeepAlive = isAway && !owed.contains { $0.event == .wake(App.keepAliveEvent) }
    }

    /// What else the tick has brought about came before.
    mutating func beginKeepAlive() {
        owesKeepAlive = false
        unheard.removeAll { $0.event.name == App.keepAliveEvent && !$0.isOfLaunch }
        resume(for: PostedEvent(App.keepAliveEvent), policy.wakeLimit)
    }

    /// Whoever hears nothing runs longer all the same; one that has come to its end is told no more.
    mutating func settleKeepAlive() throws(Violation) {
        guard owesKeepAlive else { return }
        if !isOver, !isTerminating {
            guard !isHeard, !isStopped else { throw Violation("not told of keep-alive") }
            beginKeepAlive()
        }
        owesKeepAlive = false
    }
}
