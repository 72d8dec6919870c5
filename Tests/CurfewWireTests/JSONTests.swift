import CurfewWire
import Foundation
import Testing

@Suite("JSON")
struct JSONTests {
    @Test(
        "Values on one line",
        arguments: [
            (.null, "null"),
            (.bool(true), "true"),
            (.bool(false), "false"),
            (.integer(.min), "-9223372036854775808"),
            (.integer(.max), "9223372036854775807"),
            (.number(0.1), "0.1"),
            (.number(1), "1.0"),
            (.number(-0.0), "-0.0"),
            (.number(.leastNonzeroMagnitude), "5e-324"),
            (.number(1e300), "1e+300"),
            (.number(.nan), "null"),
            (.number(.infinity), "null"),
            (.number(-.infinity), "null"),
            (.string(""), #""""#),
            (.string("a\"b\\c/d"), #""a\"b\\c/d""#),
            (.string("\u{8}\u{c}\n\r\t"), #""\b\f\n\r\t""#),
            (.string("\u{0}\u{1f}\u{7f}"), #""\u0000\u001f\u007f""#),
            (.string("größe 😀"), "\"größe 😀\""),
            (.array([]), "[]"),
            (.array([.integer(1), .array([.null])]), "[1,[null]]"),
            (.object([]), "{}"),
            (.object([("b", .integer(1)), ("a", .object([("c", .bool(true))]))]), #"{"b":1,"a":{"c":true}}"#),
        ] as [(JSON, String)])
    func writes(value: JSON, text: String) {
        #expect(value.text == text)
    }

    @Test("Values on many lines")
    func indents() {
        let value = JSON.object([
            ("a", .array([.integer(1), .object([])])), ("b", .object([("c", .null)])), ("d", .array([])),
        ])
        var buffer: [UInt8] = [0x21]
        value.write(into: &buffer, indent: 2)
        let expected = """
            !{
              "a": [
                1,
                {}
              ],
              "b": {
                "c": null
              },
              "d": []
            }
            """
        #expect(String(decoding: buffer, as: UTF8.self) == expected)
    }

    @Test("Equality is by kind, content and order")
    func equality() {
        #expect(JSON.integer(1) != .number(1))
        #expect(JSON.null != .bool(false))
        #expect(JSON.object([("a", .null), ("b", .null)]) != .object([("b", .null), ("a", .null)]))
        #expect(JSON.object([("a", .null)]) != .object([("a", .null), ("a", .null)]))
        #expect(JSON.object([("a", .array([.string("x")]))]) == .object([("a", .array([.string("x")]))]))
        #expect(JSON.object([("a", .integer(1)), ("a", .integer(2))])["a"] == .integer(1))
        #expect(JSON.object([])["a"] == nil)
        #expect(JSON.null["a"] == nil)
    }

    @Test(
        "Reading",
        arguments: [
            (" \t\r\n null \n", .null),
            ("-0", .number(-0.0)),
            ("0", .integer(0)),
            ("-12", .integer(-12)),
            ("1.5e3", .number(1500)),
            ("1E+2", .number(100)),
            ("1e-2", .number(0.01)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1e-999", .number(0)),
            (#""\u0041\u00e9\ud83d\ude00\/""#, .string("Aé😀/")),
            (#""\b\f\n\r\t\"\\""#, .string("\u{8}\u{c}\n\r\t\"\\")),
            ("[ 1 , 2 ]", .array([.integer(1), .integer(2)])),
            (#"{ "a" : 1 , "a" : 2 }"#, .object([("a", .integer(1)), ("a", .integer(2))])),
        ] as [(String, JSON)])
    func reads(text: String, value: JSON) throws {
        #expect(try JSON.parse(text) == value)
    }

    @Test(
        "Mistakes and their offsets",
        arguments: [
            ("", 0, "a value is missing"),
            ("  ", 2, "a value is missing"),
            ("nul", 3, "a value is missing"),
            ("nulL", 3, "a value is missing"),
            ("NaN", 0, "a value is missing"),
            ("+1", 0, "a value is missing"),
            (".5", 0, "a value is missing"),
            ("1 2", 2, "something follows the value"),
            ("01", 1, "something follows the value"),
            ("1.", 2, "a digit is missing"),
            ("-", 1, "a digit is missing"),
            ("1e", 2, "a digit is missing"),
            ("1.5e+", 5, "a digit is missing"),
            ("1e999", 0, "a number is out of range"),
            ("[1,]", 3, "a value is missing"),
            ("[1", 2, "a ',' or a closing bracket is missing"),
            ("[1}", 2, "a ',' or a closing bracket is missing"),
            ("{1:2}", 1, "a key is missing"),
            (#"{"a":1,}"#, 7, "a key is missing"),
            (#"{"a" 1}"#, 5, "a ':' is missing"),
            (#"{"a":}"#, 5, "a value is missing"),
            ("\"a", 0, "a string is not closed"),
            ("\"\n\"", 1, "a control character is not escaped"),
            (#""\a""#, 1, "an unknown escape"),
            (#""\"#, 1, "an unknown escape"),
            (#""\u12g4""#, 1, "an unknown escape"),
            (#""\ud83d""#, 1, "half of a surrogate pair"),
            (#""\ud83d\u0041""#, 1, "half of a surrogate pair"),
            (#""\ude00""#, 1, "half of a surrogate pair"),
            ("\u{feff}1", 0, "a value is missing"),
            ("// a\n1", 0, "a value is missing"),
        ])
    func tellsMistakes(text: String, offset: Int, problem: String) {
        #expect(throws: JSONError(offset: offset, problem: problem)) { try JSON.parse(text) }
    }

    @Test("Invalid UTF-8 is told where it begins")
    func tellsInvalidUTF8() {
        let bytes: [UInt8] = [0x22, 0x61, 0xed, 0xa0, 0x80, 0x22]
        #expect(throws: JSONError(offset: 2, problem: "invalid UTF-8")) { try JSON.parse(bytes) }
    }

    @Test("64 levels are read, 65 are not")
    func depthLimit() throws {
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try JSON.parse(deepest).text == deepest)
        #expect(throws: JSONError(offset: 64, problem: "nested too deep")) { try JSON.parse("[" + deepest + "]") }
        #expect(throws: JSONError.self) { try JSON.parse(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("Random values come back, and Foundation reads the same", arguments: 0..<8 as Range<UInt64>)
    func agreesWithFoundation(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let value = randomValue(&random, depth: 4)
            var buffer: [UInt8] = []
            value.write(into: &buffer, indent: random.below(2) == 0 ? nil : random.below(4))
            #expect(try JSON.parse(buffer) == value, "seed \(seed): \(value.text)")
            let theirs = try JSONSerialization.jsonObject(with: Data(buffer), options: .fragmentsAllowed)
            #expect(isSame(value, theirs), "seed \(seed): \(value.text)")
        }
    }

    @Test("What Foundation writes is read", arguments: 0..<4 as Range<UInt64>)
    func readsFoundation(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let object = ["a": randomText(&random), "b": [random.below(1000), nil, 0.5], "c": true] as [String: Any?]
            let data = try JSONSerialization.data(withJSONObject: object, options: .prettyPrinted)
            #expect(isSame(try JSON.parse(Array(data)), try JSONSerialization.jsonObject(with: data)), "seed \(seed)")
        }
    }

    @Test("Mutated text never crashes, and what we read Foundation reads too", arguments: 0..<4 as Range<UInt64>)
    func mutatedText(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            var bytes = Array(randomValue(&random, depth: 3).text.utf8)
            bytes[random.below(bytes.count)] = Array("\"\\{}[],:01e.-tn u".utf8)[random.below(17)]
            guard let value = try? JSON.parse(bytes) else { continue }
            // Foundation answers null or an error to some doubles; only the grammar is compared.
            let isValid = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            #expect(isValid, "seed \(seed): \(value.text)")
        }
    }

    private func randomValue(_ random: inout SplitMix64, depth: Int) -> JSON {
        switch random.below(depth > 0 ? 7 : 5) {
        case 0: .null
        case 1: .bool(random.below(2) == 0)
        case 2: .integer(Int64(truncatingIfNeeded: random.next()) >> Int64(random.below(64)))
        case 3: .number(randomDouble(&random))
        case 4: .string(randomText(&random))
        case 5: .array((0..<random.below(4)).map { _ in randomValue(&random, depth: depth - 1) })
        default:
            .object(
                (0..<random.below(4)).map { ("k\($0)" + randomText(&random), randomValue(&random, depth: depth - 1)) })
        }
    }

    private func randomDouble(_ random: inout SplitMix64) -> Double {
        let value = Double(bitPattern: random.next())
        return value.isFinite ? value : 0.5
    }

    private func isSame(_ ours: JSON, _ theirs: Any) -> Bool {
        switch ours {
        case .null: theirs is NSNull
        case .bool(let value): (theirs as? Bool) == value
        case .integer(let value): (theirs as? NSNumber)?.int64Value == value
        case .number(let value): isClose(value, (theirs as? NSNumber)?.doubleValue)
        case .string(let value): (theirs as? String).map { Array($0.utf8) } == Array(value.utf8)
        case .array(let values): isSame(values, theirs as? [Any])
        case .object(let members): isSame(members, theirs as? [String: Any])
        }
    }

    /// Foundation reads many doubles by way of a decimal number and misses their last digit; ours are compared exactly.
    private func isClose(_ ours: Double, _ theirs: Double?) -> Bool {
        guard let theirs else { return false }
        return ours == theirs || abs(ours - theirs) <= abs(ours) * 1e-12
    }

    private func isSame(_ ours: [JSON], _ theirs: [Any]?) -> Bool {
        guard let theirs, theirs.count == ours.count else { return false }
        return zip(ours, theirs).allSatisfy { isSame($0, $1) }
    }

    private func isSame(_ ours: [(key: String, value: JSON)], _ theirs: [String: Any]?) -> Bool {
        guard let theirs, theirs.count == ours.count else { return false }
        return ours.allSatisfy { member in theirs[member.key].map { isSame(member.value, $0) } ?? false }
    }
}
