import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

@Suite("Processes have waited for memory")
struct StallNewsTests {
    /// Writes down what follows.
    private final class Host: StallHost {
        let availableMemory: UInt64 = 4711
        private(set) var inputs: [Input] = []
        private(set) var hasEnded = false

        func feed(_ input: Input) { inputs.append(input) }
        func endStallWatch() { hasEnded = true }
    }

    private let host = Host()

    @Test("Memory is looked at, and the core told that there are stalls")
    func stalled() {
        StallNews(host: host).told(Pressure.interest)
        #expect(host.inputs == [.machine(.availableMemoryMeasured(4711, isStalling: true))])
        #expect(!host.hasEnded)
    }

    // EPOLLERR is 8, EPOLLHUP 16. Source: epoll_ctl(2).
    @Test(
        "An error stays for good: the watch ends, and the core is told nothing, though news come along with it",
        arguments: [8, 16, 8 | Pressure.interest] as [UInt32])
    func failed(events: UInt32) {
        StallNews(host: host).told(events)
        #expect(host.inputs == [])
        #expect(host.hasEnded)
    }
}
