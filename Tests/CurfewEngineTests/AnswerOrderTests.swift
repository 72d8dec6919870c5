import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("Answers of one connection, in order")
struct AnswerOrderTests {
    private var order = AnswerOrder()

    private func words(_ pieces: [AnswerOrder.Piece]) -> [String] {
        let lines = AnswerOrder.Piece.lines(of: pieces)
        var words: [String] = []
        while let line = lines() { words.append(line.verb) }
        return words
    }

    /// What goes out then.
    private mutating func add(_ word: String, _ request: Int, isLast: Bool = true) -> [String] {
        words(order.add(.message(Message(word)), to: request, isLast: isLast))
    }

    @Test("While none is owed each goes out at once, and nothing is kept")
    mutating func atOnce() {
        #expect(add("one", 1, isLast: false) == ["one"])
        #expect(add("ok", 1) == ["ok"])
        #expect(order.count == 0)
    }

    @Test("What comes after one that is owed waits for it, and then goes out in the order of requests")
    mutating func owed() {
        order.owe(1)
        order.owe(2)
        #expect(add("three", 3, isLast: false) == [])
        #expect(add("three", 3) == [])
        #expect(add("two", 2) == [])
        #expect(order.count == 3)
        #expect(add("one", 1, isLast: false) == ["one"])
        #expect(add("one", 1) == ["one", "two", "three", "three"])
        #expect(order.count == 0)
    }

    @Test("Owed twice it is one, and one that was owed goes out at once where nothing is before it")
    mutating func owedTwice() {
        order.owe(4)
        order.owe(4)
        #expect(order.count == 1)
        #expect(add("ok", 4) == ["ok"])
        #expect(order.count == 0)
    }

    @Test("Lines are begun when it is their turn")
    mutating func lines() {
        order.owe(1)
        var begun = 0
        let pieces = order.add(
            .lines {
                begun += 1
                var left = ["a", "b"]
                return { left.isEmpty ? nil : Message(left.removeFirst()) }
            }, to: 2, isLast: true)
        #expect(pieces.isEmpty)
        #expect(begun == 0)
        #expect(add("ok", 1) == ["ok", "a", "b"])
        #expect(begun == 1)
    }

    @Test("However late which are answered, all go out, in the order of requests, and none later than it has to")
    func property() {
        for seed in UInt64(0)..<200 {
            var random = SplitMix64(seed: seed)
            var order = AnswerOrder()
            /// Of each request what there is of its answer, and whether that is all.
            var model: [(words: [String], isDone: Bool)] = []
            var sent: [String] = []
            func expected() -> [String] {
                var all: [String] = []
                for answer in model {
                    all += answer.words
                    if !answer.isDone { break }
                }
                return all
            }
            /// `isWhole`: until nothing of it is missing.
            func answer(_ request: Int, isWhole: Bool, _ random: inout SplitMix64) {
                let parts = 1 + random.below(3)
                for part in 1...parts {
                    let isLast = isWhole && part == parts
                    let word = "r\(request).\(model[request].words.count)"
                    model[request].words.append(word)
                    model[request].isDone = isLast
                    sent += words(order.add(.message(Message(word)), to: request, isLast: isLast))
                }
            }
            for _ in 0..<60 {
                let owed = model.indices.filter { !model[$0].isDone }
                if random.chance(60) || owed.isEmpty {
                    model.append(([], false))
                    if random.chance(40) {
                        order.owe(model.count - 1)
                    } else {
                        // Of what isn't owed nothing is missing before the next request comes.
                        answer(model.count - 1, isWhole: true, &random)
                    }
                } else {
                    answer(random.pick(owed), isWhole: random.chance(50), &random)
                }
                guard sent == expected() else {
                    Issue.record("seed \(seed): \(sent), not \(expected())")
                    return
                }
            }
            for request in model.indices where !model[request].isDone {
                answer(request, isWhole: true, &random)
            }
            #expect(sent == expected())
            #expect(order.count == 0)
        }
    }
}
