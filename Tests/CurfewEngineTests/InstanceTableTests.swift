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

    // MARK: Who is at work

    @Test("Who is at work is noted once, of those that are there, and who gets the slot of another isn't")
    func atWork() {
        let (first, second) = (AppID(slot: 2, generation: 0), AppID(slot: 2, generation: 1))
        var table = table(AppID(5), first)
        #expect(table.atWork.isEmpty)
        for app in [first, AppID(5), first, second, AppID(9)] { table.note(app, isAtWork: true) }
        #expect(table.atWork.map(\.id) == [first, AppID(5)])
        table.insert(.sample(second))
        #expect(table.atWork.map(\.id) == [AppID(5)])
        table.note(first, isAtWork: true)
        table.note(AppID(5), isAtWork: false)
        #expect(table.atWork.isEmpty)
    }

    @Test("Whatever comes and goes, it knows what a dictionary knows")
    func property() {
        var random = SplitMix64(seed: 5)
        var (table, model) = (InstanceTable(), [Int: AppID]())
        var atWork: Set<AppID> = []
        var generations = Array(repeating: 0, count: 12)
        var most = 0
        for _ in 0..<3000 {
            let slot = random.below(12)
            if random.chance(10) {
                let app = AppID(slot: slot, generation: generations[slot])
                generations[slot] += 1
                if let before = model.updateValue(app, forKey: slot) { atWork.remove(before) }
                table.insert(.sample(app))
            } else if random.chance(10) {
                // Now and then of one that isn't there any more.
                let app = AppID(slot: slot, generation: max(0, generations[slot] - (random.chance(20) ? 2 : 1)))
                if model[slot] == app {
                    model[slot] = nil
                    atWork.remove(app)
                }
                table.remove(app)
                #expect(table[app] == nil)
            } else {
                // Now and then of one that was there before.
                let app = AppID(slot: slot, generation: max(0, generations[slot] - (random.chance(10) ? 2 : 1)))
                let isAtWork = random.chance(50)
                table.note(app, isAtWork: isAtWork)
                if isAtWork, model[slot] == app { atWork.insert(app) }
                if !isAtWork { atWork.remove(app) }
            }
            #expect(Set(table.all.map(\.id)) == Set(model.values))
            #expect(table.all.count == model.count)
            #expect(Set(table.atWork.map(\.id)) == atWork)
            #expect(table.atWork.count == atWork.count)
            #expect(table.atWork.allSatisfy { table[$0.id] === $0 })
            for (slot, app) in model where table[app]?.id != app { Issue.record("slot \(slot) hasn't \(app)") }
            most = max(most, atWork.count)
        }
        #expect(most > 6)
    }
}
