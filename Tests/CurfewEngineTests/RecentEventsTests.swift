import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("The latest events of many apps")
struct RecentEventsTests {
    private func log(_ seconds: [Int64]) -> ArraySlice<EventLog.Entry> {
        var log = EventLog()
        for second in seconds {
            _ = log.append(.statusText("\(second)"), at: Instant(nanoseconds: 0) + .seconds(second))
        }
        return log.recent
    }

    /// Each with the number of its log.
    private func last(_ count: Int, of logs: [[Int64]]) -> [String] {
        RecentEvents(of: logs.map(log)).last(count).map { "\($0.log):\($0.entry.number)" }
    }

    @Test("They come in the order of their times, of one time in the order of the logs")
    func order() {
        #expect(last(9, of: [[1, 4], [], [2, 4, 4], [3]]) == ["0:1", "2:1", "3:1", "0:2", "2:2", "2:3"])
        #expect(last(2, of: [[1, 4], [], [2, 4, 4], [3]]) == ["2:2", "2:3"])
        #expect(last(2, of: []) == [])
        #expect(last(2, of: [[]]) == [])
        #expect(last(0, of: [[1]]) == [])
    }

    @Test("They are what sorting all of them gives")
    func property() {
        for seed in UInt64(0)..<100 {
            var random = SplitMix64(seed: seed)
            let logs = (0..<random.below(9)).map { _ in
                (0..<random.below(12)).map { _ in Int64(random.below(20)) }.sorted()
            }
            let all = logs.enumerated().flatMap { log, times in
                times.enumerated().map { (time: $1, log: log, number: $0 + 1) }
            }.sorted { ($0.time, $0.log, $0.number) < ($1.time, $1.log, $1.number) }
            let count = random.below(30)
            #expect(last(count, of: logs) == all.suffix(count).map { "\($0.log):\($0.number)" })
        }
    }
}
