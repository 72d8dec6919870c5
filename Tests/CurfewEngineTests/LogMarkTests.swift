import Testing

@testable import CurfewEngine

@Suite("What Curfew itself writes into a log")
struct LogMarkTests {
    private static let seconds: Int64 = 1_763_729_109

    @Test(
        "A line that people can read",
        arguments: [
            (LogMark.Kind.began(pid: 4711), "=== curfew: began at=0 run=3 time=2025-11-21T12:45:09Z pid=4711\n"),
            (.continued, "=== curfew: continued at=0 run=3 time=2025-11-21T12:45:09Z\n"),
            (.time, "=== curfew: time at=0 run=3 time=2025-11-21T12:45:09Z\n"),
            (
                .lost(bytes: 70000, reason: "No space left on device"),
                "=== curfew: lost at=0 run=3 time=2025-11-21T12:45:09Z bytes=70000 reason=\"No space left on device\"\n"
            ),
        ])
    func line(kind: LogMark.Kind, text: String) {
        let mark = LogMark(kind, run: 3, seconds: Self.seconds)
        #expect(String(decoding: mark.line(at: 0), as: UTF8.self) == text)
        #expect(LogMark(line: text.utf8, at: 0) == mark)
        #expect(LogMark(line: text.utf8.dropLast(), at: 0) == mark)
    }

    @Test("None is longer than it may be")
    func longest() {
        let reason = String(repeating: "x", count: 500)
        for kind in [LogMark.Kind.lost(bytes: .max, reason: reason), .began(pid: .max), .continued, .time] {
            let line = LogMark(kind, run: .max, seconds: Self.seconds).line(at: .max)
            #expect(line.count <= LogMark.maximumBytes)
            #expect(LogMark(line: line, at: .max)?.run == .max)
        }
    }

    @Test(
        "Other lines are the app's",
        arguments: [
            "", "\n", "=== curfew: ", "=== curfew: \n", "=== curfew: began", "=== curfew: began at=0 run=3 pid=4711",
            "=== curfew: began at=0 run=3 time=2025-11-21T12:45:09Z",
            "=== curfew: began at=0 run=x time=2025-11-21T12:45:09Z pid=1",
            "=== curfew: began at=0 run=3 time=yesterday pid=1",
            "=== curfew: ended at=0 run=3 time=2025-11-21T12:45:09Z",
            "=== curfew: lost at=0 run=3 time=2025-11-21T12:45:09Z bytes=1",
            "=== curfew: lost at=0 run=3 time=2025-11-21T12:45:09Z reason=none",
            "=== Curfew: time at=0 run=3 time=2025-11-21T12:45:09Z",
            " === curfew: time at=0 run=3 time=2025-11-21T12:45:09Z",
            "=== curfew: time run=3 time=2025-11-21T12:45:09Z", "=== curfew: time at=\"0",
        ])
    func others(line: String) {
        #expect(LogMark(line: line.utf8, at: 0) == nil)
    }

    @Test("What an app shows of a log stands elsewhere than it says")
    func copied() {
        let line = LogMark(.time, run: 3, seconds: Self.seconds).line(at: 812)
        #expect(LogMark(line: line, at: 812) != nil)
        for offset in [0, 811, 813, 8120] as [Int64] { #expect(LogMark(line: line, at: offset) == nil) }
    }
}
