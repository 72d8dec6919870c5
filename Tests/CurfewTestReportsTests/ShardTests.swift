import Testing

@testable import CurfewTestReports

@Suite("Shards")
struct ShardTests {
    @Test(
        "What is no shard, with what is",
        arguments: [
            ("", "--shard takes I/N, as 2/5 for the second of five, not \"\""),
            ("2", "--shard takes I/N, as 2/5 for the second of five, not \"2\""),
            ("1/2/3", "--shard takes I/N, as 2/5 for the second of five, not \"1/2/3\""),
            ("-1/2", "--shard takes I/N, as 2/5 for the second of five, not \"-1/2\""),
            ("+1/2", "--shard takes I/N, as 2/5 for the second of five, not \"+1/2\""),
            ("1/ 2", "--shard takes I/N, as 2/5 for the second of five, not \"1/ 2\""),
            ("a\n/b", "--shard takes I/N, as 2/5 for the second of five, not \"a\\n/b\""),
            (
                "1/99999999999999999999",
                "--shard takes I/N, as 2/5 for the second of five, not \"1/99999999999999999999\""
            ),
            ("1/0", "--shard 1/0: N is 1 to 10000"),
            ("1/10001", "--shard 1/10001: N is 1 to 10000"),
            ("0/5", "--shard 0/5: I is 1 to 5, the first is 1/5"),
            ("6/5", "--shard 6/5: I is 1 to 5, the first is 1/5"),
        ])
    func problems(text: String, problem: String) {
        #expect(throws: OptionProblem(problem)) { try Shard.parse(text) }
    }

    @Test("What is one")
    func parses() throws {
        #expect(try Shard.parse("2/5") == Shard(number: 2, count: 5))
        #expect(try Shard.parse("10000/10000") == Shard(number: 10_000, count: 10_000))
    }

    @Test(
        "The hash is FNV-1a's, and stays so: a cut of today is that of tomorrow",
        arguments: [
            ("", "", [], 0xaf64_724c_8602_eb6e),
            ("a", "", [], 0x089b_c907_b544_c769),
            ("upload.curfew", "reclaim", ["size=1"], 0x6afa_114a_6f21_9200),
        ] as [(String, String, [String], UInt64)])
    func hash(file: String, name: String, values: [String], hash: UInt64) {
        #expect(ScenarioKey(file: file, name: name, values: values).stableHash == hash)
    }

    @Test("Where a name ends and a value begins counts; how a path is written doesn't, nor line and round")
    func keys() {
        let base = ScenarioKey(ScenarioID(file: "a/b", name: "c", line: 1, values: ["d=1", "e=2"]))
        #expect(
            base == ScenarioKey(ScenarioID(file: "./a//./b", name: "c", line: 9, values: ["d=1", "e=2"], round: 3)))
        #expect(base.stableHash != ScenarioKey(file: "a/b", name: "cd=1", values: ["", "e=2"]).stableHash)
        #expect(base.stableHash != ScenarioKey(file: "a/b", name: "c", values: ["d=1e=2"]).stableHash)
        #expect(ScenarioKey(file: "/a", name: "", values: []) != ScenarioKey(file: "a", name: "", values: []))
    }

    @Test(
        "Each scenario is in exactly one shard, in its order, whatever the order of all", arguments: [1, 2, 3, 7, 50])
    func partition(count: Int) {
        var generator = SplitMix64(seed: UInt64(count))
        for round in 0..<9 {
            let all = Samples.many(generator.below(60), &generator).map(\.id)
            let durations = round % 3 == 0 ? nil : Self.durations(of: all, &generator)
            let parts = (1...count).map { Shard(number: $0, count: count).part(of: all, durations: durations) }
            #expect(parts.reduce(0) { $0 + $1.count } == all.count)
            #expect(Set(parts.joined()) == Set(all))
            for part in parts { #expect(part == all.filter(Set(part).contains)) }
            let shuffled = all.shuffled(using: &generator)
            for number in 1...count {
                let part = Shard(number: number, count: count).part(of: shuffled, durations: durations)
                #expect(Set(part) == Set(parts[number - 1]))
            }
        }
    }

    @Test("By name alone a scenario stays in its shard whatever others there are")
    func stable() {
        var generator = SplitMix64(seed: 3)
        let all = Samples.many(50, &generator).map(\.id)
        let shard = Shard(number: 2, count: 4)
        let some = all.filter { _ in generator.below(2) == 0 }
        #expect(shard.part(of: some) == some.filter(Set(shard.part(of: all)).contains))
        #expect(!shard.part(of: all).isEmpty)
    }

    @Test("Longest first, to the shard with the least to do; unknown ones take the median")
    func longestFirst() {
        let ids = ["a", "b", "c", "d", "e", "f"].map { ScenarioID(file: "x", name: $0, line: 1) }
        // f is unknown, and takes 3 s: 9 and 5, then c and f make 11 of the 5, d and e 11 of the 9.
        let durations = Durations.read("9\tx\ta\n5\tx\tb\n3\tx\tc\n1\tx\td\n1\tx\te\n").durations
        #expect(durations.median == 3_000_000_000)
        let parts = (1...2).map { Shard(number: $0, count: 2).part(of: ids, durations: durations).map(\.name).joined() }
        #expect(parts == ["ade", "bcf"])
    }

    @Test("Where no duration is known, each shard gets as many, by name")
    func noDurations() {
        let ids = ["d", "b", "a", "c", "e"].map { ScenarioID(file: "x", name: $0, line: 1) }
        let parts = (1...2).map {
            Shard(number: $0, count: 2).part(of: ids, durations: Durations()).map(\.name).joined()
        }
        #expect(parts == ["ace", "db"])
    }

    @Test("No shard has more than twice the longest scenario, or an even part, whichever is more")
    func bound() {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<50 {
            let results = Samples.many(30, &generator)
            var durations = Durations()
            durations.note(results)
            let unknown = durations.median ?? 1_000_000_000
            let times = Dictionary(results.map { ($0.id, durations[$0.id] ?? unknown) }) { first, _ in first }
            let least = max(times.values.max() ?? 0, times.values.reduce(0, +) / 4)
            for number in 1...4 {
                let part = Shard(number: number, count: 4).part(of: Array(times.keys), durations: durations)
                #expect(part.reduce(0) { $0 + (times[$1] ?? 0) } <= 2 * least)
            }
        }
    }

    private static func durations(of ids: [ScenarioID], _ generator: inout SplitMix64) -> Durations {
        var durations = Durations()
        let known = ids.filter { _ in generator.below(3) > 0 }
        durations.note(known.map { ScenarioResult($0, .passed, seconds: Double(generator.below(5))) })
        return durations
    }
}
