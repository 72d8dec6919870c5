/// When each app is due next, and who is the earliest, on both clocks.
///
/// A tournament: a tree whose leaves are the apps and whose every other node is the earlier of the two below it. Each node
/// is two numbers of one array, of lifecycle and of real time. A change goes up only as far as it makes a difference; one
/// app is leaf and root in one.
struct DeadlineIndex: Sendable, Hashable {
    /// Node 1 is the root, those below node N are 2N and 2N + 1; node 0 isn't used.
    private var nodes: [Int] = []
    private var capacity = 0

    private static let never = Int.max

    /// The earliest of all.
    var next: NextDeadline {
        guard capacity > 0 else { return NextDeadline() }
        return NextDeadline(lifecycle: Self.instant(nodes[2]), real: Self.instant(nodes[3]))
    }

    /// What is due next of the app at `index`.
    mutating func set(_ deadline: NextDeadline, at index: Int) {
        if index >= capacity { grow(beyond: index) }
        set(Self.key(deadline.lifecycle), Self.key(deadline.real), of: capacity + index)
    }

    /// Nothing any more; with `last`, what was due of the app at `last`, which takes its place.
    mutating func remove(at index: Int, replacedBy last: Int) {
        let leaf = capacity + last
        let (lifecycle, real) = (nodes[2 * leaf], nodes[2 * leaf + 1])
        set(Self.never, Self.never, of: leaf)
        if index != last { set(lifecycle, real, of: capacity + index) }
    }

    private mutating func set(_ lifecycle: Int, _ real: Int, of leaf: Int) {
        var (node, lifecycle, real) = (leaf, lifecycle, real)
        while nodes[2 * node] != lifecycle || nodes[2 * node + 1] != real {
            nodes[2 * node] = lifecycle
            nodes[2 * node + 1] = real
            if node == 1 { return }
            let sibling = node ^ 1
            lifecycle = min(lifecycle, nodes[2 * sibling])
            real = min(real, nodes[2 * sibling + 1])
            node /= 2
        }
    }

    private mutating func grow(beyond index: Int) {
        let old = self
        capacity = max(1, capacity)
        while capacity <= index { capacity *= 2 }
        nodes = Array(repeating: Self.never, count: 4 * capacity)
        for leaf in 0..<old.capacity {
            let node = 2 * (old.capacity + leaf)
            set(old.nodes[node], old.nodes[node + 1], of: capacity + leaf)
        }
    }

    // MARK: Who is due

    func isAnyDue(at now: Moment) -> Bool { capacity > 0 && isDue(1, at: now) }

    /// In no order that means anything.
    func due(at now: Moment) -> [Int] {
        var found: [Int] = []
        if capacity > 0 { collect(1, at: now, into: &found) }
        return found
    }

    private func collect(_ node: Int, at now: Moment, into found: inout [Int]) {
        guard isDue(node, at: now) else { return }
        if node >= capacity { return found.append(node - capacity) }
        collect(2 * node, at: now, into: &found)
        collect(2 * node + 1, at: now, into: &found)
    }

    private func isDue(_ node: Int, at now: Moment) -> Bool {
        isDue(nodes[2 * node], at: now.lifecycle) || isDue(nodes[2 * node + 1], at: now.real)
    }

    private func isDue(_ key: Int, at now: Instant) -> Bool { key <= now.nanoseconds && key != Self.never }

    // MARK: Numbers

    /// A deadline that never comes is none.
    private static func key(_ instant: Instant?) -> Int { instant.map { Int($0.nanoseconds) } ?? never }

    private static func instant(_ key: Int) -> Instant? { key == never ? nil : Instant(nanoseconds: Int64(key)) }
}
