import Testing

@testable import CurfewLinux

@Suite("How far a memory mark is put above what is charged")
struct MemoryMarkTests {
    private static let mark: UInt64 = 160 << 20

    private func room(_ before: UInt64, _ after: UInt64) -> UInt64? {
        Containment.room(to: Self.mark, before: before << 20, after: after << 20)
    }

    @Test("As far as the footprint may still grow")
    func steady() { #expect(room(120, 120) == 40 << 20) }

    @Test("What is freed while it is measured doesn't put it farther")
    func shrinking() { #expect(room(150, 20) == 10 << 20) }

    @Test("What grows while it is measured puts it nearer")
    func growing() { #expect(room(20, 150) == 10 << 20) }

    @Test("Not at all where the mark is passed, or was a moment ago")
    func passed() {
        #expect(room(160, 160) == nil)
        #expect(room(170, 120) == nil)
        #expect(room(120, 170) == nil)
    }

    @Test("A mark that is near is put a little above all the same")
    func near() {
        #expect(Containment.room(to: Self.mark, before: Self.mark - 1, after: 0) == 256 << 10)
    }
}
