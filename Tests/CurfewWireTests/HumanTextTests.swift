import CurfewWire
import Testing

@Suite("Durations and sizes for people")
struct HumanTextTests {
    @Test(
        "Durations",
        arguments: [
            (0, "0 s"),
            (1, "1 ns"),
            (999, "999 ns"),
            (1_000, "1 us"),
            (250_999, "250 us"),
            (1_000_000, "1 ms"),
            (40_900_000, "40 ms"),
            (99_999_999, "99 ms"),
            (100_000_000, "0.1 s"),
            (400_000_000, "0.4 s"),
            (1_000_000_000, "1 s"),
            (5_049_000_000, "5 s"),
            (9_999_999_999, "9.9 s"),
            (12_900_000_000, "12 s"),
            (59_999_999_999, "59 s"),
            (60_000_000_000, "1 min"),
            (600_000_000_000, "10 min"),
            (605_000_000_000, "10 min 5 s"),
            (3_599_999_999_999, "59 min 59 s"),
            (3_600_000_000_000, "1 h"),
            (7_399_000_000_000, "2 h 3 min"),
            (86_400_000_000_000, "1 d"),
            (273_600_000_000_000, "3 d 4 h"),
            (.max - 1, "106751 d 23 h"),
            (.max, "unlimited"),
            (-400_000_000, "-0.4 s"),
            (.min, "-106751 d 23 h"),
        ] as [(Int64, String)])
    func durations(nanoseconds: Int64, text: String) {
        #expect(HumanText.duration(nanoseconds: nanoseconds) == text)
    }

    @Test(
        "Sizes",
        arguments: [
            (0, "0 B"),
            (3, "3 B"),
            (1_023, "1023 B"),
            (1_024, "1 KiB"),
            (12_288, "12 KiB"),
            (12_700, "12.4 KiB"),
            (209_295_769, "199.5 MiB"),
            (209_295_770, "199.6 MiB"),
            (209_715_199, "199.9 MiB"),
            (209_715_200, "200 MiB"),
            (1_610_612_736, "1.5 GiB"),
            (1 << 40, "1 TiB"),
            (1 << 50, "1 PiB"),
            (1 << 60, "1 EiB"),
            (.max - 1, "15.9 EiB"),
            (.max, "unlimited"),
        ] as [(UInt64, String)])
    func sizes(bytes: UInt64, text: String) {
        #expect(HumanText.size(bytes: bytes) == text)
    }
}
