import CurfewCore

/// The latest events of many apps, found without a look at all that there are: each app's are in the order of their times.
///
/// A heap of the logs, the one with the latest event first; what is taken costs the logarithm of how many logs there are.
struct RecentEvents {
    private let logs: [ArraySlice<EventLog.Entry>]
    /// Numbers of logs that have events left.
    private var heap: [Int]
    /// Of each log the index behind its latest that is left.
    private var ends: [Int]

    init(of logs: [ArraySlice<EventLog.Entry>]) {
        self.logs = logs
        ends = logs.map(\.endIndex)
        heap = logs.indices.filter { !logs[$0].isEmpty }
        for place in heap.indices.reversed() { sink(place) }
    }

    /// The latest `count` of all, the earliest of them first; of one time in the order of the logs.
    func last(_ count: Int) -> [(entry: EventLog.Entry, log: Int)] {
        var rest = self
        var taken: [(entry: EventLog.Entry, log: Int)] = []
        while taken.count < count, let next = rest.takeLatest() { taken.append(next) }
        return taken.reversed()
    }

    private mutating func takeLatest() -> (entry: EventLog.Entry, log: Int)? {
        guard let log = heap.first else { return nil }
        ends[log] -= 1
        if ends[log] == logs[log].startIndex {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
        }
        defer { if !heap.isEmpty { sink(0) } }
        return (logs[log][ends[log]], log)
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var latest = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && isLater(heap[child], heap[latest]) {
                latest = child
            }
            if latest == place { return }
            heap.swapAt(place, latest)
            place = latest
        }
    }

    private func isLater(_ one: Int, _ other: Int) -> Bool {
        (logs[one][ends[one] - 1].instant, one) > (logs[other][ends[other] - 1].instant, other)
    }
}
