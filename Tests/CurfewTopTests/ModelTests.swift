import CurfewWire
import Testing

@testable import CurfewTop

@Suite("What the screen knows, and whom it asks")
struct ModelTests {
    private let now = Fixture.now
    private let second = Fixture.second

    // MARK: Asking

    @Test("Who is new is asked at once, and once")
    func new() {
        var model = TopModel()
        #expect(model.nextDue() == nil)
        model.add("a")
        #expect(model.due(at: now) == ["a"])
        #expect(model.due(at: now + second) == [])
        #expect(model.nextDue() == nil)
    }

    @Test("What runs is asked again after a second", arguments: ["active", "inactive", "background"])
    func running(state: String) {
        var model = TopModel()
        model.add("a")
        _ = model.due(at: now)
        model.take(status: Fixture.status("a", state), tasks: [], of: "a", at: now)
        model.settle(rows: 5, at: now)
        #expect(model.due(at: now + second - 1) == [])
        #expect(model.nextDue() == now + second)
        #expect(model.due(at: now + second) == ["a"])
    }

    @Test("What runs out of sight is asked after five seconds")
    func beyond() {
        var model = TopModel()
        for name in ["a", "b"] {
            model.add(name)
            _ = model.due(at: now)
            model.take(status: Fixture.status(name, "active"), tasks: [], of: name, at: now)
        }
        model.settle(rows: 1, at: now)
        #expect(model.due(at: now + second) == ["a"])
        #expect(model.due(at: now + 5 * second) == ["b"])
    }

    @Test("What is suspended, asleep or not running isn't asked again", arguments: ["suspended", "notRunning"])
    func stopped(state: String) {
        var model = TopModel()
        model.add("a")
        _ = model.due(at: now)
        model.take(status: Fixture.status("a", state), tasks: [], of: "a", at: now)
        model.settle(rows: 5, at: now)
        #expect(model.nextDue() == nil)
        #expect(model.due(at: now + 3600 * second) == [])
    }

    @Test("What happens to one has it asked once, however much happens")
    func events() {
        var model = TopModel()
        model.add("a")
        _ = model.due(at: now)
        model.take(status: Fixture.status("a", "active"), tasks: [], of: "a", at: now)
        let change = Fixture.event("stateDidChange", ["from": "active", "to": "suspended"])
        for _ in 0..<100 { model.take(event: change, of: "a", at: now + 1) }
        #expect(model["a"]?.state == .suspended)
        // Not before a pause has passed since the last question.
        #expect(model.due(at: now + 1) == [])
        #expect(model.nextDue() == now + TopModel.pause)
        #expect(model.due(at: now + TopModel.pause) == ["a"])
        model.take(event: Fixture.event("didSleep"), of: "a", at: now + second)
        #expect(model.due(at: now + second) == [])
        model.take(status: Fixture.status("a", "suspended"), tasks: [], of: "a", at: now + second)
        #expect(model.due(at: now + second) == ["a"])
    }

    @Test("What can't be asked isn't asked again before something happens")
    func refused() {
        var model = TopModel()
        model.add("a")
        _ = model.due(at: now)
        model.cannotAsk("a", "refused (forbidden): no")
        #expect(model.nextDue() == nil)
        #expect(model["a"]?.problem == "refused (forbidden): no")
        model.take(event: Fixture.event("taskDidBegin", ["task": "1", "title": "t"]), of: "a", at: now)
        #expect(model.due(at: now + second) == ["a"])
    }

    @Test("Whose supervisor doesn't answer may yet")
    func silent() {
        var model = TopModel()
        model.add("a")
        _ = model.due(at: now)
        model.doesNotAnswer("a")
        #expect(model["a"]?.problem == "its supervisor doesn't answer")
        #expect(model.nextDue() == nil)
        model.take(status: Fixture.status("a", "active"), tasks: [], of: "a", at: now)
        #expect(model["a"]?.problem == nil)
    }

    // MARK: Between two answers

    @Test("A budget runs down by itself in background, and nowhere else")
    func budget() {
        var model = Fixture.model([
            (Fixture.status("a", "background", ["remaining": "571.204"]), []),
            (Fixture.status("b", "background", ["remaining": "571.204", "traced": "true"]), []),
            (Fixture.status("c", "background", ["remaining": "571.204", "clock": "manual"]), []),
            (Fixture.status("d", "suspended", ["remaining": "571.204"]), []),
            (Fixture.status("e", "background", ["remaining": "571.204", "background-modes": "fetch,continuous"]), []),
        ])
        let left = 571_204_000_000 as Int64
        #expect(model["a"]?.budget?.left(at: now + second) == left - second)
        #expect(model["a"]?.budget?.left(at: now + 600 * second) == 0)
        for name in ["b", "c", "d", "e"] { #expect(model[name]?.budget?.left(at: now + second) == left) }
        model.take(event: Fixture.event("stateDidChange", ["to": "active"]), of: "a", at: now + second)
        #expect(model["a"]?.budget?.left(at: now + 2 * second) == .max)
    }

    @Test("It is refilled on the way out of the foreground, and nowhere else")
    func refilled() {
        var model = Fixture.model([(Fixture.status("a", "active"), [])])
        model.take(event: Fixture.event("stateDidChange", ["to": "background"]), of: "a", at: now)
        #expect(model["a"]?.budget?.left(at: now + second) == 599 * second)
        model.take(event: Fixture.event("stateDidChange", ["to": "suspended"]), of: "a", at: now + second)
        #expect(model["a"]?.budget?.left(at: now + 9 * second) == 599 * second)
        model.take(event: Fixture.event("stateDidChange", ["to": "background"]), of: "a", at: now + 9 * second)
        #expect(model["a"]?.budget?.left(at: now + 10 * second) == 598 * second)
    }

    @Test("Tasks come and go by events")
    func tasks() {
        var model = Fixture.model([(Fixture.status("a", "active"), [Fixture.task(1, "one", age: "3.0")])])
        model.take(event: Fixture.event("taskDidBegin", ["task": "2", "title": "two"]), of: "a", at: now)
        model.take(event: Fixture.event("taskDidBegin", ["task": "2", "title": "two"]), of: "a", at: now)
        #expect(model["a"]?.tasks.map(\.name) == ["one", "two"])
        model.take(event: Fixture.event("taskDidEnd", ["task": "1", "title": "one"]), of: "a", at: now)
        model.take(event: Fixture.event("taskDidRelease", ["task": "2", "title": "two"]), of: "a", at: now)
        #expect(model["a"]?.tasks == [])
    }

    @Test("A processor's share is that since the last answer, half a second ago at least")
    func cpu() {
        var share = ProcessorShare()
        share.take(used: 5 * second, at: now)
        #expect(share.permille == nil)
        share.take(used: 5 * second + second / 10, at: now + second / 10)
        #expect(share.permille == nil)
        share.take(used: 5 * second + second / 4, at: now + second)
        #expect(share.permille == 250)
        share.take(used: 9 * second, at: now + 2 * second)
        #expect(share.permille == 3750)
        share.take(used: 8 * second, at: now + 3 * second)
        #expect(share.permille == 0)
    }

    @Test("A new state begins a new measurement")
    func cpuAnew() {
        var model = Fixture.model([(Fixture.status("a", "active"), [])])
        model.take(event: Fixture.event("stateDidChange", ["to": "suspended"]), of: "a", at: now)
        model.take(event: Fixture.event("stateDidChange", ["to": "active"]), of: "a", at: now + 100 * second)
        let status = Fixture.status("a", "active", ["cpu": "2.000"])
        model.take(status: status, tasks: [], of: "a", at: now + 101 * second)
        #expect(model["a"]?.cpu.permille == nil)
    }

    @Test("It is asleep while it is stopped, and no longer")
    func asleep() {
        var model = Fixture.model([(Fixture.status("a", "suspended", ["asleep": "true"]), [])])
        #expect(model["a"]?.stateWord == "asleep")
        model.take(event: Fixture.event("stateDidChange", ["to": "active"]), of: "a", at: now)
        #expect(model["a"]?.stateWord == "active")
        model.take(event: Fixture.event("stateDidChange", ["to": "suspended"]), of: "a", at: now)
        #expect(model["a"]?.stateWord == "suspended")
    }

    // MARK: Ends

    @Test(
        "Who ends is gone, and it is told how",
        arguments: [
            (["status": "0"], "a has ended with status 0"), (["signal": "15"], "a has ended by signal 15"),
            (["status": "124", "reason": "time-limit"], "a has ended, killed: time-limit"), ([:], "a has ended"),
        ])
    func ended(fields: [String: String], message: String) {
        var model = Fixture.named(["a", "b"])
        model.take(event: Fixture.event("didEnd", fields), of: "a", at: now)
        model.remove("a")
        #expect(model.message == message)
        #expect(model.count == 1)
    }

    @Test("What it was killed for is told in the words of the kill")
    func killed() {
        var model = Fixture.named(["a"])
        model.take(event: Fixture.event("willKill", ["reason": "memory-limit", "why": "too much"]), of: "a", at: now)
        model.take(event: Fixture.event("didEnd", ["status": "137", "reason": "memory-limit"]), of: "a", at: now)
        model.remove("a")
        #expect(model.message == "a has ended, killed: too much")
    }

    @Test("Nothing is known of who isn't there")
    func strangers() {
        var model = TopModel()
        model.take(status: Fixture.status("a", "active"), tasks: [], of: "a", at: now)
        model.take(event: Fixture.event("didEnd"), of: "a", at: now)
        model.cannotAsk("a", "no")
        model.remove("a")
        #expect(model.count == 0)
        #expect(model.message == nil)
    }

    @Test("A server's app that doesn't run is listed, and isn't asked")
    func listing() {
        var model = TopModel()
        model.add("a")
        let ended = Message(
            "app",
            [Field("name", "a"), Field("state", "notRunning"), Field("ended", "user-quit"), Field("since", "5.0")])
        model.take(listing: ended, of: "a", at: now)
        #expect(model["a"]?.state == .notRunning)
        #expect(model.due(at: now) == [])
        let running = Message("app", [Field("name", "a"), Field("state", "active"), Field("since", "0.0")])
        model.take(listing: running, of: "a", at: now)
        #expect(model.due(at: now) == ["a"])
    }

    // MARK: The list

    @Test(
        "Each order",
        arguments: [
            (SortKey.state, ["editor", "写真-sync", "debugged", "backup", "sync", "cache", "mail", "notes"]),
            (.name, ["backup", "cache", "debugged", "editor", "mail", "notes", "sync", "写真-sync"]),
            (.budget, ["sync", "backup", "cache", "debugged", "editor", "mail", "notes", "写真-sync"]),
            (.memory, ["editor", "backup", "cache", "debugged", "mail", "notes", "sync", "写真-sync"]),
            (.cpu, ["editor", "backup", "cache", "debugged", "mail", "notes", "sync", "写真-sync"]),
            (.since, ["debugged", "editor", "写真-sync", "backup", "mail", "sync", "cache", "notes"]),
        ] as [(SortKey, [String])])
    func order(key: SortKey, names: [String]) {
        var model = Fixture.kinds()
        for _ in 0..<(SortKey.allCases.firstIndex(of: key) ?? 0) { _ = model.press(.character("s")) }
        model.settle(rows: 20, at: now + second)
        #expect(model.sort == key)
        #expect(model.listed.map(\.name) == names)
    }

    @Test("The filter finds in name, state and command, in capitals or not")
    func filter() {
        var model = Fixture.kinds()
        func found(_ text: String) -> [String] {
            model.filter = text
            model.settle(rows: 20, at: now)
            return model.listed.map(\.name)
        }
        #expect(found("SYNC") == ["写真-sync", "sync"])
        #expect(found("asleep") == ["cache", "notes"])
        #expect(found("python3") == ["写真-sync"])
        #expect(found("写真") == ["写真-sync"])
        #expect(found("nothing like it") == [])
        #expect(model.selected == nil)
        #expect(found("").count == 8)
    }

    @Test("The selection stays with its app where the order changes")
    func staysWithApp() {
        var model = Fixture.named(["a", "b", "c"])
        _ = model.press(.down)
        #expect(model.selected == "b")
        model.take(event: Fixture.event("stateDidChange", ["to": "suspended"]), of: "b", at: now)
        model.settle(rows: 20, at: now)
        #expect(model.listed.map(\.name) == ["a", "c", "b"])
        #expect(model.selected == "b")
    }

    @Test("Where the selected one ends, who takes its place is selected")
    func selectedEnds() {
        var model = Fixture.named(["a", "b", "c"])
        _ = model.press(.down)
        for (gone, next) in [("b", "c"), ("c", "a"), ("a", nil)] as [(String, String?)] {
            model.remove(gone)
            model.settle(rows: 20, at: now)
            #expect(model.selected == next)
        }
    }

    @Test("The list scrolls no further than it has to")
    func scrolls() {
        var model = Fixture.named((10..<40).map { "app\($0)" }, rows: 10)
        #expect(model.onScreen.map(\.name).first == "app10")
        for _ in 0..<9 { _ = model.press(.down) }
        #expect(model.firstRow == 0)
        _ = model.press(.down)
        #expect(model.firstRow == 1)
        _ = model.press(.pageDown)
        #expect(model.selected == "app30")
        _ = model.press(.last)
        #expect(model.selected == "app39")
        #expect(model.firstRow == 20)
        _ = model.press(.up)
        #expect(model.firstRow == 20)
        _ = model.press(.first)
        #expect(model.selected == "app10")
        #expect(model.firstRow == 0)
    }

    @Test("No row stays empty where the screen gets higher")
    func grows() {
        var model = Fixture.named((10..<40).map { "app\($0)" }, rows: 10)
        _ = model.press(.last)
        model.settle(rows: 25, at: now)
        #expect(model.firstRow == 5)
        model.settle(rows: 100, at: now)
        #expect(model.firstRow == 0)
    }
}
