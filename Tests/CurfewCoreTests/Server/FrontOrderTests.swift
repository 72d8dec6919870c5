import CurfewCore
import Testing

@Suite("Who is in front, and who was before whom")
struct FrontOrderTests {
    /// These came to the front, one after the other; whoever had to leave for it left.
    private func order(places: Int = 1, _ apps: AppID...) -> FrontOrder {
        var order = FrontOrder(places: places)
        for app in apps { open(app, &order) }
        return order
    }

    private func open(_ app: AppID, _ order: inout FrontOrder) {
        if order.inFront.contains(app) { return order.reopen(app) }
        if let leaver = order.leaver { order.leave(leaver) }
        order.enter(app)
    }

    private func previous(_ order: FrontOrder) -> AppID? { order.previous { _ in true } }

    @Test("At first nobody is there, and nobody was")
    func empty() {
        #expect(order().inFront == [])
        #expect(order().first == nil)
        #expect(order().leaver == nil)
        #expect(previous(order()) == nil)
    }

    @Test("With one place each takes it from the one before")
    func one() {
        #expect(order(.a).inFront == [.a])
        #expect(order(.a).leaver == .a)
        #expect(order(.a, .b).inFront == [.b])
        #expect(previous(order(.a, .b)) == .a)
        #expect(previous(order(.a, .b, .c)) == .b)
        #expect(previous(order(.a, .b, .a)) == .b)
    }

    @Test("With more, whoever was opened longest ago leaves")
    func several() {
        #expect(order(places: 2, .a).leaver == nil)
        #expect(order(places: 2, .a, .b).inFront == [.b, .a])
        #expect(order(places: 2, .a, .b).leaver == .a)
        #expect(order(places: 2, .a, .b, .c).inFront == [.c, .b])
        #expect(previous(order(places: 2, .a, .b, .c)) == .a)
        #expect(order(places: 2, .a, .b, .a, .c).inFront == [.c, .a])
        #expect(order(places: 3, .a, .b, .c).first == .c)
    }

    @Test("Who goes home was the last in front, whoever is still there; nobody takes its place")
    func home() {
        var order = order(places: 2, .a, .b, .c)
        order.leave(.c)
        #expect(order.inFront == [.b])
        #expect(!order.isFull)
        #expect(previous(order) == .c)
        order.leave(.b)
        #expect(order.inFront == [])
        #expect(previous(order) == .b)
    }

    @Test("Who can't come back is passed over")
    func canReturn() {
        let order = order(.a, .b, .c)
        #expect(order.previous { $0 != .b } == .a)
        #expect(order.previous { _ in false } == nil)
    }

    @Test("Who ends is forgotten, in front and behind, and whoever has its slot then is another")
    func end() {
        var order = order(.a, .b, .c)
        order.remove(.b)
        #expect(previous(order) == .a)
        order.remove(.c)
        #expect(order.inFront == [])
        #expect(previous(order) == .a)
        let other = AppID(slot: AppID.a.slot, generation: 1)
        order.remove(other)
        #expect(previous(order) == .a)
        order.remove(.a)
        #expect(previous(order) == nil)
        order.enter(other)
        order.leave(.a)
        #expect(order.inFront == [other])
    }

    @Test("Only who is in front can be opened again there, or go home from there")
    func others() {
        var order = order(places: 2, .a, .b, .c)
        order.reopen(.a)
        order.leave(.a)
        order.reopen(.d)
        order.leave(.d)
        #expect(order == self.order(places: 2, .a, .b, .c))
    }

    @Test("Whatever comes, it is what two lists say", arguments: [1, 2, 3, 7])
    func lists(places: Int) {
        for seed in UInt64(0)..<50 {
            var random = SplitMix64(seed: seed)
            var model = FrontLists(places: places)
            for step in 0..<200 {
                guard let violation = model.step(&random) else { continue }
                Issue.record("seed \(seed), step \(step): \(violation)")
                return
            }
        }
    }
}

/// A `FrontOrder` and what it is to say, as two plain lists, the most recent first.
private struct FrontLists {
    private var order: FrontOrder
    private var front: [AppID] = []
    private var behind: [AppID] = []
    private var generations = Array(repeating: 0, count: 9)

    init(places: Int) { order = FrontOrder(places: places) }

    /// One change; returns what is wrong then.
    mutating func step(_ random: inout SplitMix64) -> String? {
        let slot = random.below(generations.count)
        let app = AppID(slot: slot, generation: generations[slot])
        switch random.below(4) {
        case 0, 1: open(app)
        case 2:
            order.leave(app)
            leave(app)
        default:
            order.remove(app)
            front.removeAll { $0 == app }
            behind.removeAll { $0 == app }
            generations[slot] += 1
        }
        return violation(&random)
    }

    private mutating func open(_ app: AppID) {
        if front.contains(app) {
            order.reopen(app)
        } else {
            if let leaver = order.leaver {
                order.leave(leaver)
                leave(front[front.count - 1])
            }
            order.enter(app)
        }
        behind.removeAll { $0 == app }
        front = [app] + front.filter { $0 != app }
    }

    private mutating func leave(_ app: AppID) {
        guard front.contains(app) else { return }
        front.removeAll { $0 == app }
        behind.insert(app, at: 0)
    }

    private func violation(_ random: inout SplitMix64) -> String? {
        if order.inFront != front { return "in front is \(front), and not \(order.inFront)" }
        if order.first != front.first { return "first is \(front), and not \(String(describing: order.first))" }
        if order.isFull != (front.count == order.places) { return "\(front) of \(order.places)" }
        if order.leaver != (order.isFull ? front.last : nil) { return "the next sends \(front.last as Any) home" }
        let spared = random.below(generations.count)
        let previous = behind.first { $0.slot != spared }
        let known = order.previous { $0.slot != spared }
        return known == previous
            ? nil : "before it was \(behind), and not \(String(describing: known)); not in \(spared)"
    }
}
