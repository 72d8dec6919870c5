import CurfewWire
import Testing

@Suite("Lines of a stream")
struct LineReaderTests {
    private let stream = "hello version=1\r\n\n  \nbegin name=\"größe\\n\"\nbad \"\nend id=9\n"

    private let expected: [LineReader.Next] = [
        .message(Message("hello", [Field("version", "1")])),
        .message(Message("begin", [Field("name", "größe\n")])),
        .malformed(MalformedLine(offset: 4, problem: "a key has only letters, digits, '_', '.' and '-'")),
        .message(Message("end", [Field("id", "9")])),
    ]

    @Test("A stream in one chunk")
    func oneChunk() {
        #expect(read([Array(stream.utf8)]) == expected)
    }

    @Test("A stream split in two at each byte")
    func splitAtEachByte() {
        let bytes = Array(stream.utf8)
        for split in 0...bytes.count {
            #expect(read([Array(bytes[..<split]), Array(bytes[split...])]) == expected, "split at \(split)")
        }
    }

    @Test("A stream in chunks of each size")
    func chunksOfEachSize() {
        let bytes = Array(stream.utf8)
        for size in 1...bytes.count {
            let chunks = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(read(chunks) == expected, "chunks of \(size)")
        }
    }

    @Test("Half a line is no message")
    func halfLine() {
        var reader = LineReader()
        #expect(reader.next() == .none)
        reader.append(Array("end id=9".utf8))
        #expect(reader.next() == .none)
        #expect(reader.pendingBytes == 8)
        reader.append(Array("\n".utf8))
        #expect(reader.next() == .message(Message("end", [Field("id", "9")])))
        #expect(reader.pendingBytes == 0)
    }

    @Test("4096 bytes with the LF are a line, whether at once or byte by byte")
    func longestLine() {
        let message = Message("ok", [Field("abc", String(repeating: "x", count: 4088))])
        let line = Array((message.line + "\n").utf8)
        #expect(line.count == LineReader.maximumLineBytes)
        #expect(read([line, line]) == [.message(message), .message(message)])
        #expect(read(line.map { [$0] }) == [.message(message)])
    }

    @Test("4097 bytes are too long, for good, with and without the LF")
    func tooLong() {
        let long = [UInt8](repeating: 0x78, count: 4096)
        var reader = LineReader()
        reader.append(Array(long.dropLast()))
        #expect(reader.next() == .none)
        reader.append([0x78])
        #expect(reader.next() == .tooLong)
        reader.append(Array("\nok\n".utf8))
        #expect(reader.next() == .tooLong)
        #expect(reader.pendingBytes == 0)
        #expect(read([Array("ok\n".utf8) + long + Array("\nok\n".utf8)]) == [.message(Message("ok")), .tooLong])
    }

    @Test("A long blank line is too long as well")
    func longBlankLine() {
        #expect(read([[UInt8](repeating: 0x20, count: 5000)]) == [.tooLong])
        #expect(read([[UInt8](repeating: 0x20, count: 4095) + [0x0a]]) == [])
    }

    @Test("A long chunk of short lines is read to its end")
    func manyLines() {
        let chunk = Array(String(repeating: "ok id=1\n", count: 10_000).utf8)
        #expect(read([chunk]).count == 10_000)
    }

    /// All answers until `.none`, or up to the first `.tooLong`.
    private func read(_ chunks: [[UInt8]]) -> [LineReader.Next] {
        var reader = LineReader()
        var answers: [LineReader.Next] = []
        for chunk in chunks {
            reader.append(chunk)
            while true {
                let next = reader.next()
                if next == .none { break }
                answers.append(next)
                if next == .tooLong { return answers }
            }
        }
        return answers
    }
}
