import Glibc
import Testing

@testable import CurfewCommand

@Suite("Times of day", .serialized)
struct TimeOfDayTests {
    /// The zone is the process's: nothing else of these tests asks for the time.
    private func text(_ seconds: String, in zone: String) -> String {
        setenv("TZ", zone, 1)
        tzset()
        defer {
            unsetenv("TZ")
            tzset()
        }
        return TimeOfDay.text(seconds)
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

    @Test("What is no time is shown as it came", arguments: ["", "x", "-1.000", "inf", "1e3", "1.2.3"])
    func others(text: String) {
        #expect(TimeOfDay.text(text) == text)
    }
}
