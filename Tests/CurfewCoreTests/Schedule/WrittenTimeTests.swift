import Testing

@testable import CurfewCore

@Suite("Moments as people write them")
struct WrittenTimeTests {
    private static let now = Zones.moment(2026, 3, 1, 12)

    @Test("With a zone of their own they are moments")
    func absolute() {
        #expect(WrittenTime("2026-12-01T08:00:00Z") == .moment(Zones.moment(2026, 12, 1, 8)))
        #expect(WrittenTime("2026-12-01 08:00Z") == .moment(Zones.moment(2026, 12, 1, 8)))
        #expect(WrittenTime("2026-12-01T08:00+01:00") == .moment(Zones.moment(2026, 12, 1, 7)))
        #expect(WrittenTime("2026-12-01T08:00-03:30") == .moment(Zones.moment(2026, 12, 1, 11, 30)))
        #expect(WrittenTime("@0") == .moment(.seconds(0)))
    }

    @Test("Without one they are what a clock shows")
    func shown() {
        #expect(WrittenTime("2026-12-01 08:00") == .civil(Zones.civil(2026, 12, 1, 8)))
        #expect(WrittenTime("2026-12-01T08:00:30").map { $0 == .civil(Zones.civil(2026, 12, 1, 8)) } == false)
        #expect(WrittenTime("08:00") == .timeOfDay(28_800))
        #expect(WrittenTime("23:59:59") == .timeOfDay(86_399))
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "8:00", "24:00", "08:60", "08:00:60", "08", "2026-12-01", "2026-13-01 08:00", "2026-02-30 08:00",
            "1969-12-31 08:00", "2026-12-01  08:00", "2026-12-01 08:00 Z", "2026-12-01T08:00+1:00", "2026-12-01T08:00+",
            "@", "@-1", "@x", "@999999999999", "tomorrow", "2026-12-01T08:00ZZ", "٠٨:٠٠", "+2:00", "08:00Z",
        ])
    func none(text: String) { #expect(WrittenTime(text) == nil) }

    @Test("A time of day is the next one that those clocks show")
    func next() {
        let (morning, evening) = (WrittenTime.timeOfDay(8 * 3600), WrittenTime.timeOfDay(20 * 3600))
        #expect(morning.civil(after: Self.now, Zones.utc) == Zones.civil(2026, 3, 2, 8))
        #expect(evening.civil(after: Self.now, Zones.utc) == Zones.civil(2026, 3, 1, 20))
        #expect(morning.civil(after: Self.now, Zones.newYork) == Zones.civil(2026, 3, 1, 8))
        // What it shows just now has come.
        #expect(WrittenTime.timeOfDay(12 * 3600).civil(after: Self.now, Zones.utc) == Zones.civil(2026, 3, 2, 12))
    }

    @Test("Text is read as it is written", arguments: [(2026, 1, 2), (1970, 1, 1), (9999, 12, 31)])
    func both(year: Int, month: Int, day: Int) throws {
        let time = try #require(CivilTime(year: year, month: month, day: day, hour: 7, minute: 8, second: 9))
        #expect(CivilTime(time.text) == time)
        #expect(time.text.hasSuffix("T07:08:09"))
    }

    @Test("How often", arguments: ["daily", "weekly", "monthly", "yearly", "60", "3155760000"])
    func repetition(text: String) { #expect(CalendarRule.Repetition(text)?.text == text) }

    @Test("What isn't often enough, or too often", arguments: ["59", "0", "-60", "hourly", "", "3155760001", "60.5"])
    func noRepetition(text: String) { #expect(CalendarRule.Repetition(text) == nil) }

    @Test("Ids")
    func ids() {
        #expect(LocalNotification.isID("n1"))
        #expect(LocalNotification.isID("0F-a.b_c"))
        #expect(LocalNotification.isID(String(repeating: "a", count: 64)))
        for text in ["", "a b", "é", "a/b", String(repeating: "a", count: 65)] {
            #expect(!LocalNotification.isID(text))
        }
    }
}
