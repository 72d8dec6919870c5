import Glibc

/// State that threads share, each in turn.
///
/// Not the standard library's `Mutex`, which ThreadSanitizer doesn't see. Unchecked, for the compiler can't see that `state` is
/// touched under `mutex` only.
public final class Guarded<State: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var state: State

    public init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Reads or changes the state; waits for another thread that does, and so must be short.
    public func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }
}
