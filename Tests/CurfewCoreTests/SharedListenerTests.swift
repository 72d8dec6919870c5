import CurfewCore
import Testing

extension Policy {
    fileprivate static let sharing = Policy.with {
        var sleep = SleepPolicy()
        sleep.wakesForInput = true
        $0.sleep = sleep
    }
}

extension ListeningSocket {
    fileprivate static let http = ListeningSocket(inode: 80, place: ":80")
    fileprivate static let https = ListeningSocket(inode: 443, place: ":443")
}

extension Scenario {
    /// Asleep, its input waited for.
    @discardableResult
    fileprivate func sleep(stays: Bool = false) -> [String] {
        send(.app(.a, .sleep(stays: stays, request: nil))) + send(.app(.a, .inputWatched(obstacle: nil)))
    }

    /// A connection has come, as the engine tells of it: where it is held back it waits.
    @discardableResult
    fileprivate func connect(_ socket: ListeningSocket = .http) -> [String] {
        guard supervisor.app(.a)?.holdsBack(socket) == true else { return arrive(socket) }
        return send(.app(.a, .connectionWaits(socket)))
    }

    /// It is there for the app.
    @discardableResult
    fileprivate func arrive(_ socket: ListeningSocket = .http) -> [String] {
        let news = InputNews(
            kind: "connection", text: "a connection to \(socket.place ?? "")", to: socket.place, listener: socket)
        return send(.app(.a, .inputCame(news)))
    }

    @discardableResult
    fileprivate func taken(_ socket: ListeningSocket = .http) -> [String] {
        send(.app(.a, .connectionTaken(socket)))
    }

    /// Asleep, once another program was quicker than the app that was woken.
    fileprivate static func shared(_ policy: Policy = .sharing) -> Scenario {
        let scenario = Scenario(policy)
        scenario.sleep()
        scenario.connect()
        scenario.taken()
        scenario.sleep()
        return scenario
    }

    /// `:80 1s`, of each.
    fileprivate var delays: [String] {
        supervisor.app(.a)?.sharedListeners.map { "\($0.socket.place ?? "?") \(text($0.delay))" } ?? []
    }

    private static let look = "look for a connection to a at :80"
    fileprivate static let looks = [look]
}

@Suite("A listening socket at which programs outside accept too")
struct SharedListenerTests {
    @Test("As long as none was seen to be taken, each connection wakes the app at once")
    func unshared() {
        let scenario = Scenario(.sharing)
        for _ in 0..<3 {
            scenario.sleep()
            #expect(scenario.connect().first == "note a woken by a connection to :80")
        }
        #expect(scenario.delays == [])
    }

    @Test("Once one was taken, the next wakes it when it has waited for --quiet and is there yet")
    func heldBack() {
        let scenario = Scenario.shared()
        #expect(scenario.delays == [":80 1s"])
        #expect(scenario.connect() == [])
        #expect(scenario.untilWakeUp == "1s")
        #expect(scenario.run(.milliseconds(999)) == [])
        #expect(scenario.isAsleep)
        #expect(scenario.run(.milliseconds(1)) == Scenario.looks)
        #expect(scenario.isAsleep)
        #expect(scenario.arrive() == ["note a woken by a connection to :80", "a suspended -> active", "resume a"])
    }

    @Test("What another one has taken meanwhile wakes nobody, and nothing more is looked for until another comes")
    func takenMeanwhile() {
        let scenario = Scenario.shared()
        for _ in 0..<5 {
            scenario.connect()
            #expect(scenario.run(.seconds(1)) == Scenario.looks)
            #expect(scenario.taken() == [])
            #expect(scenario.run(.seconds(3600)) == [])
            #expect(scenario.untilWakeUp == nil)
        }
        #expect(scenario.isAsleep)
        // It was no wake for nothing.
        #expect(scenario.delays == [":80 1s"])
    }

    @Test("More that come while one waits wait no longer than that")
    func more() {
        let scenario = Scenario.shared()
        scenario.connect()
        scenario.run(.milliseconds(700))
        scenario.connect()
        #expect(scenario.run(.milliseconds(300)) == Scenario.looks)
    }

    @Test("Each wake for nothing doubles the time, to a minute at most")
    func doubling() {
        let scenario = Scenario.shared()
        for delay in ["2s", "4s", "8s", "16s", "32s", "60s", "60s"] {
            scenario.connect()
            #expect(scenario.run(.seconds(60)) == Scenario.looks)
            scenario.arrive()
            scenario.taken()
            #expect(scenario.delays == [":80 " + delay])
            scenario.sleep()
        }
        scenario.connect()
        #expect(scenario.untilWakeUp == "60s")
    }

    @Test("It is --quiet at the least, and no less for being more than a minute; --time-scale divides both")
    func scale() {
        var policy = Policy.sharing
        policy.sleep?.quiet = .seconds(90)
        let long = Scenario.shared(policy)
        long.connect()
        long.run(.seconds(90))
        long.arrive()
        long.taken()
        #expect(long.delays == [":80 90s"])
        policy.sleep?.quiet = .seconds(1)
        let scaled = Scenario.shared(policy.scaled(by: 10))
        for _ in 0..<10 {
            scaled.connect()
            scaled.run(.seconds(9))
            scaled.arrive()
            scaled.taken()
            scaled.sleep()
        }
        #expect(scaled.delays == [":80 6s"])
    }

    @Test("One that was left to the app ends it: the next wakes it at once, and the one after that")
    func leftToIt() {
        let scenario = Scenario.shared()
        scenario.connect()
        scenario.run(.seconds(1))
        scenario.arrive()
        #expect(scenario.delays == [])
        for _ in 0..<2 {
            scenario.sleep()
            #expect(scenario.connect().contains("resume a"))
        }
    }

    @Test("Taken after that, the time begins anew with --quiet")
    func anew() {
        let scenario = Scenario.shared()
        for _ in 0..<2 {
            scenario.connect()
            scenario.run(.seconds(60))
            scenario.arrive()
            scenario.taken()
            scenario.sleep()
        }
        #expect(scenario.delays == [":80 4s"])
        scenario.connect()
        scenario.run(.seconds(4))
        scenario.arrive()
        scenario.sleep()
        scenario.connect()
        scenario.taken()
        #expect(scenario.delays == [":80 1s"])
    }

    @Test("Taken while the app sleeps once more, when it is woken by something else, too: it was no wake for nothing")
    func anewBesides() {
        let scenario = Scenario.shared()
        for _ in 0..<2 {
            scenario.connect()
            scenario.run(.seconds(60))
            scenario.arrive()
            scenario.taken()
            scenario.sleep()
        }
        scenario.connect()
        scenario.run(.seconds(4))
        scenario.arrive()
        scenario.sleep()
        scenario.open()
        scenario.taken()
        #expect(scenario.delays == [":80 1s"])
    }

    @Test("What was left unread and is taken while the app sleeps tells of it too, and is no wake for nothing")
    func unread() {
        let scenario = Scenario(.sharing)
        scenario.sleep()
        scenario.open()
        scenario.taken()
        #expect(scenario.delays == [":80 1s"])
        scenario.sleep()
        scenario.open()
        scenario.taken()
        #expect(scenario.delays == [":80 1s"])
    }

    @Test(
        "Other input wakes it as ever, and so does a connection by another socket; what waits is the app's to see then")
    func otherInput() {
        for wake in [
            Input.app(.a, .inputCame(InputNews(kind: "data", text: "data in a pipe"))),
            .app(.a, .inputCame(InputNews(kind: "connection", text: "a connection", listener: .https))),
            .app(.a, .open(request: nil)),
        ] {
            let scenario = Scenario.shared()
            scenario.connect()
            #expect(scenario.send(wake).contains("resume a"))
            #expect(scenario.run(.seconds(60)) == [])
            // Asleep again, it is there at once, and waits anew.
            scenario.sleep()
            #expect(scenario.untilWakeUp == nil)
            scenario.connect()
            #expect(scenario.untilWakeUp == "1s")
        }
    }

    @Test("Opened while one waits, and stopped before it can have seen it, it isn't taken to have left it on purpose")
    func unseen() {
        for (waits, stays) in [(true, false), (true, true), (false, false)] {
            let scenario = Scenario(.sharing)
            scenario.sleep()
            scenario.connect()
            scenario.taken()
            scenario.run(.seconds(1))
            scenario.sleep()
            if waits { scenario.connect() }
            if stays { scenario.sleep(stays: true) }
            scenario.open()
            #expect(scenario.sleep().contains("watch input of a" + (waits ? " afresh" : "")))
            scenario.open()
            scenario.run(.seconds(1))
            #expect(scenario.sleep().contains("watch input of a"))
        }
    }

    @Test("Two sockets have a time each")
    func two() {
        let scenario = Scenario.shared()
        scenario.taken(.https)
        #expect(scenario.delays == [":80 1s", ":443 1s"])
        scenario.connect()
        scenario.run(.milliseconds(400))
        scenario.connect(.https)
        #expect(scenario.run(.milliseconds(600)) == Scenario.looks)
        scenario.taken()
        #expect(scenario.run(.milliseconds(400)) == ["look for a connection to a at :443"])
        scenario.arrive(.https)
        #expect(scenario.delays == [":80 1s"])
    }

    @Test("Told to stay asleep, it isn't looked for any more")
    func stays() {
        let scenario = Scenario.shared()
        scenario.connect()
        scenario.sleep(stays: true)
        #expect(scenario.run(.seconds(60)) == [])
    }

    @Test("At home it is the same, in background")
    func atHome() {
        let scenario = Scenario.shared()
        scenario.home()
        scenario.send(.app(.a, .inputWatched(obstacle: nil)))
        scenario.connect()
        #expect(scenario.run(.seconds(1)) == Scenario.looks)
        #expect(scenario.arrive().contains("a suspended -> background"))
    }

    @Test("One that waits by a socket that isn't held back is looked for at once: nothing is lost")
    func notHeldBack() {
        let scenario = Scenario(.sharing)
        scenario.sleep()
        #expect(scenario.send(.app(.a, .connectionWaits(.http))) == Scenario.looks)
    }

    @Test("For one that runs nothing waits")
    func running() {
        let scenario = Scenario.shared()
        scenario.open()
        #expect(scenario.connect() == [])
        #expect(scenario.run(.seconds(60)) == [])
    }

    @Test("Of more than 16 the first are forgotten")
    func bounded() {
        let scenario = Scenario(.sharing)
        for inode in 1...20 { scenario.taken(ListeningSocket(inode: UInt64(inode), place: "\(inode)")) }
        #expect(scenario.delays == (5...20).map { "\($0) 1s" })
    }

    @Test("Of more than 16 none is forgotten at which a connection waits: it is looked for in its time")
    func boundedWhileOneWaits() {
        let scenario = Scenario(.sharing)
        let sockets = (1...18).map { ListeningSocket(inode: UInt64($0), place: "\($0)") }
        for socket in sockets[..<16] { scenario.taken(socket) }
        scenario.sleep()
        scenario.connect(sockets[0])
        scenario.taken(sockets[16])
        let delays = ([1] + Array(3...17)).map { "\($0) 1s" }
        #expect(scenario.delays == delays)
        #expect(scenario.run(.seconds(1)) == ["look for a connection to a at 1"])
        for socket in [sockets[0]] + Array(sockets[2...16]) { scenario.connect(socket) }
        scenario.taken(sockets[17])
        #expect(scenario.delays == delays)
        #expect(scenario.run(.seconds(1)).count == 16)
        #expect(scenario.connect(sockets[17]).first == "note a woken by a connection to 18")
    }

    @Test("Held time stands still for it, and goes on by hand")
    func heldTime() {
        let scenario = Scenario.shared()
        scenario.connect()
        let later = Moment(lifecycle: scenario.now, real: scenario.now + .seconds(3600))
        var supervisor = scenario.supervisor
        #expect(supervisor.handle(.machine(.tick), at: later) == [])
        #expect(supervisor.nextDeadline.lifecycle == scenario.now + .seconds(1))
        let moved = Moment(lifecycle: scenario.now + .seconds(1), real: scenario.now)
        #expect(supervisor.handle(.machine(.tick), at: moved).map { line($0) } == Scenario.looks)
    }
}
