import Glibc
import Testing

@testable import CurfewClient

@Suite("Waiting on a thread", .timeLimit(.minutes(2)))
struct WaitingTests {
    @Test("A latch gives its value to who waits, and says who doesn't any more")
    func latch() throws {
        let full = Latch<Int>()
        #expect(full.fulfil(1))
        #expect(full.fulfil(2) == false)
        #expect(full.wait(seconds: 0) == 1)
        let abandoned = Latch<Int>()
        #expect(abandoned.wait(seconds: 0) == nil)
        #expect(abandoned.fulfil(1) == false)
    }

    @Test("A value goes to the waiter or back to the giver, never both: 200 races")
    func latchRaces() throws {
        for _ in 1...200 {
            let latch = Latch<Int>()
            let wasTaken = Witness<Bool>()
            try onThread { wasTaken.add(latch.fulfil(1)) }
            let value = latch.wait(seconds: 0)
            #expect(try wasTaken.wait(count: 1) == [value != nil])
        }
    }

    @Test("Seconds are counted one at a time, so that a suspension uses up one at most")
    func patience() {
        func ends(_ seconds: Int, looks: [(Int, Int)]) -> [Int?] {
            var patience = Patience(seconds: seconds)
            return looks.map { patience.endOfThisSecond(now: timespec(tv_sec: $0, tv_nsec: $1))?.tv_sec }
        }
        #expect(
            ends(3, looks: [(10, 0), (10, 900_000_000), (4000, 0), (4000, 1), (4001, 0), (4001, 5), (4002, 0)])
                == [11, 11, 4001, 4001, 4002, 4002, nil])
        #expect(ends(1, looks: [(10, 5), (11, 4), (11, 5)]) == [11, 11, nil])
        #expect(ends(0, looks: [(10, 0)]) == [nil])
    }

    @Test("Milliseconds to wait are never none as long as there are some")
    func milliseconds() {
        var patience = Patience(seconds: 1)
        let milliseconds = patience.milliseconds() ?? 0
        #expect((1...1000).contains(milliseconds))
        var none = Patience(seconds: 0)
        let nothing = none.milliseconds()
        #expect(nothing == nil)
    }

    @Test("Waiting ends when its seconds are over")
    func waitingEnds() {
        let monitor = Monitor(0)
        let value: Int? = monitor.wait(seconds: 1) { $0 == 1 ? 1 : nil }
        #expect(value == nil)
    }
}
