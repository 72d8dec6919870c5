import CCurfew
import CurfewLinux

/// What the one thread waits for: descriptors, each with a token that says whose it is.
///
/// A plain value, as `Descriptor` is: whoever waits for something of his own is given a copy.
struct EventLoop {
    private(set) var epoll = Descriptor.none

    static let readable: UInt32 = 1
    static let writable: UInt32 = 4

    /// What has woken us: the kind in the token's first byte, below it a number; for what is an app's, the app's.
    enum Kind: UInt64 {
        case signals = 1, timer, listener, outOfMemory, connection, owner, notify, mainProcess, settings, memoryMark
        case pressure, input, records, reaper, source, wallTimer, zone, desktop

        private static let numberBits: UInt64 = 56

        func token(_ number: Int = 0) -> UInt64 {
            rawValue << Self.numberBits | UInt64(truncatingIfNeeded: number) & (1 << Self.numberBits - 1)
        }

        /// Of a token that `token` made; nil for any other.
        static func of(_ token: UInt64) -> (kind: Kind, number: Int)? {
            Kind(rawValue: token >> numberBits).map { ($0, Int(token & (1 << numberBits - 1))) }
        }
    }

    /// Waits for nothing; `make` gives one that does.
    static let none = EventLoop()

    /// Below 0 in `epoll` where there is none to be had: -errno.
    static func make() -> EventLoop { EventLoop(epoll: Descriptor(curfew_epoll_create())) }

    /// Refused for what is waited for already.
    func add(_ descriptor: Descriptor, _ token: UInt64, interest: UInt32 = readable) {
        _ = curfew_epoll_add(epoll.number, descriptor.number, interest, token)
    }

    func change(_ descriptor: Descriptor, _ token: UInt64, interest: UInt32) {
        _ = curfew_epoll_modify(epoll.number, descriptor.number, interest, token)
    }

    /// Refused for what isn't waited for.
    func remove(_ descriptor: Descriptor) { _ = curfew_epoll_remove(epoll.number, descriptor.number) }
}
