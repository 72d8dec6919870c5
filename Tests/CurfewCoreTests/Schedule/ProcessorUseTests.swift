import Testing

@testable import CurfewCore

@Suite("Who uses the processors")
struct ProcessorUseTests {
    private func looks(_ looks: [(at: Int64, busy: Int64, own: Int64)]) -> [Bool] {
        var use = ProcessorUse()
        return looks.map {
            use.isOthers(
                at: Instant(nanoseconds: $0.at * 1_000_000_000), busy: .seconds($0.busy), own: .seconds($0.own))
        }
    }

    @Test("Others have, once they took more than half a processor since the last look")
    func others() {
        #expect(looks([(0, 100, 0), (10, 105, 0), (20, 111, 0), (30, 112, 0)]) == [false, false, true, false])
    }

    @Test("The work's own use doesn't count, on however many processors")
    func own() {
        #expect(looks([(0, 100, 0), (10, 140, 40), (20, 180, 70)]) == [false, false, true])
    }

    @Test("What some of the work has used is forgotten with its end")
    func less() { #expect(looks([(0, 100, 50), (10, 103, 0)]) == [false, false]) }

    @Test("Begun anew, the next look is the first")
    func anew() {
        var use = ProcessorUse()
        var found = [use.isOthers(at: Instant(nanoseconds: 0), busy: .zero, own: .zero)]
        use.reset()
        found.append(use.isOthers(at: Instant(nanoseconds: 1), busy: .seconds(9), own: .zero))
        #expect(found == [false, false])
    }
}
