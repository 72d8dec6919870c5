import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("Lines that wait while nobody reads them")
struct WaitingLinesTests {
    /// Takes so many lines.
    private final class Reader {
        var room = 0
        var lines: [String] = []
    }

    private let reader = Reader()
    private static let now = Instant(nanoseconds: 1_000_000_000)

    private func lines() -> WaitingLines {
        WaitingLines { [reader] line in
            if reader.room == 0 { return false }
            reader.room -= 1
            reader.lines.append(line)
            return true
        }
    }

    @Test("What can be taken is told at once, and nothing is waited for")
    func taken() {
        var lines = lines()
        reader.room = 1
        lines.tell("a", at: Self.now)
        #expect(reader.lines == ["a"])
        #expect(lines.nextTry == nil)
    }

    @Test("What can't waits, and what comes after it comes behind it")
    func order() {
        var lines = lines()
        lines.tell("a", at: Self.now)
        reader.room = 1
        lines.tell("b", at: Self.now)
        #expect(reader.lines == [])
        #expect(lines.nextTry == Self.now + .milliseconds(100))
        lines.timeCame(at: Self.now + .milliseconds(99))
        #expect(reader.lines == [])
        lines.timeCame(at: Self.now + .milliseconds(100))
        #expect(reader.lines == ["a"])
        #expect(lines.nextTry == Self.now + .milliseconds(200))
        reader.room = 5
        lines.timeCame(at: Self.now + .milliseconds(200))
        #expect(reader.lines == ["a", "b"])
        #expect(lines.nextTry == nil)
    }

    @Test("What there is no room for is lost, and told by its number")
    func lost() {
        var lines = lines()
        let long = String(repeating: "x", count: WaitingLines.maximumBytes)
        lines.tell(long, at: Self.now)
        for _ in 0..<3 { lines.tell("y", at: Self.now) }
        reader.room = 10
        lines.finish()
        #expect(reader.lines == [long, "curfew: 3 lines are missing here: nobody read standard error"])
        lines.tell("z", at: Self.now)
        #expect(reader.lines.last == "z")
    }
}
