import CurfewCommand
import Testing

@Suite("Sizes on the command line")
struct SizeArgumentTests {
    @Test(
        "Accepted",
        arguments: [
            ("1", 1),
            ("4096", 4_096),
            ("+1", 1),
            ("3B", 3),
            ("3b", 3),
            ("1K", 1_024),
            ("1k", 1_024),
            ("64KiB", 65_536),
            ("64kib", 65_536),
            ("64Ki", 65_536),
            ("200M", 209_715_200),
            ("200 MiB", 209_715_200),
            ("1.5G", 1_610_612_736),
            (".5K", 512),
            ("1.K", 1_024),
            ("0.1M", 104_857),
            ("2T", 2_199_023_255_552),
            ("1P", 1_125_899_906_842_624),
            ("16383P", 18_445_618_173_802_708_992),
            ("1.5", 1),
            ("18446744073709551614", .max - 1),
            ("00000000000000000000000001", 1),
            ("inf", .max),
            ("infinity", .max),
            ("Infinity", .max),
        ] as [(String, UInt64)])
    func accepts(text: String, bytes: UInt64) {
        #expect(SizeArgument.parse(text) == bytes)
    }

    @Test(
        "Refused",
        arguments: [
            "", " ", "0", "0M", "0.0001", "-1", "-1M", "M", ".", "+", "1 ", "1  M", " 1", "1KB", "200MB", "1E", "1e3",
            "1KiBs",
            "1M2K", "1.5.2", "1,5G", "0x10", "16384P", "18446744073709551616", "99999999999999999999999", "nan", "-inf",
            "٣", "1µ",
            "50%",
        ])
    func refuses(text: String) {
        #expect(SizeArgument.parse(text) == nil)
    }

    @Test("The phrase for messages names what is accepted")
    func accepted() {
        #expect(SizeArgument.accepted == "a size such as 200M (200 MiB), 1.5G, 64KiB, a number of bytes or inf")
        for sample in ["200M", "1.5G", "64KiB", "inf"] { #expect(SizeArgument.parse(sample) != nil) }
    }
}
