import CurfewCore

/// What it works on because it has asked for it: it is told before its time for that is over, which can come early.
extension ReferenceApp {
    private static let expiration = Event.change("taskWillExpire")

    static func isRequest(_ event: String) -> Bool { event == "refresh" || event == "processing" }

    /// How long it has to answer a waking event.
    func limit(ofWaking event: String) -> Span { event == "processing" ? policy.processingLimit : policy.wakeLimit }

    /// How long it runs for one that it can't answer.
    func grace(ofWaking event: String?) -> Span {
        event == "processing" ? policy.processingLimit : policy.grace ?? policy.wakeLimit
    }

    /// Whoever has heard of none, and so can answer none, is stopped soon.
    mutating func takeExpiration() {
        guard runsInBackground, !isTerminating, !isAware, grace != nil, graceLeft > policy.expirationLead,
            unheard.contains(where: { Self.isRequest($0.event.name) })
        else { return }
        if isHeard { expected.append(Expected(event: Self.expiration)) }
        grace = policy.expirationLead
        graceUsed = 0
    }

    /// Whether it is what an app that can answer is told; any other is told it as a change.
    func isExpiration(_ delivery: Delivery) -> Bool { isAware && delivery.event == Self.expiration }

    mutating func judgeExpiration(ofRequest delivery: Delivery, by input: Input) throws(Violation) {
        let index = owed.firstIndex { request in
            request.lead != nil
                && delivery.info == [Info("event", request.event.name), Info("seq", String(request.sequence))]
        }
        guard let index else { throw Violation("told of the end of nothing: \(delivery)") }
        guard input == .app(id, .expire) || owed[index].isToBeTold && !isHeldOff else {
            throw Violation("told too soon: \(delivery)")
        }
        owed[index].lead = nil
        owed[index].allowance.shorten(to: policy.expirationLead)
        guard delivery.limit == owed[index].allowance.left else { throw Violation("wrong time left: \(delivery)") }
        guard delivery.connections == connections, delivery.audience == .everybody else {
            throw Violation("an expiration to \(delivery.connections), expected \(connections)")
        }
    }

    /// What was said to end has been told so; of what ends by itself a tick tells.
    func checkExpirations(after input: Input) throws(Violation) {
        let isToldOfAll = input == .app(id, .expire)
        let isTold = input == .machine(.tick) && !isHeldOff
        if let request = owed.first(where: { isToldOfAll ? $0.lead != nil : isTold && $0.isToBeTold }) {
            throw Violation("not told of the end of \(request.event)")
        }
    }
}

extension ReferenceApp.Owed {
    /// A request that was told of its end: it gets no more time.
    var isExpired: Bool {
        guard case .wake(let name) = event else { return false }
        return ReferenceApp.isRequest(name) && lead == nil
    }

    /// Whether its time is nearly over, and it hasn't been told so.
    fileprivate var isToBeTold: Bool { lead.map { allowance.left <= $0 } ?? false }
}
