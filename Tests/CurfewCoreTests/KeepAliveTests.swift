import CurfewCore
import Testing

extension Scenario {
    /// The reply is to request 9.
    @discardableResult
    fileprivate func keepAlive(_ interval: Span?, _ app: AppID = .a) -> [String] {
        send(.app(app, .keepAlive(interval, request: RequestID(9))))
    }

    /// Asked for every 600 s, just before.
    fileprivate static func keptAlive(_ scenario: Scenario) -> Scenario {
        scenario.keepAlive(.seconds(600))
        return scenario
    }

    fileprivate var interval: Span? { supervisor.app(.a)?.keepAliveInterval }
    fileprivate var left: Span? { supervisor.app(.a)?.keepAliveLeft(at: Moment(now)) }
}

@Suite("Asking for keep-alive")
struct KeepAliveRequestTests {
    @Test("It is granted, and told of")
    func granted() {
        let scenario = Scenario.aware()
        #expect(scenario.keepAlive(.seconds(600)) == ["note a keep-alive every 600s", "reply 9: done"])
        #expect(scenario.interval == .seconds(600))
        #expect(scenario.left == .seconds(600))
    }

    @Test("Below the minimum it is refused, and what was asked for before holds")
    func tooShort() {
        let scenario = Scenario.keptAlive(.aware())
        #expect(scenario.keepAlive(.seconds(600) - Span(nanoseconds: 1)) == ["reply 9: error invalid"])
        #expect(scenario.keepAlive(Span(nanoseconds: -1)) == ["reply 9: error invalid"])
        #expect(scenario.interval == .seconds(600))
    }

    @Test("The minimum is 600 s up to iOS 7, and divided by the time scale", arguments: [Profile.ios4, .ios5, .ios7])
    func minimum(profile: Profile) {
        #expect(Policy(profile: profile).keepAliveMinimum == .seconds(600))
        #expect(Policy(profile: profile).scaled(by: 60).keepAliveMinimum == .seconds(10))
    }

    @Test("What the app asks for isn't divided")
    func scaled() {
        let scenario = Scenario.aware(Policy(profile: .ios4).scaled(by: 60))
        scenario.keepAlive(.seconds(10))
        #expect(scenario.interval == .seconds(10))
    }

    @Test("There is none under iOS 13; to end it is no mistake")
    func unsupported() {
        let scenario = Scenario.aware(Policy(profile: .ios13))
        #expect(scenario.keepAlive(.seconds(600)) == ["reply 9: error unsupported"])
        #expect(scenario.keepAlive(nil) == ["reply 9: done"])
    }

    @Test("None, zero and for ever end it", arguments: [nil, .zero, .infinite] as [Span?])
    func ended(interval: Span?) {
        let scenario = Scenario.keptAlive(.awareSuspended())
        #expect(scenario.keepAlive(interval) == ["note a no keep-alive", "reply 9: done"])
        #expect(scenario.interval == nil)
        #expect(scenario.run(.seconds(2_000)).isEmpty)
    }

    @Test("Asked again, a period begins anew, and the same interval is no news")
    func again() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        scenario.after(.seconds(500))
        #expect(scenario.keepAlive(.seconds(600)) == ["reply 9: done"])
        #expect(scenario.left == .seconds(600))
    }

    @Test("An app that is being ended, or over, has none")
    func terminating() {
        let scenario = Scenario.aware()
        scenario.quit()
        #expect(scenario.keepAlive(.seconds(600)) == ["reply 9: error terminating"])
    }

    @Test("It is the app's: it outlives the connection that asked")
    func connection() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        scenario.disconnect()
        #expect(scenario.interval == .seconds(600))
    }
}

@Suite("Being kept alive")
struct KeepAliveTests {
    private static let woken = [
        "note a woken by its keep-alive", "a suspended -> background", "resume a", "a <- didEnterBackground #5 5s to 1",
        "a <- wake keepAlive #6 30s to 1",
    ]

    @Test("A suspended app is woken when it is due, and not before")
    func due() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        #expect(scenario.run(.seconds(600) - Span(nanoseconds: 1)).isEmpty)
        #expect(scenario.run(Span(nanoseconds: 1)) == Self.woken)
    }

    @Test("Acknowledged, it is suspended again")
    func acknowledged() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        scenario.run(.seconds(600))
        scenario.ack(5)
        #expect(scenario.ack(6).last == "a background -> suspended")
    }

    @Test("Not acknowledged in 30 s, it is killed")
    func unacknowledged() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        scenario.run(.seconds(600))
        scenario.ack(5)
        #expect(
            scenario.run(.seconds(30)).first
                == "kill a background-fetch-timeout in background, event keepAlive, limit 30s, elapsed 30s, CPU 0s")
    }

    @Test("It comes again and again, each period from when the last was due")
    func repeated() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        for round in 0..<5 {
            #expect(scenario.run(.seconds(600)).last == "a <- wake keepAlive #\(6 + 2 * round) 30s to 1")
            scenario.ack(5 + 2 * round)
            scenario.ack(6 + 2 * round)
        }
    }

    @Test("A machine that comes late makes up for nothing")
    func late() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        scenario.after(.seconds(6_000)).tick()
        #expect(scenario.left == .seconds(600))
        #expect(scenario.tick().isEmpty)
    }

    @Test("In front it is told nothing, and the next period begins")
    func inFront() {
        let scenario = Scenario.keptAlive(.aware())
        #expect(scenario.run(.seconds(700)).isEmpty)
        #expect(scenario.left == .seconds(500))
    }

    @Test("In background, running, it is only told")
    func running() {
        let scenario = Scenario.keptAlive(.awareInBackground(.with { $0.backgroundBudget = .infinite }))
        #expect(scenario.run(.seconds(600)) == ["a <- wake keepAlive #5 30s to 1"])
    }

    @Test("One that hasn't seen to the last isn't told of another")
    func once() {
        let scenario = Scenario.keptAlive(.awareSuspended(.with { $0.wakeLimit = .infinite }))
        scenario.run(.seconds(600))
        scenario.ack(5)
        #expect(scenario.run(.seconds(600)).isEmpty)
        #expect(scenario.owed() == ["keepAlive"])
    }

    @Test("A plain app runs for the waking limit, and is suspended again")
    func plain() {
        let scenario = Scenario.keptAlive(.suspended())
        #expect(scenario.run(.seconds(600)).contains("resume a"))
        #expect(scenario.run(.seconds(30)).last == "a background -> suspended")
    }

    @Test("The grace of its home has nothing to do with that")
    func grace() {
        let scenario = Scenario.keptAlive(.suspended(.with { $0.grace = .zero }))
        #expect(scenario.run(.seconds(600)).last == "resume a")
    }

    @Test("A suspension that isn't confirmed yet is taken back")
    func unconfirmed() {
        let scenario = Scenario.keptAlive(.aware())
        scenario.confirmsSuspensions = false
        scenario.after(.seconds(599)).home()
        scenario.ack(4)
        #expect(scenario.after(.seconds(1)).tick().contains("resume a"))
    }

    @Test("It doesn't count towards the resume limit")
    func counted() {
        let scenario = Scenario.keptAlive(.awareSuspended(.with { $0.resumeLimit = 0 }))
        #expect(scenario.run(.seconds(600)).contains("resume a"))
    }

    @Test("It stands still while lifecycle time is held")
    func held() {
        let scenario = Scenario.keptAlive(.awareSuspended())
        #expect(scenario.supervisor.nextDeadline.lifecycle == scenario.now + .seconds(600))
    }

    @Test("Of an app that is being ended nothing comes due")
    func ending() {
        let scenario = Scenario.keptAlive(.awareInBackground(.with { $0.terminateLimit = .seconds(1_000) }))
        scenario.quit()
        #expect(!scenario.run(.seconds(700)).contains { $0.contains("keepAlive") })
    }

    @Test("One that ends where others are suspended is told while it runs")
    func exitsOnSuspend() {
        let scenario = Scenario.keptAlive(.aware(.with { $0.exitsOnSuspend = true }))
        scenario.after(.seconds(599)).home()
        #expect(scenario.run(.seconds(1)) == ["a <- wake keepAlive #4 30s to 1"])
    }
}

@Suite("Kept alive while asleep")
struct KeepAliveSleepTests {
    private func asleep(stays: Bool = false) -> Scenario {
        let scenario = Scenario.keptAlive(.aware())
        scenario.send(.app(.a, .sleep(stays: stays, request: nil)))
        return scenario
    }

    @Test("It is woken where it was, and told the same without a limit")
    func woken() {
        let scenario = asleep()
        #expect(
            scenario.run(.seconds(600)) == [
                "note a woken by its keep-alive", "a suspended -> active", "resume a", "a <- wake keepAlive #3 to 1",
            ])
        #expect(scenario.state() == .active)
    }

    @Test("Until it is opened means just that")
    func stays() {
        let scenario = asleep(stays: true)
        #expect(scenario.run(.seconds(2_000)).isEmpty)
        #expect(scenario.interval == .seconds(600))
    }

    @Test("Who is in front by then stays there, and it hears now that it has left")
    func otherInFront() {
        let scenario = asleep()
        scenario.start(.b)
        #expect(
            scenario.run(.seconds(600)).filter { $0.hasPrefix("a ") } == [
                "a suspended -> background", "a <- willResignActive #3 to 1", "a <- didEnterBackground #4 5s to 1",
                "a <- wake keepAlive #5 30s to 1",
            ])
        #expect(scenario.state(.b) == .active)
        #expect(scenario.state(.a) == .background)
    }

    @Test("The same where something else is heard of it before the tick")
    func overtaken() {
        let scenario = asleep()
        scenario.start(.b)
        scenario.after(.seconds(600)).send(.app(.a, .disconnected(ConnectionID(1))))
        #expect(scenario.state(.b) == .active)
        #expect(scenario.state(.a) == .background)
    }

    @Test("Opened at that very moment it has never left")
    func opened() {
        let scenario = asleep()
        scenario.start(.b)
        #expect(!scenario.after(.seconds(600)).open().contains { $0.contains("a <- willResignActive") })
        #expect(scenario.state() == .active)
    }

    @Test("A plain app that has slept through many hears of the last, once it is aware")
    func plain() {
        let scenario = Scenario.keptAlive(Scenario())
        for _ in 0..<5 {
            scenario.send(.app(.a, .sleep(stays: false, request: nil)))
            #expect(scenario.run(.seconds(600)).contains("note a woken by its keep-alive"))
        }
        #expect(scenario.hello().filter { $0.contains("keepAlive") }.count == 1)
    }

    @Test("Told in background twice, while it was plain, it hears of the last too; what it was launched for stays")
    func launchedForIt() {
        let options = LaunchOptions(inBackground: true, wakingEvent: PostedEvent(App.keepAliveEvent))
        let scenario = Scenario.empty()
        scenario.start(.a, .with { $0.backgroundBudget = .infinite }, options)
        scenario.begin()
        scenario.keepAlive(.seconds(600))
        scenario.run(.seconds(1_200))
        #expect(scenario.hello().filter { $0.contains("keepAlive") }.count == 3)
    }
}
