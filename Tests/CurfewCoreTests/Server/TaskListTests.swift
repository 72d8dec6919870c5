import CurfewCore
import Testing

@Suite("The task list")
struct TaskListTests {
    /// These were launched in front, one after the other.
    private func list(_ names: String...) -> TaskList {
        var list = TaskList()
        for name in names { list.launched(name, inBackground: false) }
        return list
    }

    @Test("The most recent first, each once")
    func order() {
        #expect(TaskList().names == [])
        #expect(list("a", "b").names == ["b", "a"])
        #expect(list("a", "b", "a").names == ["a", "b"])
        #expect(list("a", "b", "a").count == 2)
    }

    @Test("Opened it is the most recent")
    func opened() {
        var list = list("a", "b")
        list.opened("a")
        #expect(list.names == ["a", "b"])
    }

    @Test("Launched in background it comes to the list, and keeps the place that it has")
    func background() {
        var list = list("a", "b")
        list.launched("c", inBackground: true)
        #expect(list.names == ["c", "b", "a"])
        list.launched("a", inBackground: true)
        #expect(list.names == ["c", "b", "a"])
    }

    @Test("Forgotten it is off the list, and may be launched by itself")
    func forgotten() {
        var list = list("a", "b")
        list.forget("a")
        list.forget("c")
        #expect(list.names == ["b"])
        #expect(list.mayLaunchInBackground("a"))
    }

    @Test("Removed it is off the list, and isn't launched in background until it is opened")
    func removed() {
        var list = list("a", "b")
        let wasListed = list.remove("a")
        #expect(wasListed)
        #expect(list.names == ["b"])
        #expect(!list.contains("a"))
        #expect(!list.mayLaunchInBackground("a"))
        #expect(list.mayLaunchInBackground("b"))
        list.opened("a")
        #expect(list.names == ["a", "b"])
        #expect(list.mayLaunchInBackground("a"))
    }

    @Test("Launched by somebody it is opened")
    func launchedAfterwards() {
        for inBackground in [true, false] {
            var list = list("a")
            list.remove("a")
            list.launched("a", inBackground: inBackground)
            #expect(list.names == ["a"])
            #expect(list.mayLaunchInBackground("a"))
        }
    }

    @Test("What isn't in the list can't be removed, and one that never ran may be launched in background")
    func unknown() {
        var list = list("a")
        let wasListed = list.remove("b")
        #expect(!wasListed)
        #expect(list.mayLaunchInBackground("b"))
    }

    @Test("As it was kept")
    func kept() {
        let list = TaskList(mostRecentFirst: ["c", "a", "b", "a"], removed: ["b", "d"])
        #expect(list.names == ["c", "a"])
        #expect(!list.mayLaunchInBackground("b"))
        #expect(!list.mayLaunchInBackground("d"))
    }

    @Test("Whatever comes, it is what two plain lists say, also once kept and read again")
    func lists() {
        let all = ["a", "b", "c", "d", "e"]
        for seed in UInt64(0)..<100 {
            var random = SplitMix64(seed: seed)
            var list = TaskList()
            var names: [String] = []
            var removed: Set<String> = []
            for step in 0..<100 {
                let name = random.pick(all)
                let isListed = names.contains(name)
                switch random.below(5) {
                case 0:
                    let wasListed = list.remove(name)
                    #expect(wasListed == isListed)
                    names.removeAll { $0 == name }
                    if isListed { removed.insert(name) }
                case 1:
                    list.launched(name, inBackground: true)
                    removed.remove(name)
                    if !isListed { names.insert(name, at: 0) }
                case 2: list = TaskList(mostRecentFirst: list.names, removed: removed.sorted())
                case let kind:
                    if kind == 3 { list.opened(name) } else { list.launched(name, inBackground: false) }
                    removed.remove(name)
                    names = [name] + names.filter { $0 != name }
                }
                let heldBack = all.filter { !list.mayLaunchInBackground($0) }
                if list.names == names, heldBack == removed.sorted() { continue }
                Issue.record("seed \(seed), step \(step): \(list.names), not \(names); \(heldBack), not \(removed)")
                return
            }
        }
    }
}
