import CurfewCore
import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("Journal and replay")
struct JournalTests {
    /// A policy in which no value is what another profile or default has.
    private static let policy = Policy.with {
        $0.backgroundBudget = .milliseconds(1_234)
        $0.expirationLead = .milliseconds(2_345)
        $0.enterBackgroundLimit = .milliseconds(3_456)
        $0.terminateLimit = .milliseconds(4_567)
        $0.launchLimit = .milliseconds(5_678)
        $0.wakeLimit = .milliseconds(6_789)
        $0.processingLimit = .milliseconds(6_987)
        $0.timeLimit = .milliseconds(7_891)
        $0.timeout = TimeoutPolicy(signal: 3, killAfter: .seconds(8), sparesDescendants: true, preservesStatus: true)
        $0.keepAliveMinimum = .milliseconds(9_876)
        $0.grace = Span(nanoseconds: 1)
        $0.handlerGrace = Span(nanoseconds: 2)
        $0.watchdogInterval = .seconds(9)
        $0.memory = MemoryPolicy(
            foreground: MemoryLimits(fatal: .max, soft: 5), background: MemoryLimits(fatal: 4, soft: 3),
            isEnforcedByKernel: true)
        $0.backgroundCPU = CPUPolicy(limit: .seconds(2), window: .seconds(3), action: .throttle, processors: 5)
        $0.locks = .defer
        $0.lockWait = .milliseconds(8_912)
        $0.pageOut = PageOutPolicy(delay: .seconds(4), threshold: 6)
        $0.resumeLimit = 7
        $0.resumeWindow = .milliseconds(9_123)
        var sleep = SleepPolicy()
        sleep.whenIdle = .milliseconds(1_345)
        sleep.isForced = true
        sleep.idleCPU = 20_001
        sleep.wakesForInput = true
        sleep.quiet = .milliseconds(2_456)
        sleep.countsResumptions = true
        sleep.exitsWhenIdle = true
        sleep.longestDelay = .milliseconds(3_567)
        $0.sleep = sleep
        $0.yieldsInBackground = true
        $0.requiresHello = true
        $0.terminateSuspended = .wake
        $0.terminateSignal = 2
        $0.exitsOnSuspend = true
        $0.announcesEvents = true
        $0.waitsForTree = true
    }

    private static let busySample = {
        var sample = IdleSample(cpuTime: .seconds(1), written: 9, processes: 2)
        sample.busiest = ProcessShare("a \"b\" (7)", .milliseconds(3))
        sample.writer = ProcessShare("cat (8)", .max)
        sample.newcomer = "sleep (9)"
        return sample
    }()

    private static let inputs: [Input] = [
        .app(.a, .launch(policy, LaunchOptions(wakingEvent: PostedEvent("fetch"), info: [Info("url", "a \"b\" c\n")]))),
        .app(.a, .launch(Policy(profile: .ios13), LaunchOptions())),
        .app(.a, .started),
        .app(.a, .leaderExited(.exited(code: 255))),
        .app(.a, .leaderExited(.signaled(signal: 64, dumpedCore: true))),
        .app(.a, .leftBehind),
        .app(.a, .reaperLost),
        .app(.a, .treeGone),
        .app(.a, .stillThere),
        .app(.a, .killIncomplete),
        .app(.a, .abandoned),
        .app(.a, .home(stopped: true, request: nil)),
        .app(.a, .home(stopped: false, request: RequestID(7))),
        .app(.a, .open(request: RequestID(1))),
        .app(.a, .stoppedByTerminal),
        .app(.a, .quit(request: nil)),
        .app(.a, .sleep(stays: true, request: RequestID(9))),
        .app(.a, .sleep(stays: false, request: nil)),
        .app(.a, .inputWatched(obstacle: nil)), .app(.a, .ranOn),
        .app(.a, .inputWatched(obstacle: "node (7): files of an io_uring: \"x\"")),
        .app(.a, .inputCame(InputNews(kind: "data", text: "data from [::1]:5", from: "[::1]:5", to: ":80"))),
        .app(.a, .inputCame(InputNews(kind: "pipe", text: "data in a pipe"))),
        .app(
            .a,
            .inputCame(
                InputNews(
                    kind: "connection", text: "a connection to :80", to: ":80",
                    listener: ListeningSocket(inode: .max, place: ":80")))),
        .app(.a, .connectionWaits(ListeningSocket(inode: 7, place: "/run/a \"b\""))),
        .app(.a, .connectionTaken(ListeningSocket(inode: 0, place: nil))),
        .app(
            .a,
            .idlenessMeasured(
                IdleSample(cpuTime: .seconds(1), written: .max, processes: 2, terminal: 3, obstacle: "cat (7) waits"))),
        .app(.a, .idlenessMeasured(IdleSample(cpuTime: .zero, written: 0, processes: 0))),
        .app(.a, .idlenessMeasured(busySample)),
        .app(.a, .signalled(15, isHeard: true)),
        .app(.a, .interrupt(request: RequestID(2))),
        .app(.a, .dismiss(request: nil)),
        .app(.a, .post(PostedEvent("settingsDidChange", [Info("path", ""), Info("exists", "false")]), request: nil)),
        .app(.a, .wake(PostedEvent("fetch", [Info("name", "input at=1")]), request: RequestID(3))),
        .app(.a, .hello(ConnectionID(4))),
        .app(.a, .disconnected(ConnectionID(4))),
        .app(.a, .acknowledge(sequence: -1)),
        .app(.a, .beginTask(name: "", owner: OwnerID(0), connection: nil, request: RequestID(5))),
        .app(.a, .beginTask(name: "né\u{0}e\n", owner: OwnerID(3), connection: ConnectionID(1), request: RequestID(5))),
        .app(.a, .endTask(TaskID(6), request: RequestID(6))),
        .app(.a, .ownerExited(OwnerID(3))),
        .app(.a, .keepAlive(nil, request: RequestID(7))),
        .app(.a, .keepAlive(.seconds(600), request: RequestID(8))),
        .app(.a, .notified(.ready)),
        .app(.a, .notified(.stopping)),
        .app(.a, .notified(.extendTimeout(.infinite))),
        .app(.a, .notified(.alive)),
        .app(.a, .notified(.broken)),
        .app(.a, .notified(.watchdogInterval(nil))),
        .app(.a, .notified(.watchdogInterval(.seconds(1)))),
        .app(.a, .suspensionConfirmed),
        .app(.a, .suspensionPending),
        .app(.a, .suspensionIncomplete),
        .app(.a, .pageOutPending),
        .app(.a, .footprintMeasured(bytes: .max)),
        .app(.a, .memoryLimitHit(bytes: 0)),
        .app(.a, .tracerChecked(isTraced: true)),
        .app(.a, .cpuTimeMeasured(.seconds(1))),
        .app(.a, .warn(.critical, request: RequestID(8))),
        .app(.a, .memoryMarkReached(bytes: 1)),
        .app(.a, .memoryMarkArmed(true)),
        .app(.a, .locksChecked([])),
        .app(
            .a,
            .locksChecked([
                FileLock(path: "/a \"b\"\n", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false),
                FileLock(path: "", kind: "OFD", isWrite: false, pid: -1, isWaitedFor: true),
            ])),
        .machine(.watchMemory(low: .max, sustained: .infinite, isToldOfStalls: true)),
        .machine(.availableMemoryMeasured(.max, isStalling: true)),
        .machine(.pressureSimulated(.critical)),
        .machine(.watchDisk(low: 1)),
        .machine(.freeDiskMeasured(2)), .machine(.joined(AppID(7), .opened)), .machine(.joined(AppID(7), .wentHome)),
        .machine(.joined(AppID(7), .left)),
        .machine(.tick),
    ]

    @Test("An input comes back as it was", arguments: inputs)
    func roundTrip(_ input: Input) throws {
        let recorded = RecordedInput(input: input, at: Moment(Instant(nanoseconds: .max - 1)))
        let message = try #require(try Message.parse(text(recorded.message)))
        #expect(RecordedInput(message) == recorded)
    }

    @Test("Every field that is missing makes a line unreadable, or something else", arguments: inputs)
    func missingFields(_ input: Input) {
        let recorded = RecordedInput(
            input: input, at: Moment(lifecycle: Instant(nanoseconds: 5), real: Instant(nanoseconds: 7)))
        for index in recorded.message.fields.indices {
            var message = recorded.message
            message.fields.remove(at: index)
            #expect(RecordedInput(message) != recorded, "without \(recorded.message.fields[index].key)")
        }
    }

    @Test("Nothing of a line is cut, however long it is")
    func long() throws {
        let recorder = JournalRecorder()
        let scenario = EngineScenario()
        scenario.engine.journal = recorder
        let info = (0..<16).map { Info("key\($0)", String(repeating: "x", count: 1000)) }
        scenario.engine.launch(.a, Policy(profile: .ios4), LaunchOptions(info: info))
        let message = try #require(try Message.parse(recorder.lines[1]))
        #expect(message.info == info)
    }

    // MARK: Replaying

    /// What an engine writes of a short life.
    private static func recorded() -> [String] {
        let recorder = JournalRecorder()
        let scenario = EngineScenario()
        scenario.engine.journal = recorder
        scenario.start(.a)
        scenario.home(request: 1)
        scenario.open(request: 2)
        return recorder.lines
    }

    private static func replay(_ lines: [String]) throws(JournalReplay.Unreadable) -> JournalReplay {
        var replay = JournalReplay()
        for line in lines { _ = try replay.take(line) }
        replay.finish()
        return replay
    }

    @Test("What was recorded comes out again")
    func same() throws {
        #expect(try Self.replay(Self.recorded()).difference == nil)
    }

    @Test("A journal of before the core knew of retries comes out as it was recorded", arguments: OlderJournal.all)
    func older(_ journal: OlderJournal) throws {
        let replay = try Self.replay(journal.lines)
        #expect(replay.difference == nil)
    }

    @Test("What a stop, a kill and a page-out take comes out again")
    func retries() throws {
        let recorder = JournalRecorder()
        let scenario = EngineScenario()
        scenario.engine.journal = recorder
        scenario.start(.a, .with { $0.pageOut = PageOutPolicy(delay: .seconds(1), threshold: 0) })
        scenario.kernel[.a].stops = .never
        scenario.kernel[.a].pieces = .after(2)
        scenario.kernel[.a].dies = .never
        scenario.home(stopped: true)
        scenario.pass(.seconds(2))
        scenario.feed(.app(.a, .quit(request: nil)))
        scenario.pass(.seconds(20))
        for word in ["suspensionPending", "suspensionIncomplete", "pageOutPending", "stillThere", "killIncomplete"] {
            #expect(recorder.lines.contains { $0.contains("name=\(word) ") }, "\(word)")
        }
        #expect(recorder.lines.last?.contains("name=ended app=1 state=suspended status=137 reason=user-quit") == true)
        #expect(recorder.lines.last?.contains("complete=false") == true)
        #expect(try Self.replay(recorder.lines).difference == nil)
    }

    @Test("What was measured is shown as it stands, and changes nothing")
    func measured() throws {
        let measured = "measured at=1000000000001 real=7 app=1 footprint=4096 cpu=1000"
        var replay = try Self.replay(Self.recorded())
        #expect(try replay.take(measured) == [measured])
        let lines = Self.recorded().flatMap { $0.hasPrefix("input") ? [measured, $0] : [$0] } + [measured]
        #expect(lines.count > Self.recorded().count + 3)
        #expect(try Self.replay(lines).difference == nil)
    }

    @Test("It prints the inputs, and below each what follows")
    func printed() throws {
        var replay = JournalReplay()
        let printed = try Self.recorded().flatMap { line throws(JournalReplay.Unreadable) in try replay.take(line) }
        #expect(printed[0].hasPrefix("input at=1000000000000 name=launch app=1 budget=600000000000"))
        #expect(printed[1] == "input at=1000000000000 name=started app=1")
        #expect(printed[2] == "    effect name=stateChanged app=1 from=notRunning to=active")
    }

    @Test("An effect that was another is found, with its line")
    func changed() throws {
        var lines = Self.recorded()
        let index = try #require(lines.firstIndex { $0.contains("to=background") })
        lines[index] = lines[index].replacing("to=background", with: "to=inactive")
        let difference = try Self.replay(lines).difference
        #expect(difference?.line == index + 1)
        #expect(difference?.recorded?.contains("to=inactive") == true)
        #expect(difference?.replayed?.contains("to=background") == true)
    }

    @Test("So is one that is missing, and one too many")
    func missing() throws {
        let lines = Self.recorded()
        let index = try #require(lines.firstIndex { $0.contains("name=suspend ") })
        var shorter = lines
        shorter.remove(at: index)
        #expect(try Self.replay(shorter).difference?.replayed?.contains("name=suspend ") == true)
        var longer = lines
        longer.insert(lines[index], at: index)
        #expect(try Self.replay(longer).difference?.line == index + 2)
    }

    @Test("A journal whose end is missing isn't at its end; only who says it is whole finds a difference")
    func cut() throws {
        let lines = Self.recorded()
        let index = try #require(lines.lastIndex { $0.hasPrefix("input") })
        var replay = JournalReplay()
        for line in lines[...index] { _ = try replay.take(line) }
        #expect(replay.difference == nil)
        #expect(!replay.isAtEnd)
        replay.finish()
        #expect(replay.difference != nil)
    }

    @Test(
        "What is no journal is refused with its line",
        arguments: [
            (["hello version=1"], 1, "it doesn't begin as a journal of `curfew run --journal` does"),
            (["root:x:0:0"], 1, "it doesn't begin as a journal of `curfew run --journal` does"),
            (["curfew-journal version=2"], 1, "its version is 2; this curfew reads 1"),
            (["curfew-journal version=1", "input at=x name=tick"], 2, "this input can't be read, or can't come here"),
            (["curfew-journal version=1", "input at=1 name=home"], 2, "this input can't be read, or can't come here"),
            (["curfew-journal version=1", "output at=1"], 2, "\"output\" is neither input nor effect"),
            (["curfew-journal version=1", "input \"x"], 2, "byte 6: a field is KEY=VALUE"),
        ])
    func refused(_ lines: [String], _ line: Int, _ problem: String) {
        let error = #expect(throws: JournalReplay.Unreadable.self) { try Self.replay(lines) }
        #expect(error?.line == line)
        if !problem.hasPrefix("byte") { #expect(error?.problem == problem) }
    }

    @Test("A second launch of the same app is refused, not trapped on")
    func launchedTwice() throws {
        let lines = Self.recorded()
        let launch = try #require(lines.first { $0.contains("name=launch") })
        #expect(throws: JournalReplay.Unreadable.self) { try Self.replay(lines + [launch]) }
    }
}
