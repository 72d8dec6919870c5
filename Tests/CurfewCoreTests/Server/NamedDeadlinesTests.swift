import CurfewCore
import Testing

@Suite("When names are due")
struct NamedDeadlinesTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

    @Test("The earliest is first, and those due come by time, then by name")
    func order() {
        var deadlines = NamedDeadlines<Instant>()
        #expect(deadlines.next == nil)
        for (name, seconds) in [("web", 5), ("db", 3), ("mail", 5), ("news", 9)] {
            deadlines.set(at(Int64(seconds)), for: name)
        }
        #expect(deadlines.next == at(3))
        #expect(deadlines.due(at: at(2)) == [])
        #expect(deadlines.due(at: at(5)) == ["db", "mail", "web"])
        #expect(deadlines["news"] == at(9))
        #expect(deadlines.count == 4)
    }

    @Test("Set anew it is due then alone; removed not at all")
    func changes() {
        var deadlines = NamedDeadlines<Instant>()
        deadlines.set(at(1), for: "web")
        deadlines.set(at(7), for: "web")
        #expect(deadlines.due(at: at(6)) == [])
        #expect(deadlines.next == at(7))
        deadlines.remove("db")
        deadlines.remove("web")
        #expect(deadlines.next == nil)
        #expect(deadlines["web"] == nil)
        deadlines.set(at(2), for: "web")
        deadlines.removeAll()
        #expect(deadlines.count == 0)
        #expect(deadlines.due(at: at(9)) == [])
    }

    @Test("Whatever is set and removed, it is what a look at all of them says")
    func scan() {
        for seed in UInt64(0)..<60 {
            var random = SplitMix64(seed: seed)
            var (deadlines, model) = (NamedDeadlines<Instant>(), [String: Instant]())
            for step in 0..<200 {
                let name = "app\(random.below(24))"
                if random.chance(65) {
                    let due = at(Int64(random.below(30)))
                    deadlines.set(due, for: name)
                    model[name] = due
                } else {
                    deadlines.remove(name)
                    model[name] = nil
                }
                let now = at(Int64(random.below(32)))
                let due = model.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
                if deadlines.next == model.values.min(), deadlines.due(at: now) == due, deadlines[name] == model[name],
                    deadlines.count == model.count
                {
                    continue
                }
                Issue.record("seed \(seed), step \(step): \(deadlines.due(at: now)), not \(due)")
                return
            }
        }
    }
}
