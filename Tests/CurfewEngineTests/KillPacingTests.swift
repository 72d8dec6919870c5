import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("How soon a kill is repeated without a core")
struct KillPacingTests {
    private static let now = Instant(nanoseconds: 5_000_000_000)

    /// What is slept before each round, in microseconds, and from which round on it insists.
    private func rounds(_ pacing: KillPacing) -> (pauses: [UInt32], insistsFrom: Int?) {
        var pacing = pacing
        var (pauses, insistsFrom) = ([UInt32](), Int?.none)
        for round in 1...12 {
            if pacing.isInsisting { insistsFrom = insistsFrom ?? round }
            pauses.append(pacing.nextPause())
        }
        return (pauses, insistsFrom)
    }

    @Test("Each pause is twice the one before, up to 50 ms; it insists once they are over a millisecond")
    func pauses() {
        let supervisor = rounds(.ofSupervisor(at: Self.now))
        #expect(
            supervisor.pauses == [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 50_000, 50_000, 50_000])
        #expect(supervisor.insistsFrom == 5)
        let keeper = rounds(.ofKeeper(at: Self.now))
        #expect(keeper.pauses == [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 50_000, 50_000, 50_000, 50_000])
        #expect(keeper.insistsFrom == 4)
    }

    @Test("Reapers are spared until the pauses are as long as they get")
    func reapers() {
        var pacing = KillPacing.ofKeeper(at: Self.now)
        var spared: [UInt32] = []
        for _ in 1...12 where pacing.sparesReapers { spared.append(pacing.nextPause()) }
        #expect(spared == [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600])
    }

    @Test("It goes on for ten seconds")
    func end() {
        let pacing = KillPacing.ofKeeper(at: Self.now)
        #expect(!pacing.isOver(at: Self.now + Span(nanoseconds: 9_999_999_999)))
        #expect(pacing.isOver(at: Self.now + .seconds(10)))
    }

    @Test("Round after round until one leaves nothing; it sleeps between them, and not after the last")
    func rounds() {
        var pacing = KillPacing.ofKeeper(at: Self.now)
        var (left, lines) = (3, [String]())
        pacing.killAll(now: { Self.now }, sleep: { lines.append("sleep \($0)") }) {
            left -= 1
            lines.append($0.isInsisting ? "insist" : "kill")
            return left == 0
        }
        #expect(lines == ["kill", "sleep 200", "kill", "sleep 400", "kill"])
    }

    @Test("What can't be ended isn't waited for for ever, and had one round at least")
    func endless() {
        var pacing = KillPacing.ofSupervisor(at: Self.now)
        var (rounds, clock) = (0, Self.now)
        pacing.killAll(now: { clock }, sleep: { clock = clock + Span(nanoseconds: Int64($0) * 1000) }) { _ in
            rounds += 1
            return false
        }
        #expect(clock >= Self.now + App.killLimit)
        #expect(rounds > 100)
        var late = KillPacing.ofSupervisor(at: Self.now)
        rounds = 0
        late.killAll(now: { clock }, sleep: { _ in }) { _ in
            rounds += 1
            return false
        }
        #expect(rounds == 1)
    }
}
