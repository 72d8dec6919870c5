import CurfewWire
import Testing

/// Seeded, so that a failure, which names its seed, can be repeated.
@Suite("Fuzzing the wire")
struct WireFuzzTests {
    @Test("Random bytes never crash, and what is read is written and read again", arguments: 0..<8 as Range<UInt64>)
    func randomBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<5_000 { check(random.bytes(upTo: 40), seed) }
    }

    @Test("Random tokens of the grammar", arguments: 0..<8 as Range<UInt64>)
    func randomTokens(seed: UInt64) {
        let tokens = [
            "ok", "a", "=", "\"", "\\", " ", "\\x1f", "\\n", "é", "\t", "\r", "\n", "a=b", "a=\"", "\\\"", "\u{0}",
        ]
        var random = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            check((0..<random.below(12)).flatMap { _ in Array(tokens[random.below(tokens.count)].utf8) }, seed)
        }
    }

    @Test("Random messages come back byte for byte", arguments: 0..<8 as Range<UInt64>)
    func randomMessages(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let message = randomMessage(&random)
            let back = try? Message.parse(message.line)
            #expect(back?.bytes == message.bytes, "seed \(seed): \(message)")
        }
    }

    @Test("Valid lines with bytes changed, removed and doubled", arguments: 0..<8 as Range<UInt64>)
    func mutatedLines(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            var line = Array(
                (random.below(2) == 0 ? randomMessage(&random) : transcript[random.below(14)].message).line.utf8)
            for _ in 0...random.below(3) where !line.isEmpty { mutate(&line, &random) }
            check(line, seed)
        }
    }

    @Test("A stream reads the same in whatever chunks it comes", arguments: 0..<8 as Range<UInt64>)
    func randomChunks(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var stream: [UInt8] = []
            for _ in 0..<5 {
                if random.below(4) == 0 {
                    stream += random.bytes(upTo: 60)
                } else {
                    randomMessage(&random).encode(into: &stream)
                }
            }
            #expect(
                answers(stream, chunk: stream.count + 1) == answers(stream, chunk: 1 + random.below(30)), "seed \(seed)"
            )
        }
    }

    @Test("An over-long random message is cut to a line that is read", arguments: 0..<4 as Range<UInt64>)
    func longMessages(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<30 {
            var message = randomMessage(&random)
            for index in message.fields.indices {
                message.fields[index].value = (0..<random.below(300)).map { _ in randomText(&random) }.joined()
            }
            var line: [UInt8] = []
            message.encode(into: &line)
            let back = try? Message.parse(line)
            #expect(line.count <= 4096 && back?.verb == message.verb, "seed \(seed)")
            #expect(back?.fields.map(\.key) == message.fields.map(\.key), "seed \(seed)")
        }
    }

    private func check(_ line: [UInt8], _ seed: UInt64) {
        do {
            guard let message = try Message.parse(line) else { return }
            let back = try? Message.parse(message.line)
            #expect(back?.bytes == message.bytes, "seed \(seed): \(line)")
            #expect(message.line.utf8.count <= line.count, "seed \(seed): \(line)")
        } catch {
            let isInside = error.offset >= 0 && error.offset <= line.count
            #expect(isInside, "seed \(seed): \(line)")
        }
    }

    private func mutate(_ line: inout [UInt8], _ random: inout SplitMix64) {
        let index = random.below(line.count)
        switch random.below(4) {
        case 0: line[index] = UInt8(truncatingIfNeeded: random.next())
        case 1: line.remove(at: index)
        case 2: line.insert(line[index], at: index)
        default: line[index] ^= 1 << UInt8(random.below(8))
        }
    }

    private func answers(_ stream: [UInt8], chunk size: Int) -> [LineReader.Next] {
        var reader = LineReader()
        var answers: [LineReader.Next] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            reader.append(Array(stream[start..<min(start + size, stream.count)]))
            var next = reader.next()
            while next != .none {
                answers.append(next)
                next = reader.next()
            }
        }
        return answers
    }
}
