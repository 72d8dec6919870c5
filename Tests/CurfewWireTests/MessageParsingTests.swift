import CurfewWire
import Testing

@Suite("Reading a line")
struct MessageParsingTests {
    @Test("Every line of the design's transcript is read", arguments: transcript.indices)
    func readsTranscript(index: Int) throws {
        #expect(try Message.parse(transcript[index].line) == transcript[index].message)
        #expect(try Message.parse(transcript[index].line + "\n") == transcript[index].message)
        #expect(try Message.parse(transcript[index].line + "\r\n") == transcript[index].message)
    }

    @Test("A blank line is no message", arguments: ["", " ", "    ", "\r", "\n", "\r\n", "  \r\n"])
    func blankLineIsNil(line: String) throws {
        #expect(try Message.parse(line) == nil)
    }

    @Test("Spaces may stand around tokens, in runs too")
    func spacesAreSkipped() throws {
        #expect(try Message.parse("ok a=1   b=2")?.line == "ok a=1 b=2")
        #expect(try Message.parse("  ok a=1  ")?.line == "ok a=1")
        #expect(try Message.parse("ok  \r")?.line == "ok")
    }

    @Test(
        "Values",
        arguments: [
            ("a=b", "b"),
            ("a=b=c", "b=c"),
            ("a==", "="),
            ("a=\"\"", ""),
            ("a=\" \"", " "),
            ("a=\"b=c d\"", "b=c d"),
            ("a=\"plain\"", "plain"),
            ("a=don't", "don't"),
            ("a=größe", "größe"),
            ("a=\u{80}\u{ffff}\u{10ffff}", "\u{80}\u{ffff}\u{10ffff}"),
            (#"a="\"""#, "\""),
            (#"a="\\""#, "\\"),
            (#"a="\n\t\r""#, "\n\t\r"),
            (#"a="\x00\x1f\x7F""#, "\u{0}\u{1f}\u{7f}"),
            (#"a="\x41""#, "A"),
            (#"a="\\n""#, "\\n"),
            (#"a="größe\n😀 and more than fifteen bytes""#, "größe\n😀 and more than fifteen bytes"),
        ])
    func readsValues(field: String, value: String) throws {
        #expect(try Message.parse("v " + field)?["a"] == value)
        #expect(try Message.parse("v " + field + " b=2")?["b"] == "2")
    }

    @Test("The first of repeated keys counts, and all are kept")
    func firstKeyWins() throws {
        let message = try #require(try Message.parse("v a=1 a=2"))
        #expect(message["a"] == "1")
        #expect(message.fields.count == 2)
        #expect(message["b"] == nil)
    }

    @Test("Every allowed byte of a name, and no other")
    func nameAlphabet() {
        for byte in UInt8.min...UInt8.max where byte != 0x20 && byte != 0x0a && byte != 0x0d {
            let isName =
                byte < 0x80
                && (Character(Unicode.Scalar(byte)).isLetter
                    || Character(Unicode.Scalar(byte)).isNumber || "_.-".utf8.contains(byte))
            #expect((try? Message.parse([byte])) != nil || !isName, "verb byte \(byte)")
            #expect((try? Message.parse([byte])) == nil || isName, "verb byte \(byte)")
            let field = Array("v ".utf8) + [byte] + Array("=1".utf8)
            #expect(((try? Message.parse(field)) != nil) == isName, "key byte \(byte)")
        }
    }

    @Test(
        "Mistakes and their offsets",
        arguments: [
            ("héllo", 1, "a verb has only letters, digits, '_', '.' and '-'"),
            ("=x", 0, "a verb has only letters, digits, '_', '.' and '-'"),
            ("a=1", 1, "a verb has only letters, digits, '_', '.' and '-'"),
            ("\tok", 0, "a verb has only letters, digits, '_', '.' and '-'"),
            ("ok\ta=1", 2, "a verb has only letters, digits, '_', '.' and '-'"),
            ("  ok\u{0}", 4, "a verb has only letters, digits, '_', '.' and '-'"),
            ("ok a", 4, "a key has no '=' and value"),
            ("ok a b=1", 4, "a key has no '=' and value"),
            ("ok a/b=1", 4, "a key has only letters, digits, '_', '.' and '-'"),
            ("ok \"a\"=1", 3, "a key has only letters, digits, '_', '.' and '-'"),
            ("ok =1", 3, "a value has no key"),
            ("ok a=", 5, "a value is missing; the empty one is written \"\""),
            ("ok a= b=1", 5, "a value is missing; the empty one is written \"\""),
            ("ok a=\r\n", 5, "a value is missing; the empty one is written \"\""),
            ("ok a=b\"c\"", 6, "a quote stands inside a bare value"),
            ("ok a=b\\c", 6, "a backslash stands outside quotes"),
            ("ok a=b\tc", 6, "a control character is not escaped"),
            ("ok a=b\u{7f}", 6, "a control character is not escaped"),
            ("ok a=\"b\tc\"", 7, "a control character is not escaped"),
            ("ok a=1\rb", 6, "a control character is not escaped"),
            ("ok a=1\nb", 6, "a control character is not escaped"),
            ("ok a=\"b", 5, "a quote is not closed"),
            ("ok a=\"", 5, "a quote is not closed"),
            ("ok a=\"b\\\"", 5, "a quote is not closed"),
            ("ok a=\"b\\", 7, "an unknown escape"),
            ("ok a=\"\\a\"", 6, "an unknown escape"),
            ("ok a=\"\\x4\"", 6, "an unknown escape"),
            ("ok a=\"\\x4g\"", 6, "an unknown escape"),
            ("ok a=\"\\x80\"", 6, "an unknown escape"),
            ("ok a=\"\\x4", 6, "an unknown escape"),
            ("ok a=\"b\"c=1", 8, "a space is missing after a closing quote"),
            ("ok a=\"\"\"\"", 7, "a space is missing after a closing quote"),
        ])
    func tellsMistakes(line: String, offset: Int, problem: String) {
        #expect(throws: MalformedLine(offset: offset, problem: problem)) { try Message.parse(line) }
    }

    @Test(
        "Invalid UTF-8 is told where it begins",
        arguments: [
            [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe0, 0x9f, 0xbf], [0xe2, 0x82],
            [0xe2, 0x28, 0xa1],
            [0xe2, 0x82, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x9f, 0x98],
            [0xf0, 0x9f, 0x98, 0x28],
            [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff],
        ] as [[UInt8]])
    func tellsInvalidUTF8(bytes: [UInt8]) {
        let expected = MalformedLine(offset: 8, problem: "invalid UTF-8")
        #expect(throws: expected) { try Message.parse(Array("ok a=\u{e9}b".utf8) + bytes) }
        #expect(throws: expected) { try Message.parse(Array("ok a=\"\u{e9}".utf8) + bytes + Array("\"".utf8)) }
        #expect(throws: expected) { try Message.parse(Array("ok a=\u{e9}b".utf8) + bytes + [0x0a]) }
    }
}
