import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Which of several apps a request concerns")
struct ControlAppTests {
    /// `backup` in front, `app-b` home; none is meant by who names none.
    private let scene = ControlScene([.a, .b])

    init() { scene.defaultApp = nil }

    private let notNamed =
        "error code=no-app message=\"app=NAME has to say which app is meant; `curfew ps` shows them\""
    private let unknown = "error code=no-app message=\"there is no app nobody here; `curfew ps` shows what is\""

    private func forbidden(_ name: String) -> String {
        "error code=forbidden message=\"a process inside an app speaks for that one alone, and \(name) is another: "
            + "leave app= out, or ask from outside every app\""
    }

    // MARK: From outside

    @Test("It is about the app that it names, and no other hears of it")
    func named() {
        let client = scene.client()
        #expect(scene.ask(client, "interrupt app=backup") == ["ok state=inactive"])
        #expect(scene.app(.b)?.state == .suspended)
        #expect(scene.ask(client, "open id=3 app=app-b") == ["ok id=3 state=active"])
        #expect(scene.app(.a)?.state == .suspended)
        #expect(scene.ask(client, "status app=backup") == ["ok state=suspended"])
        #expect(scene.ask(client, "status app=app-b") == ["ok state=active"])
    }

    @Test("A pid names the app whose process that is")
    func pid() {
        #expect(scene.ask(scene.client(), "status app=\(scene.leader)") == ["ok state=active"])
        #expect(scene.ask(scene.client(), "status app=7").first?.hasPrefix("error code=no-app ") == true)
    }

    @Test("Nothing is done about an app that isn't there", arguments: ["home", "status", "quit", "events", "pressure"])
    func unknown(verb: String) {
        #expect(scene.ask(scene.client(), verb + " app=nobody") == [unknown])
        #expect(scene.inputs.isEmpty)
    }

    @Test(
        "Where there is no default it has to name one, all that drives one app",
        arguments: ["home", "open", "quit", "status", "tasks", "wake name=x", "advance seconds=1"])
    func hasToBeNamed(request: String) {
        #expect(scene.ask(scene.client(), request) == [notNamed])
        #expect(scene.inputs.isEmpty)
    }

    @Test("The machine's shortness of memory is told to a supervisor, whatever app it names or none")
    func pressure() {
        let client = scene.client()
        #expect(scene.ask(client, "pressure level=warning") == ["ok"])
        #expect(scene.ask(client, "pressure level=normal app=app-b") == ["ok state=suspended"])
        #expect(
            scene.inputs == [
                .machine(.pressureSimulated(.warning)), .machine(.pressureSimulated(.normal)),
            ])
    }

    @Test("The default is meant by who names none, and can be named")
    func defaultApp() {
        scene.defaultApp = .a
        #expect(scene.ask(scene.client(), "status") == ["ok state=active"])
        #expect(scene.ask(scene.client(), "status app=backup") == ["ok state=active"])
        #expect(scene.ask(scene.client(), "status app=nobody") == [unknown])
    }

    @Test("Whoever belongs to no app and is hung up on is told of by the host")
    func dropped() {
        let client = scene.client()
        client.send(raw: String(repeating: "y", count: 5_000))
        scene.run()
        #expect(scene.droppedClients == ["this process: a line is longer than 4096 bytes"])
        #expect(scene.drops.isEmpty)
    }

    // MARK: From inside

    @Test("By its pipe, and by the socket, each app speaks for itself, named or not")
    func own() {
        #expect(scene.ask(scene.pipe(of: .b), "begin name=x owner=leader app=app-b") == ["ok task=1 remaining=600.000"])
        scene.senders = .app(.b)
        #expect(scene.ask(scene.client(), "begin name=y owner=leader") == ["ok task=2 remaining=600.000"])
        #expect(scene.app(.b)?.tasks.count == 2)
        #expect(scene.app(.a)?.tasks.isEmpty == true)
    }

    @Test(
        "It speaks for no other, be it there or not, and is told what to do instead",
        arguments: ["backup", "nobody"], ["begin name=x", "remaining", "status", "events follow=1", "ack seq=1"])
    func other(name: String, request: String) {
        #expect(scene.ask(scene.pipe(of: .b), request + " app=\(name)") == [forbidden(name)])
        scene.senders = .app(.b)
        #expect(scene.ask(scene.client(), request + " app=\(name)") == [forbidden(name)])
        #expect(scene.inputs.isEmpty)
    }

    @Test("Two apps with events of their own: each hears its own, and one becoming plain leaves the other aware")
    func events() {
        let (first, second) = (scene.pipe(of: .a), scene.pipe(of: .b))
        #expect(scene.ask(first, "hello")[0] == "ok version=1 app=backup state=active")
        #expect(scene.ask(second, "hello")[0] == "ok version=1 app=app-b state=suspended")
        _ = first.read()
        _ = scene.ask(scene.client(), "interrupt app=backup")
        #expect(first.read() == ["event name=willResignActive seq=3"])
        #expect(second.read().isEmpty)
        first.close()
        scene.run()
        #expect(scene.app(.a)?.isAware == false)
        #expect(scene.app(.b)?.isAware == true)
    }

    @Test("A connection that one app hands to another isn't the first one's any more")
    func handedOn() {
        // Each message's sender is looked at anew.
        scene.control.senderRoles.keepsSenders = false
        scene.senders = .app(.a)
        let client = scene.client()
        #expect(scene.ask(client, "hello")[0] == "ok version=1 app=backup state=active")
        scene.control.sessions[0].role = nil
        scene.senders = .app(.b)
        #expect(scene.ask(client, "remaining").last == "ok seconds=600.000")
        #expect(scene.inputs.last == .app(.a, .disconnected(ConnectionID(1))))
        #expect(scene.app(.a)?.isAware == false)
    }

    // MARK: Who follows

    @Test("Who follows one app hears nothing of another; who follows all hears of each, by its name")
    func following() {
        let (one, all) = (scene.client(), scene.client())
        #expect(scene.ask(one, "events follow=1 app=app-b").last == "ok")
        let past = scene.ask(all, "events id=1 follow=1")
        #expect(past.contains("event name=stateDidChange app=backup from=notRunning to=active"))
        #expect(past.contains("event name=stateDidChange app=app-b from=active to=background"))
        #expect(past.last == "ok id=1")
        _ = scene.ask(scene.client(), "interrupt app=backup")
        #expect(one.read().isEmpty)
        #expect(all.read() == ["event name=stateDidChange app=backup from=active to=inactive"])
        _ = scene.ask(scene.client(), "wake app=app-b name=zone")
        #expect(one.read() == all.read())
    }

    @Test("Of all apps the last events are told in the order in which they came")
    func order() {
        for number in 0..<EventLog.capacity {
            scene.kernel.clock = scene.kernel.clock + .seconds(1)
            scene.record(.statusText(String(number)), of: number.isMultiple(of: 2) ? .a : .b)
        }
        let events = scene.ask(scene.client(), "events").dropLast()
        let expected = (0..<EventLog.capacity).map {
            "event name=didNotifyStatus app=\($0.isMultiple(of: 2) ? "backup" : "app-b") text=\($0)"
        }
        #expect(Array(events) == expected)
    }

    // MARK: Held time

    @Test("Lifecycle time is moved for the app that is named: its events are told, and its state")
    func advance() {
        scene.engine.holdTime()
        let client = scene.client()
        #expect(scene.ask(client, "advance seconds=0 app=app-b") == [])
        #expect(scene.pendingAdvance?.app == .b)
        for _ in 0..<1_000 where scene.pendingAdvance != nil {
            scene.kernel.clock = max(scene.kernel.clock, scene.pendingAdvance?.nextLook ?? scene.kernel.clock)
            scene.desk.goOn(isIdle: true)
        }
        #expect(client.read() == ["ok seconds=0.000 left=0.000 state=suspended"])
    }
}
