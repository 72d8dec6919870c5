import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a server decides")
struct ServeHostTests {
    private let scene = ServeScene()
    private var host: ServeHost { scene.host }

    private static let term = ExitOutcome.signaled(signal: SIGTERM, dumpedCore: false)

    // MARK: Launching

    @Test("What is launched comes to the front, is listed, linked and kept; who was in front goes home")
    func launch() {
        scene.launch("mail")
        #expect(scene.front == ["mail"])
        scene.launch("music")
        #expect(scene.front == ["music"])
        #expect(scene.state("mail")?.isForeground == false)
        #expect(scene.listed == ["music", "mail"])
        #expect(scene.linked == ["mail", "music"])
        #expect(
            scene.records?.noted.filter { $0.hasPrefix("launch") } == [
                "launch mail 1 to front", "launch music 1 to front",
            ])
    }

    @Test("Into background it leaves the front as it is, and once in the list it keeps its place there")
    func launchInBackground() {
        scene.launch("mail")
        scene.launch("music", "background=1")
        #expect(scene.front == ["mail"])
        #expect(scene.records?.noted.last == "launch music 1")
        // In front already, it is the most recent one all the same.
        scene.ask("open id=1 app=mail")
        #expect(scene.listed == ["mail", "music"])
        scene.end("music")
        scene.launch("music", "background=1")
        #expect(scene.front == ["mail"])
        #expect(scene.listed == ["mail", "music"])
    }

    @Test(
        "What can't be launched as it was asked for is refused, and is no app",
        arguments: [
            ("launch id=1", "invalid"), ("launch id=1 app=unknown", "no-app"), ("launch id=1 app=broken", "invalid"),
            ("launch id=1 app=tool wake=didBecomeActive", "invalid"), ("launch id=1 app=tool option.1a=1", "invalid"),
            ("launch id=1 app=journal", "invalid"), ("launch id=1 order=../x", "invalid"),
            ("launch id=1 order=none", "invalid"),
        ])
    func refused(request: String, code: String) {
        scene.definitions.define("tool")
        scene.definitions.define("journal") { $0.journalPath = "x" }
        scene.definitions.broken = ["broken"]
        #expect(scene.code(request) == code)
        #expect(scene.listed == [])
        #expect(scene.linked == [])
        #expect(scene.programs.started == 0)
    }

    @Test("What runs isn't launched twice, here or elsewhere")
    func running() {
        let app = scene.launch("mail")
        #expect(scene.code("launch id=1 app=mail") == "running")
        #expect(host.app(called: "mail") == app)
        #expect(symlink("server/home.sock", host.directory.socketPath("other")) == 0)
        scene.definitions.define("other")
        #expect(scene.code("launch id=1 app=other") == "running")
        #expect(scene.programs.started == 1)
    }

    @Test("A bare command is launched by its order, which is taken away, and is known as long as it is in the list")
    func order() {
        let path = scene.leaveOrder("7.order", "name=tool", "command=make")
        #expect(scene.ask("launch id=1 order=7.order").first?.hasPrefix("ok id=1 app=tool pid=") == true)
        #expect(ScratchFolder.mode(path) == nil)
        scene.end("tool")
        #expect(scene.ask("open id=2 app=tool").first?.hasPrefix("ok id=2 app=tool ") == true)
        scene.end("tool")
        scene.ask("remove id=3 app=tool")
        scene.records?.answer(.done)
        host.recordsAnswered()
        #expect(scene.code("open id=4 app=tool") == "no-app")
    }

    @Test("One that is known and doesn't run is said to; one that nobody knows isn't there")
    func notRunning() {
        #expect(scene.code("status id=1 app=mail") == "no-app")
        #expect(scene.code("history id=1 app=mail") == "no-app")
        scene.definitions.define("mail")
        #expect(scene.code("status id=1 app=mail") == "not-running")
        scene.launch("mail")
        #expect(scene.code("status id=1 app=mail") == nil)
        scene.end("mail")
        #expect(scene.code("status id=1 app=mail") == "not-running")
        #expect(scene.code("history id=1 app=mail") == nil)
    }

    @Test("A launch that fails leaves all as it was")
    func failed() {
        scene.launch("mail")
        scene.definitions.define("music")
        let noted = scene.records?.noted
        scene.programs.error = SpawnError(stage: .exec, errno: ENOENT)
        for _ in 0..<3 {
            #expect(scene.code("launch id=1 app=music") == "failed")
            #expect(scene.code("open id=1 app=music") == "failed")
        }
        #expect(scene.front == ["mail"])
        #expect(scene.state("mail") == .active)
        #expect(scene.listed == ["mail"])
        #expect(scene.linked == ["mail"])
        #expect(scene.records?.noted == noted)
        #expect(host.apps.runningCount == 1)
        #expect(host.kernel.instances.all.count == 1)
        #expect(host.control?.sessions.filter(\.isInherited).count == 1)
        scene.programs.error = nil
        #expect(scene.code("launch id=1 app=music") == nil)
        #expect(scene.entry("music")?.launches == 1)
    }

    @Test("One that has ended is the same one still when it can't be launched again")
    func failedAgain() {
        scene.launch("mail")
        scene.end("mail", .exited(code: 3))
        scene.programs.error = SpawnError(stage: .exec, errno: ENOENT)
        #expect(scene.code("open id=1 app=mail") == "failed")
        #expect(scene.ask("apps id=1").first?.contains("launches=1 ended=exit status=3") == true)
    }

    // MARK: The front

    @Test("Opened it comes to the front, launched or not, and is the most recent one")
    func open() {
        scene.launch("mail")
        scene.launch("music")
        #expect(scene.ask("open id=1 app=mail") == ["ok id=1 state=active"])
        #expect(scene.front == ["mail"])
        #expect(scene.listed == ["mail", "music"])
        scene.end("music")
        #expect(scene.ask("open id=2 app=music").first?.hasSuffix("state=active") == true)
        #expect(scene.front == ["music"])
        #expect(scene.entry("music")?.launches == 2)
        #expect(scene.code("open id=3 app=nobody") == "no-app")
        #expect(scene.front == ["music"])
    }

    @Test("Home without a name is whoever is in front, and there may be none")
    func home() {
        #expect(scene.code("home id=1") == "no-app")
        scene.launch("mail")
        #expect(scene.ask("home id=2").first?.hasPrefix("ok id=2 state=") == true)
        #expect(scene.front == [])
        #expect(scene.code("home id=3") == "no-app")
        #expect(scene.code("home id=4 app=nobody") == "no-app")
    }

    @Test("Switching goes to and fro between the last two that run")
    func switching() {
        #expect(scene.code("switch id=1") == "no-app")
        scene.launch("mail")
        #expect(scene.code("switch id=2") == "no-app")
        scene.launch("music")
        #expect(scene.ask("switch id=3") == ["ok id=3 app=mail"])
        #expect(scene.front == ["mail"])
        #expect(scene.ask("switch id=4") == ["ok id=4 app=music"])
        scene.end("mail")
        #expect(scene.code("switch id=5") == "no-app")
        #expect(scene.front == ["music"])
    }

    @Test("One that is being ended isn't opened, nor switched to, and that is said; once it has gone it is launched")
    func openWhileEnding() {
        for name in ["news", "mail"] { scene.launch(name) }
        scene.ask("quit id=1 app=mail")
        let noted = scene.records?.noted
        #expect(scene.code("open id=2 app=mail") == "terminating")
        #expect(scene.records?.noted == noted)
        scene.launch("music")
        #expect(scene.code("open id=3 app=mail") == "terminating")
        #expect(scene.front == ["music"])
        #expect(scene.listed == ["music", "mail", "news"])
        #expect(scene.ask("switch id=4") == ["ok id=4 app=news"])
        scene.end("mail", Self.term)
        #expect(scene.ask("open id=5 app=mail").first?.hasPrefix("ok id=5 app=mail ") == true)
        #expect(scene.front == ["mail"])
        #expect(scene.entry("mail")?.launches == 2)
    }

    @Test("As many are in front as there are places; whoever was opened longest ago makes room")
    func places() {
        let scene = ServeScene(foregroundPlaces: 2)
        for name in ["mail", "music", "news"] { scene.launch(name) }
        #expect(Set(scene.front) == ["news", "music"])
        // Opened where it is it is the most recent one all the same.
        #expect(scene.ask("open id=1 app=music") == ["ok id=1 state=active"])
        #expect(scene.listed == ["music", "news", "mail"])
        #expect(scene.records?.noted.last == "open music")
    }

    // MARK: Ends

    @Test("Quit it stays in the list, and isn't launched again")
    func quit() {
        scene.launch("mail", restart: .always)
        scene.ask("quit id=1 app=mail")
        scene.end("mail", Self.term)
        #expect(scene.listed == ["mail"])
        #expect(scene.linked == [])
        #expect(scene.records?.noted.last == "end mail 1 user-quit")
        #expect(host.hostsDeadline == nil)
    }

    @Test(
        "Removed it is off the list once it has ended and that is kept; what is asked after that is answered after that"
    )
    func remove() {
        scene.launch("mail", restart: .always)
        #expect(scene.ask("remove id=1 app=mail") == [])
        #expect(scene.ask("server id=2") == [])
        #expect(scene.ask("server id=1", by: scene.client()).count == 1)
        scene.end("mail", Self.term)
        #expect(scene.read() == [])
        #expect(scene.listed == ["mail"])
        scene.records?.answer(.done)
        host.recordsAnswered()
        #expect(scene.read().map { $0.prefix(7) } == ["ok id=1", "ok id=2"])
        #expect(scene.listed == [])
        #expect(host.hostsDeadline == nil)
    }

    @Test("A removal that can't be kept is none", arguments: [false, true])
    func keptInVain(isFull: Bool) {
        scene.launch("mail", restart: .always)
        scene.end("mail")
        scene.records?.isFull = isFull
        if isFull {
            #expect(scene.code("remove id=1 app=mail") == "busy")
        } else {
            #expect(scene.ask("remove id=1 app=mail") == [])
            #expect(host.hostsDeadline == nil)
            scene.records?.answer(.busy)
            host.recordsAnswered()
            #expect(scene.read().first?.hasPrefix("error id=1 code=busy ") == true)
        }
        #expect(scene.listed == ["mail"])
        #expect(host.hostsDeadline != nil)
    }

    @Test("Only what is in the list can be removed")
    func removeNothing() {
        #expect(scene.code("remove id=1") == "invalid")
        #expect(scene.code("remove id=2 app=mail") == "no-app")
    }

    @Test("Without records a removal is answered at once, and no history is told")
    func withoutRecords() {
        let scene = ServeScene(keeps: false)
        scene.launch("mail")
        scene.end("mail")
        #expect(scene.ask("remove id=1 app=mail") == ["ok id=1"])
        #expect(scene.listed == [])
        #expect(scene.code("history id=2") == "unsupported")
    }

    @Test("quit-all is answered once all that ran have ended, and none of them comes again")
    func quitAll() {
        // All of them in front: what is suspended is killed, and that kept as a report.
        let scene = ServeScene(foregroundPlaces: 2)
        let host = scene.host
        #expect(scene.ask("quit-all id=1") == ["ok id=1"])
        for name in ["mail", "music"] { scene.launch(name, restart: .always) }
        #expect(scene.ask("quit-all id=2") == [])
        scene.end("mail", Self.term)
        #expect(scene.read() == [])
        scene.end("music", Self.term)
        #expect(scene.read() == ["ok id=2"])
        #expect(host.hostsDeadline == nil)
        #expect(!host.isOver)
        #expect(scene.code("launch id=3 app=mail") == nil)
    }

    // MARK: Again

    @Test("Launched again after a pause that grows, and not before")
    func restarts() {
        scene.launch("mail", restart: .onFailure)
        for pause in [1, 2, 4, 8] as [Int64] {
            scene.end("mail", .exited(code: 1))
            #expect(scene.records?.noted.last?.hasSuffix("exit, again") == true)
            scene.pass(.seconds(pause) - .milliseconds(1))
            #expect(host.app(called: "mail") == nil)
            scene.pass(.milliseconds(1))
            #expect(host.app(called: "mail") != nil)
        }
        #expect(scene.entry("mail")?.launches == 5)
        scene.end("mail", .exited(code: 0))
        #expect(host.hostsDeadline == nil)
    }

    @Test("It comes back to the front where it was there and the place is free, else into background")
    func restartsPlace() {
        scene.launch("mail", restart: .always)
        scene.end("mail")
        scene.passUntilRestart()
        #expect(scene.front == ["mail"])
        scene.end("mail")
        scene.launch("music")
        scene.passUntilRestart()
        #expect(scene.front == ["music"])
        #expect(scene.state("mail")?.isForeground == false)
    }

    @Test("What can't be launched again is tried later and later, and said; what it is itself is given up")
    func restartFails() {
        scene.launch("mail", restart: .always)
        scene.end("mail")
        scene.programs.error = SpawnError(stage: .clone, errno: EAGAIN)
        #expect(
            [scene.passUntilRestart(), scene.passUntilRestart(), scene.passUntilRestart()] == [
                .seconds(1), .seconds(2), .seconds(4),
            ])
        #expect(
            scene.records?.noted.suffix(3) == ["restart mail in 2 s", "restart mail in 4 s", "restart mail in 8 s"])
        #expect(scene.told.filter { $0.contains("mail: couldn't be launched again: ") }.count == 3)
        #expect(scene.told.last?.hasSuffix("tried again in 8 s") == true)
        scene.programs.error = nil
        scene.definitions.broken = ["mail"]
        scene.passUntilRestart()
        #expect(scene.records?.noted.last == "restart mail never")
        #expect(scene.told.last?.hasSuffix("that isn't tried again") == true)
        #expect(host.hostsDeadline == nil)
    }

    @Test("Opened before its time, it isn't launched once more")
    func openedMeanwhile() {
        scene.launch("mail", restart: .always)
        scene.end("mail")
        #expect(host.hostsDeadline != nil)
        #expect(scene.code("open id=1 app=mail") == nil)
        #expect(host.hostsDeadline == nil)
    }

    // MARK: Definitions

    @Test("Read again, it tells how many there are and what is wrong; what runs stays what it is, and differs")
    func reload() {
        scene.launch("mail")
        scene.definitions.define("mail")
        scene.definitions.reloaded = ReloadedDefinitions(apps: 3, problems: ["a.toml:1: x"], warnings: ["b.toml:2: y"])
        #expect(scene.ask("reload id=1") == ["ok id=1 apps=3 problems=1"])
        #expect(scene.definitions.readings == 1)
        #expect(scene.told.suffix(2).map { $0.suffix(11) } == ["a.toml:1: x", "b.toml:2: y"])
        #expect(scene.ask("apps id=2").first?.contains("differs=1") == true)
        scene.end("mail")
        #expect(scene.code("open id=3 app=mail") == nil)
        #expect(scene.ask("apps id=4").first?.contains("differs=1") == false)
    }

    /// What it runs as, once it is opened.
    private func opened(_ name: String, of scene: ServeScene) -> ServedDefinition? {
        scene.ask("open id=1 app=\(name)")
        return scene.host.app(called: name) == nil ? nil : scene.entry(name)?.definition
    }

    @Test("A bare command stays itself as long as it is in the list, whatever entry of its name is installed")
    func bareCommandAndEntry() throws {
        let entry = scene.definitions.install("vim")
        _ = scene.leaveOrder("7.order", "name=vim", "command=sleep")
        #expect(scene.code("launch id=1 order=7.order") == nil)
        let bare = try #require(scene.entry("vim")?.definition)
        scene.end("vim")
        #expect(opened("vim", of: scene) === bare)
        scene.end("vim")
        #expect(scene.code("launch id=2 app=vim") == nil)
        #expect(scene.entry("vim")?.definition === bare)
        scene.end("vim")
        // Nobody has looked through what is installed for that.
        #expect(scene.definitions.entriesLookedFor == 0)
        scene.ask("remove id=3 app=vim")
        scene.records?.answer(.done)
        host.recordsAnswered()
        #expect(opened("vim", of: scene) === entry)
    }

    @Test("So does one that a server before has left, and one that is launched again")
    func keptBareCommandAndEntry() {
        let records = FakeRecords()
        records.kept = KeptServer(apps: [AppRecord(name: "vim", source: .bare, command: ["program"])])
        let scene = ServeScene(records: records)
        scene.definitions.install("vim")
        let bare = opened("vim", of: scene)
        #expect(bare?.source == .bare)
        bare?.restart = .always
        scene.end("vim")
        #expect(opened("vim", of: scene) === bare)
        scene.end("vim")
        scene.passUntilRestart()
        #expect(scene.entry("vim")?.launches == 3)
        #expect(scene.entry("vim")?.definition === bare)
        #expect(scene.definitions.entriesLookedFor == 0)
    }

    @Test("What was an entry is what that says by now, and what it said once it is gone; a manifest goes before either")
    func entryAndManifest() {
        #expect(scene.code("open id=1 app=web") == "no-app")
        let old = scene.definitions.install("web")
        #expect(opened("web", of: scene) === old)
        scene.end("web")
        let new = scene.definitions.install("web")
        #expect(opened("web", of: scene) === new)
        scene.end("web")
        scene.definitions.uninstall("web")
        #expect(opened("web", of: scene) === new)
        scene.end("web")
        let written = scene.definitions.define("web")
        #expect(opened("web", of: scene) === written)
        scene.end("web")
        // The list knows it as that.
        scene.definitions.forget("web")
        scene.definitions.install("web")
        #expect(opened("web", of: scene) === written)
    }

    @Test("Where somebody has named the folder that is read, it is told with what was read")
    func namedFolder() {
        scene.definitions.reloaded = ReloadedDefinitions(apps: 1, folder: "/srv/my apps")
        #expect(scene.ask("reload id=1") == [#"ok id=1 apps=1 problems=0 folder="/srv/my apps""#])
    }

    @Test("That nothing can be written is told with each status and with the list, for as long as it is so")
    func storeTrouble() throws {
        scene.launch("mail")
        func told(_ request: String) -> String? {
            scene.ask(request).last?.split(separator: " ").first { $0.hasPrefix("store=") }.map(String.init)
        }
        let requests = ["status id=1 app=mail", "apps id=2"]
        #expect(requests.map(told) == [nil, nil])
        scene.records?.trouble = "full"
        #expect(requests.map(told) == ["store=full", "store=full"])
        scene.records?.trouble = nil
        #expect(requests.map(told) == [nil, nil])
    }

    @Test("Nothing begins where what was named to be read can't be")
    func unreadable() {
        scene.definitions.unreadable = "--apps /none: can't be read"
        #expect(throws: LaunchError(125, "--apps /none: can't be read")) { try host.loadDefinitions() }
    }

    @Test("What is written of apps is read once at the start, and what is wrong with it told")
    func loaded() throws {
        scene.definitions.reloaded = ReloadedDefinitions(apps: 1, problems: ["bad.toml:1: nonsense"])
        host.launchAtStart(try host.loadDefinitions())
        #expect(scene.definitions.readings == 1)
        #expect(scene.told.map { $0.hasSuffix(": bad.toml:1: nonsense") } == [true])
    }

    @Test("An entry's program that ends well at once may have handed over, which is told; no other end is")
    func handOver() {
        scene.definitions.install("browser")
        scene.ask("launch id=1 app=browser")
        scene.end("browser")
        #expect(scene.told.count == 1)
        #expect(scene.told.last?.contains(": browser: ended with status 0 after ") == true)
        #expect(scene.told.last?.hasSuffix("it has handed over to that, which is no app of this server") == true)
        scene.ask("launch id=2 app=browser")
        scene.end("browser", .exited(code: 1))
        scene.ask("launch id=3 app=browser")
        scene.ask("quit id=4 app=browser")
        scene.end("browser")
        scene.launch("tool")
        scene.end("tool")
        #expect(scene.told.filter { $0.contains("handed over") }.count == 1)
    }

    @Test("Of an entry's program that leaves others behind it is told that these were ended, and nothing else")
    func leftBehind() throws {
        scene.definitions.install("browser")
        scene.ask("launch id=1 app=browser")
        let app = try #require(scene.host.app(called: "browser"))
        scene.host.engine.feed(.app(app, .leaderExited(.exited(code: 0))))
        scene.host.engine.feed(.app(app, .leftBehind))
        scene.kernel[app].isAlive = false
        scene.host.engine.childrenChanged()
        #expect(scene.told.count == 1)
        #expect(scene.told.last?.hasSuffix("a manifest with wait-all = true waits for all of it") == true)
    }

    @Test("Of the environment it takes over what says where a desktop is, and nothing else")
    func environment() {
        #expect(scene.ask("reload id=1 environment.DISPLAY=:7") == ["ok id=1 apps=0 problems=0"])
        #expect(host.environment.with([]).contains("DISPLAY=:7"))
        #expect(scene.code("reload id=2 environment.LD_PRELOAD=x") == "invalid")
        #expect(!host.environment.with([]).contains("LD_PRELOAD=x"))
        #expect(scene.definitions.readings == 1)
    }

    // MARK: The end

    @Test("At its end every app is asked to, nothing is launched any more, and it is over with the last")
    func end() {
        let scene = ServeScene(foregroundPlaces: 3)
        let host = scene.host
        for name in ["mail", "music", "news"] { scene.launch(name, restart: .always) }
        scene.end("news")
        #expect(scene.ask("stop id=1") == ["ok id=1"])
        #expect(scene.records?.noted.contains("restart news never") == true)
        #expect(scene.code("launch id=2 app=news") == "ending")
        #expect(scene.code("open id=3 app=news") == "ending")
        scene.pass(.seconds(2))
        #expect(host.apps.runningCount == 2)
        scene.end("mail", Self.term)
        #expect(!host.isOver)
        scene.end("music", Self.term)
        #expect(host.isOver)
        #expect(scene.records?.noted.suffix(2) == ["end mail 1 supervisor-exit", "end music 1 supervisor-exit"])
        #expect(scene.linked == [])
    }

    @Test("It ends once all is kept that its sources push, and leaves that to the next one")
    func endOfSources() {
        scene.launch("mail")
        scene.end("mail")
        var pair: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        host.sources = SourceDesk(
            [(SourcePlan(name: "watch", command: "watch.sh"), SourceRunner(Descriptor(pair[0])))], host: host)
        host.sources?.begin(in: host.loop)
        host.end()
        #expect(!host.isOver)
        let packet = SourceNews.output(Array(#"push app=mail payload="{\"aps\":{\"badge\":2}}""#.utf8) + [10]).packet
        send(pair[1], packet, packet.count, Int32(MSG_NOSIGNAL))
        scene.goOn { scene.records?.isAsked == true }
        close(pair[1])
        #expect(scene.read() == [])
        #expect(!host.isOver)
        scene.records?.answer(.done)
        host.recordsAnswered()
        scene.goOn { host.isOver }
        #expect(scene.records?.noted.last == "keep push mail 1")
    }

    // MARK: Signals

    /// Of the server's own making, and no app's.
    private static let asksForAnEnd: [(signal: Int32, isByProxy: Bool)] = [
        (SIGTERM, false), (SIGTERM, true), (SIGINT, false), (SIGINT, true),
    ]

    @Test("What asks for an end from outside ends it, sent to the server or to its proxy", arguments: asksForAnEnd)
    func endedBySignal(signal: Int32, isByProxy: Bool) {
        let outside = SignalSender.process(getppid())
        if isByProxy { scene.isTold(signal, from: outside) } else { scene.hears(signal, from: outside) }
        #expect(host.isEnding)
        #expect(host.isOver)
    }

    @Test("Whoever is below the server has no say")
    func signalFromInside() {
        let inside = Sleeper()
        defer { inside.end() }
        for signal in [SIGTERM, SIGINT, SIGHUP] { scene.hears(signal, from: .process(inside.pid)) }
        scene.isTold(SIGTERM, from: .process(inside.pid))
        #expect(!host.isEnding)
        #expect(scene.definitions.readings == 0)
    }

    @Test("A hangup by somebody has it read again what apps there are; a terminal's is its end")
    func hangup() {
        scene.hears(SIGHUP, from: .process(getppid()))
        #expect(scene.definitions.readings == 1)
        #expect(!host.isEnding)
        scene.hears(SIGHUP)
        #expect(scene.definitions.readings == 1)
        #expect(host.isEnding)
    }

    @Test("Any other signal means nothing, nor does what continues it", arguments: [SIGCONT, SIGUSR1, SIGWINCH])
    func otherSignals(signal: Int32) {
        scene.launch("mail")
        scene.hears(signal)
        scene.isTold(signal)
        #expect(!host.isEnding)
        #expect(scene.front == ["mail"])
        #expect(scene.told == [])
    }

    @Test("That it was stopped is told to people the first time, and to who follows an app once a second")
    func stopped() throws {
        let app = try #require(scene.launch("mail"))
        scene.isTold(SIGSTOP)
        scene.isTold(SIGSTOP)
        #expect(scene.told.filter { $0.hasSuffix("the server was stopped by a signal, and goes on") }.count == 1)
        let records = host.kernel.instances[app]?.log.entries.map(\.record.brief) ?? []
        #expect(records.filter { $0 == "supervisorStopped" }.count == 1)
    }

    @Test("Of clients that are hung up on one a second is told")
    func droppedClients() {
        for _ in 0..<3 { host.noteDropped(client: 7, because: "it floods") }
        #expect(scene.told == ["curfew: run: a client, process 7, was hung up on: it floods"])
    }

    // MARK: Its end

    @Test("Without an app it is over at once")
    func endOfNothing() {
        #expect(scene.ask("stop id=1") == ["ok id=1"])
        #expect(host.isOver)
    }

    // MARK: What was kept

    /// What a server before has left: `mail` ran when it was killed, `music` was removed.
    private func kept(restart: RestartCondition) -> ServeScene {
        let records = FakeRecords()
        var (mail, music) = (
            AppRecord(name: "mail", source: .manifest, command: ["program"]),
            AppRecord(name: "music", source: .manifest, command: ["program"])
        )
        mail.launches = 4
        mail.lastRun = RunRecord(app: "mail", number: 4, began: 0, pid: 7, wasInFront: true)
        music.isRemoved = true
        records.kept = KeptServer(apps: [mail, music])
        let scene = ServeScene(records: records)
        scene.definitions.define("mail", restart: restart)
        scene.definitions.define("music")
        return scene
    }

    @Test("What ran when a server was killed has its end noted, and is launched again where it says so")
    func unseen() {
        let scene = kept(restart: .onFailure)
        scene.host.launchAtStart(scene.definitions.reloaded)
        #expect(scene.listed == ["mail"])
        #expect(scene.records?.noted == ["end mail 4 supervisor-exit, again"])
        #expect(scene.passUntilRestart() == .seconds(1))
        #expect(scene.entry("mail")?.launches == 5)
    }

    @Test("Where it doesn't say so it stays ended")
    func unseenAlone() {
        let scene = kept(restart: .never)
        scene.host.launchAtStart(scene.definitions.reloaded)
        #expect(scene.records?.noted == ["end mail 4 supervisor-exit"])
        #expect(scene.host.hostsDeadline == nil)
    }

    @Test("That a restored run has ended at once is noted with its end")
    func restoredEnds() {
        let records = FakeRecords()
        var mail = AppRecord(name: "mail", source: .manifest, command: ["program"])
        mail.launches = 1
        mail.lastRun = RunRecord(
            app: "mail", number: 1, began: 1, pid: 9, wasInFront: true,
            end: .init(ended: 2, reason: .kill(.memoryPressure)))
        mail.restoredEnds = 1
        records.kept = KeptServer(apps: [mail])
        let scene = ServeScene(records: records)
        for end in ["end mail 2 exit, restored ends 2", "end mail 3 exit"] {
            scene.launch("mail")
            scene.end("mail")
            #expect(scene.records?.noted.last == end)
        }
    }

    @Test("Launched at the start is what says so and wasn't removed, into background; what fails is said")
    func atStart() {
        let scene = kept(restart: .never)
        scene.definitions.reloaded.launchedAtStart = ["mail", "music", "nobody"]
        scene.host.launchAtStart(scene.definitions.reloaded)
        #expect(scene.front == [])
        #expect(host.app(called: "music") == nil)
        #expect(scene.host.app(called: "mail") != nil)
        #expect(scene.host.app(called: "music") == nil)
        #expect(scene.told.last?.contains("nobody: couldn't be launched: ") == true)
    }

    @Test("Past runs are told as they are kept, and busy is said")
    func history() {
        scene.definitions.define("mail")
        #expect(scene.code("history id=1 limit=0") == "invalid")
        #expect(scene.ask("history id=2 app=mail limit=2") == [])
        #expect(scene.records?.noted.last == "history mail 2")
        scene.records?.answer(
            .runs([
                RunRecord(
                    app: "mail", number: 2, began: 5_000_000, pid: 7, wasInFront: true,
                    end: RunRecord.End(ended: 6_500_000, reason: .exit, status: 3))
            ]))
        host.recordsAnswered()
        #expect(scene.read() == ["run id=2 app=mail began=5.000 ended=6.500 reason=exit status=3", "ok id=2"])
        #expect(scene.ask("history id=3") == [])
        scene.records?.answer(.busy)
        host.recordsAnswered()
        #expect(scene.read().first?.hasPrefix("error id=3 code=busy ") == true)
        scene.records?.isFull = true
        #expect(scene.code("history id=4") == "busy")
    }
}
