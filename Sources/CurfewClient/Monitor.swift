import Glibc

/// State that threads share, and wait for.
///
/// Not the standard library's `Mutex`: that can't be waited on, and ThreadSanitizer, which a program that ships with this
/// may be tested with, doesn't see it. Unchecked, for the compiler can't see that `state` is touched under `mutex` only.
package final class Monitor<State: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the state, and wakes whoever waits for it.
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Waits until `look` finds something.
    func wait<Result>(for look: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = look(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits until `look` finds something, for `seconds` of running; nil when they are over.
    func wait<Result>(seconds: Int, for look: (inout State) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var patience = Patience(seconds: seconds)
        while true {
            if let result = look(&state) { return result }
            guard var end = patience.endOfThisSecond() else { return nil }
            pthread_cond_timedwait(condition, mutex, &end)
        }
    }
}
