import Glibc
import Synchronization

/// Closes the library's connections in a child that is forked and doesn't execute anything.
///
/// Left open there, they would outlive this process, and the supervisor would go on expecting acknowledgements.
enum ForkGuard {
    /// Descriptors; -1 is a free place.
    private static let places: InlineArray<64, Atomic<Int32>> = InlineArray { _ in Atomic(-1) }

    /// Made after the places, for a fork may come as soon as the handler is registered.
    private static let isRegistered: Bool = {
        _ = places[0].load(ordering: .relaxed)
        return pthread_atfork(nil, nil, { ForkGuard.closeAll() }) == 0
    }()

    /// Remembers a descriptor; an application has two, and one too many is not remembered.
    static func add(_ descriptor: Int32) {
        if isRegistered { replace(-1, by: descriptor) }
    }

    /// Forgets a descriptor that is about to be closed.
    static func remove(_ descriptor: Int32) { replace(descriptor, by: -1) }

    private static func replace(_ expected: Int32, by desired: Int32) {
        for place in places.indices
        where places[place].compareExchange(expected: expected, desired: desired, ordering: .relaxed).exchanged {
            return
        }
    }

    /// In the child, where only what is async-signal-safe may be done: no allocation, no lock.
    private static func closeAll() {
        forEachDescriptor { close($0) }
    }

    /// Those that are remembered now.
    static func forEachDescriptor(_ body: (Int32) -> Void) {
        for place in places.indices {
            let descriptor = places[place].load(ordering: .relaxed)
            if descriptor >= 0 { body(descriptor) }
        }
    }
}
