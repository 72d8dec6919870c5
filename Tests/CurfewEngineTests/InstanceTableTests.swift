import CurfewCore
import Testing

@testable import CurfewEngine

@Suite("The instances of a supervisor, by number")
struct InstanceTableTests {
    private func table(_ ids: AppID...) -> InstanceTable {
        var table = InstanceTable()
        for id in ids { table.insert(.sample(id)) }
        return table
    }

    @Test("Each is found by its number, in whatever order they came")
    func found() {
        let ids = [AppID(7), AppID(0), AppID(3)]
        let table = table(ids[0], ids[1], ids[2])
        for id in ids { #expect(table[id]?.id == id) }
        #expect(table.all.map(\.id) == ids)
    }

    @Test("There is none of a number that no app has, be its slot between others or beyond all")
    func missing() {
        let table = table(AppID(1), AppID(3))
        for number in [0, 2, 4, 1000] { #expect(table[AppID(number)] == nil) }
        #expect(InstanceTable()[AppID(1)] == nil)
    }

    @Test("Who gets the slot of another is found by his number, and the other no more")
    func generations() {
        let (first, second) = (AppID(slot: 2, generation: 0), AppID(slot: 2, generation: 1))
        var table = table(AppID(5), first)
        #expect(table[second] == nil)
        table.insert(.sample(second))
        #expect(table[second]?.id == second)
        #expect(table[first] == nil)
        #expect(table.all.map(\.id) == [AppID(5), second])
    }
}
