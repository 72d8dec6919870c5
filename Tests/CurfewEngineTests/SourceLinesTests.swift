import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("What a source writes, cut into lines")
struct SourceLinesTests {
    private static let most = LineReader.maximumLineBytes

    /// All that these chunks give.
    private static func lines(_ chunks: [[UInt8]]) -> [String] {
        var lines = SourceLines()
        var found: [String] = []
        for chunk in chunks {
            lines.append(chunk)
            while true {
                let next = lines.next()
                if next == .none { break }
                if case .line(let line) = next { found.append(String(decoding: line, as: UTF8.self)) }
                if next == .tooLong { found.append("too long") }
            }
        }
        return found + (lines.hasPart ? ["part"] : [])
    }

    private static func lines(_ text: String) -> [String] { lines([Array(text.utf8)]) }

    private static func line(of count: Int) -> String { String(repeating: "x", count: count - 1) + "\n" }

    @Test("Lines, and what has no end yet")
    func simple() {
        #expect(Self.lines("") == [])
        #expect(Self.lines("a\nb\n") == ["a", "b"])
        #expect(Self.lines("a\n\nb") == ["a", "", "part"])
        #expect(Self.lines([Array("a".utf8), Array("b\nc".utf8), Array("\n".utf8)]) == ["ab", "c"])
    }

    @Test("As long as may be, and one byte more")
    func longest() {
        #expect(Self.lines(Self.line(of: Self.most)) == [String(repeating: "x", count: Self.most - 1)])
        #expect(Self.lines(Self.line(of: Self.most + 1)) == ["too long"])
    }

    @Test("A line that is too long is passed over whole, and told of once")
    func passedOver() {
        #expect(Self.lines(Self.line(of: 3 * Self.most) + "open\n") == ["too long", "open"])
        let endless = [UInt8](repeating: 120, count: Self.most)
        #expect(Self.lines([endless, endless, endless]) == ["too long", "part"])
        #expect(Self.lines([endless, endless, Array("open\nhome\n".utf8)]) == ["too long", "home"])
        let twice = Self.line(of: 2 * Self.most) + Self.line(of: Self.most + 1) + "open\n"
        #expect(Self.lines(twice) == ["too long", "too long", "open"])
    }

    @Test("However it is cut, it is the same lines", arguments: 0..<100)
    func chunks(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var text: [UInt8] = []
        for _ in 0..<random.below(20) {
            let longest = random.chance(20) ? 3 * Self.most : 30
            text += random.bytes(upTo: longest).map { $0 == 10 ? 11 : $0 } + [10]
        }
        var chunks: [[UInt8]] = []
        var rest = text[...]
        while !rest.isEmpty {
            let count = 1 + random.below(Self.most)
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let whole = text.split(separator: 10, omittingEmptySubsequences: false).dropLast().map {
            $0.count < Self.most ? String(decoding: $0, as: UTF8.self) : "too long"
        }
        #expect(Self.lines(chunks) == whole)
    }
}
