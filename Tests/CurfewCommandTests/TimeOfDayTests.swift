import Glibc
import Testing

@testable import CurfewCommand

@Suite("Times of day", .serialized)
struct TimeOfDayTests {
    /// The zone is the process's: all tests that ask for the time are in this suite, one after another.
    static func inZone<Result>(_ zone: String, _ body: () throws -> Result) rethrows -> Result {
        setenv("TZ", zone, 1)
        tzset()
        defer {
            unsetenv("TZ")
            tzset()
        }
        return try body()
    }

    private func text(_ seconds: String, in zone: String) -> String {
        Self.inZone(zone) { TimeOfDay.text(seconds) }
    }

    @Test("By the clock of the place")
    func zones() {
        #expect(text("0.000", in: "UTC0") == "00:00:00.000")
        #expect(text("1763729109.123", in: "UTC0") == "12:45:09.123")
        #expect(text("1763729109.007", in: "TST-5:30") == "18:15:09.007")
        #expect(text("1763729109.999", in: "TST+13") == "23:45:09.999")
        // In summer this place's clocks are an hour ahead.
        let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
        #expect(text("1763729109.123", in: berlin) == "13:45:09.123")
        #expect(text("1750000000.000", in: berlin) == "17:06:40.000")
    }

    @Test("With the date")
    func dates() {
        func text(_ seconds: Int64, in zone: String) -> String? {
            Self.inZone(zone) { TimeOfDay.dateAndTime(seconds) }
        }
        #expect(text(0, in: "UTC0") == "1970-01-01 00:00:00")
        #expect(text(1_763_729_109, in: "UTC0") == "2025-11-21 12:45:09")
        #expect(text(1_763_729_109, in: "TST-14") == "2025-11-22 02:45:09")
        #expect(text(-1, in: "UTC0") == "1969-12-31 23:59:59")
        #expect(text(253_402_300_800, in: "UTC0") == nil)
        #expect(text(.max, in: "UTC0") == nil)
    }

    @Test("What is no time is shown as it came", arguments: ["", "x", "-1.000", "inf", "1e3", "1.2.3"])
    func others(text: String) {
        #expect(TimeOfDay.text(text) == text)
    }
}
