import CurfewWire
import Testing

@Suite("Writing a line")
struct MessageEncodingTests {
    @Test("Every line of the design's transcript is written so", arguments: transcript.indices)
    func writesTranscript(index: Int) {
        #expect(transcript[index].message.line == transcript[index].line)
    }

    @Test("Golden bytes, appended after what the buffer holds")
    func goldenBytes() {
        var buffer: [UInt8] = [0x21]
        Message("ok", [Field("a", "b\n")]).encode(into: &buffer)
        Message("z").encode(into: &buffer)
        #expect(
            buffer == [
                0x21, 0x6f, 0x6b, 0x20, 0x61, 0x3d, 0x22, 0x62, 0x5c, 0x6e, 0x22, 0x0a, 0x7a, 0x0a,
            ])
    }

    @Test(
        "Values",
        arguments: [
            ("", #""""#),
            ("b", "b"),
            ("b=c", "b=c"),
            ("don't", "don't"),
            ("größe", "größe"),
            (" ", #"" ""#),
            ("two words", #""two words""#),
            ("\"", #""\"""#),
            ("\\", #""\\""#),
            ("\n\t\r", #""\n\t\r""#),
            ("\u{0}\u{1f}\u{7f}", #""\x00\x1f\x7f""#),
            ("\u{85}", "\u{85}"),
        ])
    func writesValues(value: String, written: String) {
        #expect(Message("v", [Field("a", value)]).line == "v a=" + written)
    }

    @Test("A name that can't be written never makes a second message")
    func repairsNames() {
        #expect(Message("a\nb c", [Field("", "1"), Field("x=y", "2")]).line == "a_b_c _=1 x_y=2")
        #expect(Message("").line == "_")
    }

    @Test(
        "A line of 4096 bytes with its LF is left alone, one of 4097 is cut",
        arguments: [
            (4087, 4095, 4087), (4088, 4096, 4088), (4089, 4096, 4088), (100_000, 4096, 4088),
        ])
    func cutsAtTheLimit(length: Int, lineBytes: Int, kept: Int) throws {
        let message = Message("ok", [Field("abc", String(repeating: "x", count: length))])
        let line = encoded(message)
        #expect(line.count == lineBytes)
        #expect(line.last == 0x0a)
        #expect(try Message.parse(line)?["abc"]?.utf8.count == kept)
    }

    @Test("Only the longest value is cut, between characters")
    func cutsTheLongestBetweenCharacters() throws {
        for shift in 0..<8 {
            let long = String(repeating: "x", count: shift) + String(repeating: "😀", count: 2000)
            let line = encoded(Message("ok", [Field("id", "7"), Field("a", long), Field("b", "two words")]))
            let message = try #require(try Message.parse(line))
            #expect(line.count <= 4096 && line.count > 4092)
            #expect(message["id"] == "7")
            #expect(message["b"] == "two words")
            #expect(long.hasPrefix(try #require(message["a"])))
        }
    }

    @Test("Escapes are counted, and never cut in two", arguments: ["\u{1}", "\n", "\"", "a\u{7f}"])
    func cutsBetweenEscapes(unit: String) throws {
        let long = String(repeating: unit, count: 4000)
        let line = encoded(Message("ok", [Field("a", long)]))
        #expect(line.count <= 4096 && line.count > 4088)
        #expect(long.unicodeScalars.starts(with: try #require(try Message.parse(line)?["a"]).unicodeScalars))
    }

    @Test("Many long values, many fields, long names: the line still fits and is read")
    func alwaysFits() throws {
        let long = String(repeating: "x y", count: 1000)
        let messages = [
            Message("ok", (0..<10).map { Field("k\($0)", long) }),
            Message("ok", (0..<5000).map { Field("k\($0)", "") }),
            Message("ok", (0..<5000).map { _ in Field("k", "v") }),
            Message("ok", [Field("a", "1"), Field(String(repeating: "k", count: 5000), "v")]),
            Message(String(repeating: "v", count: 5000), [Field("a", long)]),
            Message(String(repeating: "v", count: 4090), [Field("a", "12")]),
        ]
        for message in messages {
            let line = encoded(message)
            #expect(line.count <= 4096 && line.filter { $0 == 0x0a }.count == 1)
            #expect(try Message.parse(line) != nil)
        }
    }

    private func encoded(_ message: Message) -> [UInt8] {
        var buffer: [UInt8] = []
        message.encode(into: &buffer)
        return buffer
    }
}
