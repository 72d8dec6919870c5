import Testing

@testable import CurfewClient

@Suite("Events that wait for a slow listener", .timeLimit(.minutes(2)))
struct EventQueueTests {
    private func change(_ name: String, _ sequence: Int) -> LifecycleEvent {
        LifecycleEvent(.change, name: name, sequence: sequence)
    }

    private func drain(_ queue: EventQueue) -> [Int] {
        var queue = queue
        var sequences: [Int] = []
        while let event = queue.popFirst() { sequences.append(event.sequence) }
        return sequences
    }

    @Test("Of changes the latest of each name is kept, in the first's place")
    func coalesced() {
        var queue = EventQueue()
        queue.append(change("locale", 1))
        queue.append(LifecycleEvent(.didBecomeActive, sequence: 2))
        queue.append(change("battery", 3))
        queue.append(change("locale", 4))
        queue.append(LifecycleEvent(.didBecomeActive, sequence: 5))
        #expect(drain(queue) == [4, 2, 3, 5])
    }

    @Test("A change and a waking event of one name are two things")
    func sameName() {
        var queue = EventQueue()
        queue.append(change("push", 1))
        queue.append(LifecycleEvent(.wake, name: "push", sequence: 2))
        queue.append(LifecycleEvent(.wake, name: "push", sequence: 3))
        #expect(drain(queue) == [1, 2, 3])
    }

    @Test("It is bounded, and what is owed stays")
    func bounded() {
        var queue = EventQueue()
        for sequence in 1...5000 {
            let isOwed = sequence.isMultiple(of: 500)
            queue.append(LifecycleEvent(.wake, name: "x", sequence: sequence, requiresAcknowledgement: isOwed))
        }
        #expect(queue.count == EventQueue.maximumCount)
        let sequences = drain(queue)
        #expect(sequences.filter { $0.isMultiple(of: 500) } == Array(stride(from: 500, through: 5000, by: 500)))
        #expect(sequences.last == 5000)
        #expect(sequences == sequences.sorted())
    }
}
