import CurfewWire
import Testing

@Suite("Seconds as text")
struct SecondsTests {
    @Test(
        "Three decimals, rounded down",
        arguments: [
            (0, "0.000"),
            (1, "0.000"),
            (999_999, "0.000"),
            (1_000_000, "0.001"),
            (10_000_000, "0.010"),
            (5_000_000_000, "5.000"),
            (571_204_999_999, "571.204"),
            (-1, "-0.001"),
            (-1_000_000, "-0.001"),
            (-1_000_001, "-0.002"),
            (-1_500_000_000, "-1.500"),
            (.max, "inf"),
            (.max - 1, "9223372036.854"),
            (.min, "-9223372036.855"),
        ] as [(Int64, String)])
    func writes(nanoseconds: Int64, text: String) {
        #expect(Seconds.text(nanoseconds: nanoseconds) == text)
    }

    @Test(
        "Writing to the microsecond, rounded down",
        arguments: [
            (0, "0.000000"), (999, "0.000000"), (1_000, "0.000001"), (412_999, "0.000412"),
            (1_234_567_890, "1.234567"), (-1, "-0.000001"), (-1_000_000_000, "-1.000000"), (.max, "inf"),
            (.max - 1, "9223372036.854775"), (.min, "-9223372036.854776"),
        ] as [(Int64, String)])
    func writesFinely(nanoseconds: Int64, text: String) {
        #expect(Seconds.fineText(nanoseconds: nanoseconds) == text)
    }

    @Test(
        "Reading",
        arguments: [
            ("0", 0),
            ("5", 5_000_000_000),
            ("5.000", 5_000_000_000),
            ("571.204", 571_204_000_000),
            ("007.5", 7_500_000_000),
            ("0.000000001", 1),
            ("1.123456789", 1_123_456_789),
            ("-0.001", -1_000_000),
            ("-0", 0),
            ("inf", .max),
            ("9223372036.854775806", .max - 1),
            ("-9223372036.854775808", .min),
        ] as [(String, Int64)])
    func reads(text: String, nanoseconds: Int64) {
        #expect(Seconds.parse(text) == nanoseconds)
    }

    @Test(
        "Refused",
        arguments: [
            "", "-", ".", "5.", ".5", "+5", " 5", "5 ", "5s", "1e3", "1.2.3", "1,5", "--1", "-inf", "Inf", "infinity",
            "nan",
            "0.0000000001", "9223372036.854775808", "-9223372036.854775809", "99999999999999999999", "٣", "1.٣",
        ])
    func refuses(text: String) {
        #expect(Seconds.parse(text) == nil)
    }

    @Test("What is written reads back to the millisecond", arguments: 0..<4 as Range<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let time = Int64(truncatingIfNeeded: random.next()) >> Int64(1 + random.below(62))
            let floor = time >= 0 ? time - time % 1_000_000 : time - (1_000_000 + time % 1_000_000) % 1_000_000
            #expect(Seconds.parse(Seconds.text(nanoseconds: time)) == floor, "seed \(seed): \(time)")
        }
    }
}
