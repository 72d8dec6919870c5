import CurfewCore
import Testing

@Suite("Connections and acknowledgements")
struct ChannelTests {
    @Test("Events go to every connection that said hello, in that order")
    func twoConnections() {
        let scenario = Scenario.aware()
        scenario.hello(connection: 7)
        scenario.hello(connection: 3)
        #expect(scenario.home().last == "a <- didEnterBackground #4 5s to 1,7,3")
    }

    @Test("A second connection's hello delivers no second launch")
    func secondHello() {
        #expect(Scenario.aware().hello(connection: 2).isEmpty)
    }

    @Test("A second hello on one connection changes nothing")
    func sameHello() {
        let scenario = Scenario.aware()
        #expect(scenario.hello().isEmpty)
        #expect(scenario.home().last == "a <- didEnterBackground #4 5s to 1")
    }

    @Test("One connection's acknowledgement is enough")
    func oneAcknowledges() {
        let scenario = Scenario.aware()
        scenario.hello(connection: 2)
        scenario.home()
        #expect(scenario.ack(4).last == "a background -> suspended")
    }

    @Test("Sixty-four connections may say hello; one more is refused by silence")
    func bound() {
        let scenario = Scenario()
        for connection in 1...64 { scenario.hello(connection: connection) }
        #expect(scenario.hello(connection: 65).isEmpty)
        let all = (1...64).map { "\($0)" }.joined(separator: ",")
        #expect(scenario.home().last == "a <- didEnterBackground #4 5s to \(all)")
    }

    @Test("A connection that closed makes room for another")
    func roomAgain() {
        let scenario = Scenario()
        for connection in 1...64 { scenario.hello(connection: connection) }
        scenario.disconnect(connection: 30)
        scenario.hello(connection: 65)
        #expect(scenario.home().last?.hasSuffix("64,65") == true)
    }

    @Test("Acknowledging an unknown number is logged and changes nothing")
    func unknownAck() {
        let scenario = Scenario.aware()
        scenario.home()
        #expect(scenario.ack(99) == ["note a unknown ack #99"])
        #expect(scenario.ack(3) == ["note a unknown ack #3"])
        #expect(scenario.owed() == ["didEnterBackground"])
    }

    @Test("Acknowledging twice is logged")
    func doubleAck() {
        let scenario = Scenario.aware()
        #expect(scenario.ack(1) == ["note a unknown ack #1"])
    }

    @Test("A plain app's acknowledgement is unknown")
    func plainAck() {
        #expect(Scenario().ack(1) == ["note a unknown ack #1"])
    }

    @Test("Acknowledgements may come in any order")
    func anyOrder() {
        let scenario = Scenario(inBackground: true)
        scenario.hello()
        #expect(scenario.ack(2) == ["note a didEnterBackground #2 acknowledged"])
        #expect(scenario.ack(1).last == "a background -> suspended")
    }

    @Test("A hello in the foreground owes the launch only")
    func helloInForeground() {
        let scenario = Scenario()
        scenario.hello()
        #expect(scenario.owed() == ["didFinishLaunching"])
    }

    @Test("A hello in background: didFinishLaunching, then didEnterBackground, both owed; its grace is over")
    func helloInBackground() {
        let scenario = Scenario(.with { $0.grace = .seconds(60) })
        scenario.home()
        #expect(
            scenario.after(.seconds(1)).hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didEnterBackground #2 5s quietly to 1",
            ])
        scenario.ack(1)
        #expect(scenario.ack(2).last == "a background -> suspended")
    }

    @Test("Without another connection the app is plain")
    func plainAgain() {
        let scenario = Scenario.aware()
        #expect(scenario.disconnect() == ["note a plain"])
        #expect(scenario.home() == ["a active -> background", "suspend a", "a background -> suspended"])
    }

    @Test("With another connection the app stays aware, and owes what it owed")
    func stillAware() {
        let scenario = Scenario.aware()
        scenario.hello(connection: 2)
        scenario.home()
        #expect(scenario.disconnect().isEmpty)
        #expect(scenario.owed() == ["didEnterBackground"])
        #expect(scenario.supervisor.app(.a)?.isAware == true)
    }

    @Test("Disconnected while owing didEnterBackground: owes nothing any more, suspended")
    func disconnectedWhileOwing() {
        let scenario = Scenario.aware()
        scenario.home()
        #expect(scenario.disconnect() == ["note a plain", "suspend a", "a background -> suspended"])
    }

    @Test("Disconnected while owing, with a task open: runs on its budget")
    func disconnectedWithTask() {
        let scenario = Scenario.aware()
        scenario.begin()
        scenario.home()
        #expect(scenario.disconnect() == ["note a plain"])
        #expect(scenario.run(.seconds(6)).isEmpty)
        #expect(scenario.state() == .background)
    }

    @Test("A stranger's disconnection changes nothing")
    func strangerDisconnects() {
        #expect(Scenario.aware().disconnect(connection: 9).isEmpty)
    }

    @Test("Aware again: no second launch, the next home is told")
    func awareAgain() {
        let scenario = Scenario.aware()
        scenario.disconnect()
        #expect(scenario.hello(connection: 2) == ["note a aware"])
        #expect(
            scenario.home().dropFirst() == ["a <- willResignActive #3 to 2", "a <- didEnterBackground #4 5s to 2"])
    }

    @Test("Aware again while its grace runs: told where it is, and suspended once it has answered")
    func awareAgainInGrace() {
        let scenario = Scenario.aware(.with { $0.grace = .seconds(60) })
        scenario.disconnect()
        scenario.home()
        #expect(scenario.hello() == ["note a aware", "a <- didEnterBackground #3 5s to 1"])
        #expect(scenario.ack(3).suffix(2) == ["suspend a", "a background -> suspended"])
    }

    @Test("A late launch acknowledgement counts after home and open too")
    func launchAckLate() {
        let scenario = Scenario()
        scenario.hello()
        scenario.home()
        scenario.open()
        #expect(scenario.owed() == ["didFinishLaunching"])
        #expect(scenario.ack(1) == ["note a didFinishLaunching #1 acknowledged"])
    }

    @Test("Which events need an acknowledgement, and which watchdog waits for it")
    func watchdogs() {
        let watchdogs: [LifecycleEvent: KillReason] = [
            .didFinishLaunching: .launchWatchdog, .didEnterBackground: .sceneUpdateWatchdog,
            .willTerminate: .processExitWatchdog,
        ]
        for event in LifecycleEvent.allCases {
            #expect(event.watchdog == watchdogs[event])
            #expect(event.needsAcknowledgement == (watchdogs[event] != nil))
        }
    }
}
