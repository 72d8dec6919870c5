import CCurfew
import CurfewLinux

@testable import CurfewEngine

extension EventLoop {
    /// The tokens of what is ready, and for what; `milliseconds`: how long one is waited for.
    func ready(within milliseconds: Int32 = 0) -> [curfew_ready] {
        var ready = [curfew_ready](repeating: curfew_ready(), count: 64)
        let count = curfew_epoll_wait(epoll.number, &ready, 64, milliseconds)
        return Array(ready.prefix(max(0, Int(count))))
    }

    /// The kinds of what is ready.
    var readyKinds: [Kind] { ready().compactMap { Kind.of($0.token)?.kind } }
}
