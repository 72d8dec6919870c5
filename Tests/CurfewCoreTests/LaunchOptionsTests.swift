import CurfewCore
import Testing

/// Why an app is launched, as it hears it.
@Suite("Launch options")
struct LaunchOptionsTests {
    private let forFetch = LaunchOptions(wakingEvent: PostedEvent("fetch", [Info("id", "7")]))

    private func launched(_ options: LaunchOptions, _ policy: Policy = Policy(profile: .ios4)) -> Scenario {
        let scenario = Scenario.empty()
        scenario.start(.a, policy, options)
        return scenario
    }

    @Test("They come with didFinishLaunching, in the order given, and with nothing else")
    func info() {
        #expect(
            launched(LaunchOptions(info: [Info("url", "x"), Info("from", "mail")])).hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s foreground url=x from=mail quietly to 1",
                "a <- didBecomeActive #2 quietly to 1",
            ])
    }

    @Test("They come once")
    func once() {
        let scenario = launched(LaunchOptions(info: [Info("url", "x")]))
        scenario.hello()
        #expect(scenario.hello(connection: 2).isEmpty)
    }

    @Test("With --aware they come again when the launch is owed again")
    func again() {
        let scenario = launched(LaunchOptions(info: [Info("url", "x")]), .with { $0.requiresHello = true })
        scenario.hello()
        scenario.disconnect()
        #expect(
            scenario.after(.seconds(5)).hello(connection: 2)[1]
                == "a <- didFinishLaunching #3 15s foreground url=x to 2")
    }

    @Test("A launch into background says so")
    func background() {
        #expect(
            launched(LaunchOptions(inBackground: true, info: [Info("url", "x")])).hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s background url=x quietly to 1",
                "a <- didEnterBackground #2 5s quietly to 1",
            ])
    }

    // MARK: For a waking event

    @Test("A launch for a waking event is one into background")
    func wakingEvent() {
        #expect(forFetch.inBackground)
        #expect(launched(forFetch).state() == .background)
    }

    @Test("didFinishLaunching tells what for, then didEnterBackground, then the event")
    func order() {
        #expect(
            launched(forFetch).hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s background for fetch quietly to 1",
                "a <- didEnterBackground #2 5s quietly to 1", "a <- wake fetch #3 30s id=7 quietly to 1",
            ])
    }

    @Test("All three are owed, and when they are acknowledged it is suspended")
    func owed() {
        let scenario = launched(forFetch)
        scenario.hello()
        #expect(scenario.owed() == ["didFinishLaunching", "didEnterBackground", "fetch"])
        scenario.ack(1)
        #expect(scenario.ack(2) == ["note a didEnterBackground #2 acknowledged"])
        #expect(scenario.ack(3) == ["note a fetch #3 acknowledged", "suspend a", "a background -> suspended"])
    }

    @Test("The event not handled within its limit: background-fetch-timeout")
    func late() {
        let scenario = launched(forFetch)
        scenario.hello()
        scenario.ack(1)
        scenario.ack(2)
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.hasPrefix("kill a background-fetch-timeout") == true)
    }

    @Test("The event's time counts from its delivery, not from the launch")
    func fromDelivery() {
        let scenario = launched(forFetch)
        scenario.after(.seconds(20)).hello()
        scenario.ack(1)
        scenario.ack(2)
        #expect(scenario.untilDeadline == "30s")
    }

    @Test("A second event before the hello: both are heard")
    func second() {
        let scenario = launched(forFetch)
        scenario.wake("push")
        #expect(
            scenario.hello().suffix(2) == [
                "a <- wake fetch #3 30s id=7 quietly to 1", "a <- wake push #4 30s quietly to 1",
            ])
    }

    @Test("Opened before the hello: the event comes in the foreground, after didBecomeActive, and isn't owed")
    func opened() {
        let scenario = launched(forFetch)
        scenario.open()
        #expect(
            scenario.hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s background for fetch quietly to 1",
                "a <- didBecomeActive #2 quietly to 1", "a <- wake fetch #3 id=7 quietly to 1",
            ])
        #expect(scenario.owed() == ["didFinishLaunching"])
    }

    @Test("A plain app launched for an event runs for the wake limit")
    func plain() {
        let scenario = launched(forFetch)
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["suspend a", "a background -> suspended"])
    }

    @Test("A plain app launched for an event runs for --grace, if given")
    func plainGrace() {
        let scenario = launched(forFetch, .with { $0.grace = .seconds(2) })
        #expect(scenario.run(.milliseconds(1_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["suspend a", "a background -> suspended"])
    }

    @Test("With --aware it isn't suspended before its hello")
    func demanding() {
        let scenario = launched(
            forFetch,
            .with {
                $0.requiresHello = true
                $0.grace = .seconds(2)
            })
        #expect(scenario.run(.seconds(19)).isEmpty)
        #expect(scenario.state() == .background)
    }
}
