/// When each of some names is due, and which is first.
///
/// A heap that knows where each name stands: a change costs the logarithm of how many there are, and to ask for the first the
/// same however many.
///
/// `Time`: an `Instant`, or a moment of the wall clock.
public struct NamedDeadlines<Time: Comparable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var name: String
        var at: Time
    }

    /// None is due before the one at half its place.
    private var heap: [Entry] = []
    private var places: [String: Int] = [:]

    public init() {}

    public var count: Int { heap.count }

    /// The earliest of all; nil where nothing is due.
    public var next: Time? { heap.first?.at }

    /// Whose that is; of several any.
    public var nextName: String? { heap.first?.name }

    /// When that one is due; nil: not at all.
    public subscript(name: String) -> Time? { places[name].map { heap[$0].at } }

    /// Those due by then: the earliest first, of one moment by name.
    public func due(at now: Time) -> [String] {
        var (found, looked): ([Entry], [Int]) = ([], [0])
        while let place = looked.popLast() {
            guard place < heap.count, heap[place].at <= now else { continue }
            found.append(heap[place])
            looked += [2 * place + 1, 2 * place + 2]
        }
        return found.sorted { ($0.at, $0.name) < ($1.at, $1.name) }.map(\.name)
    }

    // MARK: Changes

    /// In place of when it was due before.
    public mutating func set(_ at: Time, for name: String) {
        let place = places[name] ?? heap.count
        if place == heap.count { heap.append(Entry(name: name, at: at)) }
        heap[place].at = at
        settle(place)
    }

    /// Of one that isn't due nothing changes.
    public mutating func remove(_ name: String) {
        guard let place = places.removeValue(forKey: name) else { return }
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        settle(place)
    }

    public mutating func removeAll() { self = NamedDeadlines() }

    /// To where it belongs: up, or else down.
    private mutating func settle(_ start: Int) {
        var place = start
        while place > 0, heap[place].at < heap[(place - 1) / 2].at {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while let child = earlierChild(of: place), heap[child].at < heap[place].at {
            swap(place, child)
            place = child
        }
        places[heap[place].name] = place
    }

    private func earlierChild(of place: Int) -> Int? {
        let (left, right) = (2 * place + 1, 2 * place + 2)
        guard left < heap.count else { return nil }
        return right < heap.count && heap[right].at < heap[left].at ? right : left
    }

    /// The one that comes to `place` is told where it is; the other is on its way.
    private mutating func swap(_ other: Int, _ place: Int) {
        heap.swapAt(other, place)
        places[heap[other].name] = other
    }
}
