import CCurfew
import Glibc

/// How long a test waits for what the kernel does by itself, at most.
let patience: Int64 = 30_000_000_000

/// Whether it comes true before the deadline; looked at every millisecond.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = curfew_monotonic_nanoseconds() + patience
    while !condition() {
        if curfew_monotonic_nanoseconds() > deadline { return false }
        poll(nil, 0, 1)
    }
    return true
}

/// Whether the descriptor becomes ready before the deadline.
func isReadable(_ descriptor: Int32, within nanoseconds: Int64 = patience) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Int32(nanoseconds / 1_000_000)) == 1
}

/// What a mutating call answers, for `#expect`, which takes none.
func asked<Answer>(_ question: () -> Answer) -> Answer { question() }
