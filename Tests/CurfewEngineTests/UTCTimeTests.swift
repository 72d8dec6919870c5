import Testing

@testable import CurfewEngine

@Suite("Moments as files have them")
struct UTCTimeTests {
    @Test(
        "In UTC, and back",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_763_729_109, "2025-11-21T12:45:09Z"),
            (1_709_164_799, "2024-02-28T23:59:59Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ])
    func text(seconds: Int64, text: String) {
        #expect(UTCTime.text(seconds) == text)
        #expect(UTCTime.seconds(text) == seconds)
    }

    @Test("What no calendar has is the nearest that one has")
    func beyond() {
        #expect(UTCTime.text(-1) == "1970-01-01T00:00:00Z")
        #expect(UTCTime.text(.min) == "1970-01-01T00:00:00Z")
        #expect(UTCTime.text(.max) == "9999-12-31T23:59:59Z")
    }

    @Test(
        "What we don't write isn't read",
        arguments: [
            "", "Z", "2025-11-21", "2025-11-21T12:45:09", "2025-11-21T12:45:9Z", "2025-11-31T12:45:09Z",
            "2025-02-29T00:00:00Z",
            "2025-11-21T24:00:00Z", "2025-11-21 12:45:09Z", "20251121T124509Z", "+025-11-21T12:45:09Z",
            "99999999999-11-21T12:45:09Z", "2025-11-21T12:45:09Z ", "２025-11-21T12:45:09Z",
        ])
    func foreign(text: String) {
        #expect(UTCTime.seconds(text) == nil)
    }
}
