import CCurfew

/// How it is told that something unread is still the same.
enum InputMeasure: Sendable, Hashable {
    /// Connections to be accepted; 1 where that isn't told.
    case backlog
    /// All bytes that ever came by a connection, where that is told: what has come since can be as long as what was
    /// read.
    case received
    case bytes
    /// A timer's: it goes off no more until it was read.
    case once

    func count(of descriptor: Int32) -> Int {
        switch self {
        case .backlog:
            let count = curfew_tcp_backlog(descriptor)
            return count < 0 ? 1 : Int(count)
        case .received:
            let count = curfew_tcp_received(descriptor)
            return count < 0 ? InputMeasure.bytes.count(of: descriptor) : Int(count)
        case .bytes: return max(0, Int(curfew_unread(descriptor)))
        case .once: return 1
        }
    }
}
