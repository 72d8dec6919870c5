import CurfewWire

/// One of several runs that share all scenarios between them, each scenario in exactly one: `--shard I/N`.
///
/// Which one holds a scenario follows from names alone, so every shard finds it by itself: nothing is handed out, and shards can be run
/// anywhere, in any order, again. With durations it follows from these too, and the same file must be given to all.
public struct Shard: Sendable, Hashable {
    public static let most = 10_000

    /// From 1.
    public let number: Int
    public let count: Int

    /// Reads `I/N`, as `2/5`: I is 1 to N, N at most `most`.
    public static func parse(_ text: String) throws(OptionProblem) -> Shard {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = whole(parts[0]), let count = whole(parts[1]) else {
            throw OptionProblem("--shard takes I/N, as 2/5 for the second of five, not \"\(Printable.text(text))\"")
        }
        guard (1...most).contains(count) else { throw OptionProblem("--shard \(text): N is 1 to \(most)") }
        guard (1...count).contains(number) else {
            throw OptionProblem("--shard \(text): I is 1 to \(count), the first is 1/\(count)")
        }
        return Shard(number: number, count: count)
    }

    private static func whole(_ text: Substring) -> Int? {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// By name alone: the key's hash, modulo N.
    func holds(_ id: ScenarioID) -> Bool {
        Int(ScenarioKey(id).stableHash % UInt64(count)) == number - 1
    }

    /// This shard's part of all scenarios, in their order.
    public func part(of all: [ScenarioID], durations: Durations? = nil) -> [ScenarioID] {
        guard let durations else { return all.filter(holds) }
        let shards = Shard.assigned(all, to: count, durations)
        return zip(all, shards).filter { $0.1 == number - 1 }.map(\.0)
    }

    /// The longest first, each to the shard with the least to do, of those the first; the same time: by key.
    ///
    /// Source: Graham, "Bounds on Multiprocessing Timing Anomalies", 1969: at most 4/3 of the best possible.
    private static func assigned(_ all: [ScenarioID], to count: Int, _ durations: Durations) -> [Int] {
        let unknown = durations.median ?? 1_000_000_000
        let works = all.enumerated()
            .map { (index: $0.offset, key: ScenarioKey($0.element), time: durations[$0.element] ?? unknown) }
            .sorted { $0.time != $1.time ? $0.time > $1.time : $0.key < $1.key }
        var loads = [Int64](repeating: 0, count: count)
        var shards = [Int](repeating: 0, count: all.count)
        for work in works {
            let least = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[least] = loads[least].addingReportingOverflow(work.time).partialValue
            shards[work.index] = least
        }
        return shards
    }
}
