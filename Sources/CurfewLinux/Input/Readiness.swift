import CCurfew

/// What poll and epoll tell of a descriptor, which is the same in both. Source: poll(2), epoll_ctl(2).
struct Readiness: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 4)
    static let failed = Readiness(rawValue: 8)
    static let hungUp = Readiness(rawValue: 16)
    static let peerClosed = Readiness(rawValue: 0x2000)
    /// For epoll alone: told once at each change.
    static let byEdges = Readiness(rawValue: 1 << 31)

    /// What is waited for on every descriptor; failures and hang-ups are told unasked.
    static let coming: Readiness = [.readable, .peerClosed]
    static let ended: Readiness = [.failed, .hungUp, .peerClosed]

    init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension Readiness {
    /// What holds at this moment; nothing where that can't be told.
    static func now(_ descriptor: Int32) -> Readiness {
        let asked: Readiness = [.readable, .writable, .peerClosed]
        return Readiness(rawValue: UInt32(max(0, curfew_ready_now(descriptor, Int32(asked.rawValue)))))
    }
}
