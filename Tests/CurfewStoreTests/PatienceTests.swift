import Testing

@testable import CurfewStore

@Suite("How long is waited, and how much held")
struct PatienceTests {
    @Test("It is tried again after 1 s, 2 s, 4 s … 5 min")
    func pauses() {
        var pause = RetryPause()
        let seconds = (0..<11).map { _ in pause.next() / 1_000_000_000 }
        #expect(seconds == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    }

    @Test("SQLite is told to wait for two seconds in all, a little at a time")
    func waits() {
        let time = HeldTime()
        var tries = 0
        while time.clock.waitsAgain(after: tries) { tries += 1 }
        #expect(time.milliseconds == 2000)
        #expect((20...100).contains(tries))
    }

    @Test("So many runs are held at most; the oldest are given up, and counted")
    func bounded() {
        var rows = StoreRows()
        for number in 1...20 { rows.put(.sample("a", number)) }
        #expect(rows.dropRuns(beyond: 20) == 0)
        #expect(rows.dropRuns(beyond: 5) == 15)
        #expect(rows.runs.values.map(\.number).sorted() == [16, 17, 18, 19, 20])
    }
}
