import CurfewCore
import CurfewEngine
import Testing

@Suite("The engine waits for the input of an app that is stopped")
struct EngineSleepTests {
    private static let news = InputNews(kind: "connection", text: "a connection to :6379", to: ":6379")

    private static func policy(whenIdle: Span? = nil, wakesForInput: Bool = true) -> Policy {
        .with {
            var sleep = SleepPolicy()
            sleep.whenIdle = whenIdle
            sleep.wakesForInput = wakesForInput
            $0.sleep = sleep
            $0.locks = .ignore
        }
    }

    private static func sleep(request: Int? = nil) -> Input {
        .app(.a, .sleep(stays: false, request: request.map { RequestID($0) }))
    }

    @Test("Who asked is answered once every descriptor is waited for, in as many turns as it takes")
    func inTurns() {
        let scenario = EngineScenario.running(Self.policy())
        scenario.kernel[.a].input = [.pending, .pending, .watched(obstacle: nil)]
        #expect(scenario.feed(Self.sleep(request: 1)).last == "watch input a")
        #expect(scenario.engine.nextDeadline == scenario.kernel.clock)
        #expect(!scenario.engine.isSettled)
        #expect(scenario.oversleep(.zero) == ["watch input a"])
        #expect(
            scenario.oversleep(.zero) == [
                "watch input a", #"record a note didSleep(by: "being asked")"#, "reply 1 state suspended",
            ])
        #expect(scenario.engine.nextDeadline == nil)
        #expect(scenario.engine.isSettled)
    }

    @Test("What is there at once wakes it before it slept")
    func atOnce() {
        let scenario = EngineScenario.running(Self.policy())
        scenario.kernel[.a].input = [.came(Self.news)]
        let lines = scenario.feed(Self.sleep(request: 1))
        #expect(lines.contains("resume a"))
        #expect(lines.last == "reply 1 state active")
        #expect(!lines.contains { $0.contains("didSleep") })
    }

    @Test("What comes resumes it, and nothing is waited for any more")
    func comes() {
        let scenario = EngineScenario.running(Self.policy())
        scenario.feed(Self.sleep())
        #expect(
            scenario.feed(.app(.a, .inputCame(Self.news))).only("resume", "state")
                == ["state a suspended to active", "resume a"])
        #expect(scenario.engine.core.app(.a)?.isAsleep == false)
    }

    @Test("Opened or ended while its descriptors are looked at, the rest of them isn't")
    func overtaken() {
        for (input, line) in [
            (Input.app(.a, .open(request: nil)), "resume a"), (.app(.a, .memoryLimitHit(bytes: 1)), "SIGKILL a"),
        ] {
            let scenario = EngineScenario.running(
                .with {
                    $0.sleep = Self.policy().sleep
                    $0.locks = .ignore
                    $0.memory = MemoryPolicy(
                        foreground: MemoryLimits(fatal: 1, soft: nil), background: MemoryLimits(fatal: 1, soft: nil),
                        isEnforcedByKernel: true)
                })
            scenario.kernel[.a].input = [.pending]
            scenario.feed(Self.sleep())
            #expect(scenario.feed(input).contains(line))
            #expect(scenario.oversleep(.zero).only("watch input") == [])
        }
    }

    @Test("Found idle, it is asked whether it ran on before it was stopped; put to sleep, it isn't")
    func ranOn() {
        let scenario = EngineScenario.running(Self.policy(whenIdle: .seconds(4)))
        scenario.kernel[.a].runsOn = 1
        scenario.feed(Self.sleep())
        #expect(scenario.engine.core.app(.a)?.isAsleep == true)
        scenario.feed(.app(.a, .open(request: nil)))
        #expect(
            scenario.pass(.seconds(5)).only("suspend", "ran on", "watch", "resume", "record a note")
                == ["suspend a", "ran on a", "resume a"])
        #expect(scenario.pass(.seconds(5)).contains("watch input a"))
    }

    @Test("Told to stay asleep, it isn't waited for any more")
    func stays() {
        let scenario = EngineScenario.running(Self.policy())
        scenario.kernel[.a].input = [.pending]
        scenario.feed(Self.sleep())
        #expect(scenario.feed(.app(.a, .sleep(stays: true, request: nil))).contains("unwatch input a"))
        #expect(scenario.oversleep(.zero) == [])
    }

    @Test("Its memory goes to swap once every descriptor is waited for")
    func pagedOut() {
        var policy = Self.policy()
        policy.pageOut = PageOutPolicy(delay: .zero, threshold: 0)
        let scenario = EngineScenario.running(policy)
        scenario.kernel[.a].input = [.pending, .watched(obstacle: nil)]
        #expect(scenario.feed(Self.sleep()).only("page out") == [])
        #expect(
            scenario.pass(.milliseconds(10)).only("watch input", "page out").prefix(2) == [
                "watch input a", "page out a from 0",
            ])
    }

    @Test("What can't be waited for keeps it awake, and who asked is told")
    func obstacle() {
        let scenario = EngineScenario.running(Self.policy())
        scenario.kernel[.a].input = [.watched(obstacle: "x")]
        let lines = scenario.feed(Self.sleep(request: 1))
        #expect(lines.contains("resume a"))
        #expect(lines.last == "reply 1 rejected inputUnwatched")
    }

    private static let socket = ListeningSocket(inode: 80, place: ":80")

    /// Asleep again, after it was woken for a connection that somebody else has taken.
    private func sharing() -> EngineScenario {
        let scenario = EngineScenario.running(Self.policy())
        scenario.feed(Self.sleep())
        scenario.kernel[.a].taken = [Self.socket]
        scenario.feed(.app(.a, .inputCame(InputNews(kind: "connection", text: "a connection", listener: Self.socket))))
        return scenario
    }

    @Test("What others have taken until it was continued is told the core, and it is looked again once it is time")
    func shared() {
        let scenario = sharing()
        #expect(scenario.engine.core.app(.a)?.holdsBack(Self.socket) == true)
        scenario.feed(Self.sleep())
        scenario.feed(.app(.a, .connectionWaits(Self.socket)))
        #expect(scenario.pass(.milliseconds(999)) == [])
        #expect(scenario.pass(.milliseconds(1)) == ["connection? a: no"])
        scenario.kernel[.a].backlog = [Self.socket]
        scenario.feed(.app(.a, .connectionWaits(Self.socket)))
        #expect(scenario.pass(.seconds(1)).only("connection", "resume") == ["connection? a: yes", "resume a"])
    }

    @Test("What is there at once where it has to wait, waits: it sleeps, and who asked is told so")
    func waitsAtOnce() {
        let scenario = sharing()
        scenario.kernel[.a].input = [.pending, .watched(obstacle: nil, waiting: [Self.socket])]
        scenario.feed(Self.sleep(request: 1))
        #expect(scenario.oversleep(.zero).last == "reply 1 state suspended")
        scenario.kernel[.a].backlog = [Self.socket]
        #expect(scenario.pass(.seconds(1)).only("connection", "resume") == ["connection? a: yes", "resume a"])
    }

    @Test("What waits there isn't looked for while its input is being looked at anew; once that is done, it is")
    func waitsMeanwhile() {
        let scenario = sharing()
        scenario.kernel[.a].input = [.pending]
        scenario.kernel[.a].backlog = [Self.socket]
        scenario.feed(Self.sleep())
        scenario.feed(.app(.a, .connectionWaits(Self.socket)))
        #expect(scenario.oversleep(.seconds(1)).only("connection") == [])
        scenario.kernel[.a].input = [.watched(obstacle: nil)]
        #expect(scenario.pass(.seconds(1)).only("connection", "resume") == ["connection? a: yes", "resume a"])
    }

    @Test("Woken by one of two, it isn't looked for the other")
    func twoAtOnce() {
        let scenario = sharing()
        let other = ListeningSocket(inode: 443, place: ":443")
        scenario.feed(.app(.a, .connectionTaken(other)))
        scenario.feed(Self.sleep())
        scenario.feed(.app(.a, .connectionWaits(Self.socket)))
        scenario.feed(.app(.a, .connectionWaits(other)))
        scenario.kernel[.a].backlog = [Self.socket, other]
        #expect(scenario.pass(.seconds(2)).only("connection", "resume") == ["connection? a: yes", "resume a"])
    }

    @Test("Its idleness is measured as often as the core asks, and no more once it sleeps")
    func idle() {
        let scenario = EngineScenario.running(Self.policy(whenIdle: .seconds(8)))
        let lines = scenario.pass(.seconds(10))
        #expect(
            lines.only("idle?", "who?") == [
                "idle? a", "idle? a since the last time", "idle? a", "idle? a", "idle? a",
            ])
        #expect(lines.only("suspend", "watch input") == ["suspend a", "watch input a"])
        #expect(scenario.pass(.seconds(3600)) == [])
    }

    @Test("Only of one that is busy it is looked up who works, and from when on is told the kernel")
    func busy() {
        let scenario = EngineScenario.running(Self.policy(whenIdle: .seconds(8)))
        scenario.kernel[.a].work = [.zero, .zero, .seconds(1)].map {
            IdleSample(cpuTime: $0, written: 0, processes: 1)
        }
        #expect(
            scenario.pass(.seconds(10)).only("idle?", "who?") == [
                "idle? a", "idle? a since the last time", "idle? a", "who? a", "idle? a since the last time", "idle? a",
            ])
        #expect(
            scenario.engine.core.app(.a)?.awakeReason
                == .cpu(used: .seconds(1), elapsed: .seconds(4), busiest: ProcessShare("sh (7)", .seconds(1))))
    }
}
