import CurfewCommand
import Testing

@Suite("Durations on the command line")
struct DurationArgumentTests {
    private static let second: Int64 = 1_000_000_000

    @Test(
        "As GNU timeout",
        arguments: [
            ("0", 0),
            ("0.0", 0),
            ("0e9", 0),
            ("90", 90 * second),
            ("+5", 5 * second),
            ("1.5s", 1_500_000_000),
            (".5", 500_000_000),
            ("5.", 5 * second),
            ("10m", 600 * second),
            ("1h", 3_600 * second),
            ("2d", 172_800 * second),
            ("1e3", 1_000 * second),
            ("1E+3", 1_000 * second),
            ("15e-1m", 90 * second),
            ("2.34e+5d", .max),
            ("0.1", 100_000_000),
            ("0.3", 300_000_000),
            ("1.000000001", 1_000_000_001),
            ("1.0000000019", 1_000_000_001),
            ("0.000000001d", 86_400),
            ("000000000000000000000000000001", second),
            ("0.1e1", second),
            ("0.00000000000000000000000000001e29", second),
            ("100000000000000000000000000000e-29", second),
            ("1e-5000", 1),
            ("0.0000000001", 1),
            ("inf", .max),
            ("INF", .max),
            ("Infinity", .max),
            ("+inf", .max),
            ("1e10000", .max),
            ("9223372036", 9_223_372_036 * second),
            ("9223372037", .max),
            ("18446744073709551616", .max),
            ("18446744073.9", .max),
            ("30500.9w", .max),
            ("99999999999999999999999999999999", .max),
            ("1e999999999999999999999", .max),
            ("18446744073709551615d", .max),
        ] as [(String, Int64)])
    func gnu(text: String, nanoseconds: Int64) {
        #expect(DurationArgument.parse(text) == nanoseconds)
    }

    @Test(
        "As time spans of systemd",
        arguments: [
            ("1h 30min", 5_400 * second),
            ("1h30min", 5_400 * second),
            ("1d2h", 93_600 * second),
            ("500ms", 500_000_000),
            ("2us", 2_000),
            ("2usec", 2_000),
            ("2\u{b5}s", 2_000),
            ("2\u{3bc}s", 2_000),
            ("3msec", 3_000_000),
            ("2 h", 7_200 * second),
            ("2hours", 7_200 * second),
            ("48hr", 172_800 * second),
            ("1hour", 3_600 * second),
            ("55s500ms", 55_500_000_000),
            ("300ms20s 5day", 432_020_300_000_000),
            ("5sec", 5 * second),
            ("1 second", second),
            ("2 seconds", 2 * second),
            ("1minute", 60 * second),
            ("2 minutes", 120 * second),
            ("1 days", 86_400 * second),
            ("1w", 604_800 * second),
            ("1week 2weeks", 1_814_400 * second),
            ("1h 30", 3_630 * second),
            ("12.34 .56", 12_900_000_000),
            ("  5  ", 5 * second),
            ("0.5h", 1_800 * second),
            ("1.5h 0.5min", 5_430 * second),
            ("infinity", .max),
            ("300000d 1s", .max),
            ("1us 0.0001us", 1_001),
        ] as [(String, Int64)])
    func systemd(text: String, nanoseconds: Int64) {
        #expect(DurationArgument.parse(text) == nanoseconds)
    }

    @Test(
        "Refused",
        arguments: [
            "", " ", "-1", "-0", "1s -1s", "- 1", "+", ".", "s", "abc", "10x", "42D", "10M", "10S", "1y", "1month",
            "10mm", "1e",
            "1e+", "e3", "0x10", "nan", "-inf", "infd", "1 inf", "inf 1", "1,5", "12.34.56", "1..2", "1:30", "10m,",
            "1s/", "٣",
            "1\u{0}", "5\u{e9}", "++5", "1_000",
        ])
    func refuses(text: String) {
        #expect(DurationArgument.parse(text) == nil)
    }

    @Test("Every whole number of milliseconds is exact")
    func milliseconds() {
        for value in stride(from: 0, to: 100_000, by: 7) {
            let fraction = String(value % 1000 + 1000).dropFirst()
            #expect(DurationArgument.parse("\(value / 1000).\(fraction)") == Int64(value) * 1_000_000)
        }
    }

    @Test("A very long number is read in full")
    func longNumber() {
        let zeros = String(repeating: "0", count: 100_000)
        #expect(DurationArgument.parse("1" + zeros + "e-100000") == Self.second)
        #expect(DurationArgument.parse("0." + zeros + "1e100001") == Self.second)
        #expect(DurationArgument.parse("0." + zeros + "1") == 1)
    }

    @Test("The phrase for messages names what is accepted")
    func accepted() {
        #expect(DurationArgument.accepted == "a duration such as 90, 1.5s, 10m, 1h30min or inf")
        for sample in ["90", "1.5s", "10m", "1h30min", "inf"] { #expect(DurationArgument.parse(sample) != nil) }
    }
}
