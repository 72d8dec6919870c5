import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a supervisor of one app decides")
struct RunHostTests {
    private let scene = RunScene()
    private var host: RunHost { scene.host }
    private var app: AppID { RunHost.app }

    /// Outside every app, and there as long as the test is.
    private var outside: SignalSender { .process(getppid()) }
    private var inside: SignalSender { .process(scene.leader.pid) }
    /// Nobody has such a number.
    private let nobody = Int32.max - 30

    // MARK: Which app

    @Test("Whatever is asked is about the one app, and all of its tree is that app's")
    func oneApp() {
        for verb in ControlVerb.allCases { #expect(host.defaultApp(for: verb) == app) }
        #expect(host.app(of: scene.leader.pid, until: .max) == app)
        #expect(host.place(of: scene.leader.pid)?.app == app)
        #expect(host.place(of: getppid())?.app == nil)
        #expect(host.app(of: getppid(), until: .max) == nil)
        #expect(host.proxyPid == scene.proxy)
        #expect(!host.isReported)
        #expect(!host.hasReportFile)
        #expect(host.foreseen === scene.instance)
    }

    @Test("Every orphan is the one app's, and of each end it is told before it is reaped")
    func orphans() {
        scene.setEnded(nobody, scene.leader.pid)
        var told: [AppID] = []
        let concerned = host.reapAll {
            told.append($0.id)
            #expect($0.livingLeader == scene.leader.pid)
        }
        #expect(told == [app])
        #expect(concerned.map(\.id) == [app])
        #expect(scene.instance.takeEnds() == Instance.Ends(leader: .exited(code: 3)))
        // Of no app in particular: all are looked at.
        #expect(host.reapedApps == nil)
    }

    // MARK: What the proxy tells

    @Test("What asks for an end, from outside, ends it")
    func quit() {
        #expect(scene.isTold(SIGTERM, from: outside).only("signal") == ["signal 15 a"])
        #expect(host.isAppTerminating)
        #expect(!scene.records.contains("signalIgnored \(SIGTERM)"))
    }

    @Test("From inside it is ignored, and told of once a second")
    func ignored() {
        #expect(scene.isTold(SIGTERM, from: inside).only("signal") == [])
        #expect(scene.isTold(SIGTERM, from: inside).only("signal") == [])
        #expect(!host.isAppTerminating)
        #expect(scene.records.filter { $0.hasPrefix("signalIgnored") } == ["signalIgnored \(SIGTERM)"])
    }

    @Test("What means nothing to Curfew is the main process's")
    func passedOn() {
        #expect(scene.isTold(SIGURG) == [])
        scene.isTold(SIGUSR1)
        #expect(scene.leadersEnd() == SIGUSR1)
    }

    @Test("Sent to the supervisor itself it ends the app as well, and what continues it does nothing")
    func supervisorsOwn() {
        #expect(scene.hears(SIGCONT) == [])
        #expect(scene.hears(SIGTERM, from: inside).only("signal") == [])
        #expect(scene.hears(SIGTERM, from: outside).only("signal") == ["signal 15 a"])
    }

    @Test("That the supervisor was stopped is told of once a second")
    func stopped() {
        scene.isTold(SIGSTOP)
        scene.isTold(SIGSTOP)
        #expect(scene.records.filter { $0 == "supervisorStopped" }.count == 1)
        #expect(host.engine.core.app(app)?.isTerminating == false)
    }

    @Test("It takes as many news as signals in a turn; the rest waits for the next")
    func newsInTurns() {
        for _ in 0..<40 { scene.pages.put(SIGURG) }
        scene.hears(Int32(CURFEW_DOORBELL))
        #expect(scene.pages.page.newsCount == 40 - AppsHost.signalsPerTurn)
        scene.hears(Int32(CURFEW_DOORBELL))
        #expect(scene.pages.page.newsCount == 0)
    }

    @Test("Once it is over no more is taken")
    func newsWhenOver() {
        scene.pages.put(SIGTERM, from: outside)
        host.isOver = true
        #expect(scene.hears(Int32(CURFEW_DOORBELL)) == [])
        #expect(scene.pages.page.newsCount == 1)
    }

    @Test("With the proxy gone the app goes on in front, where it is to; then nobody else can say so again")
    func proxyGone() {
        let scene = RunScene { _, options in options.onSupervisorExit = .resume }
        scene.host.engine.feed(.app(app, .home(stopped: false, request: nil)))
        #expect(scene.state?.isForeground == false)
        scene.hears(Int32(CURFEW_PROXY_GONE_SIGNAL))
        #expect(scene.state?.isForeground == true)
        scene.host.engine.feed(.app(app, .home(stopped: false, request: nil)))
        scene.hears(Int32(CURFEW_PROXY_GONE_SIGNAL))
        #expect(scene.state?.isForeground == false)
    }

    @Test("Under timeout the end of who waited is the app's limit")
    func abandoned() {
        let scene = RunScene { manifest, _ in
            manifest.hasLifecycle = false
            manifest.policy.timeout = TimeoutPolicy(signal: SIGINT)
        }
        #expect(scene.hears(Int32(CURFEW_PROXY_GONE_SIGNAL)).only("signal").first?.hasPrefix("signal 2 a") == true)
        #expect(scene.host.isAbandoned)
    }

    // MARK: What job control wants

    @Test(
        "What job control wants done to the app is the core's to do",
        arguments: [
            (JobAction.home(stopped: false), LifecycleState.suspended), (.home(stopped: true), .suspended),
            (.open, .active), (.wakeUp, .active), (.noteStop, .active),
        ])
    func performed(action: JobAction, state: LifecycleState) {
        host.perform(action)
        #expect(scene.state == state)
    }

    @Test("Opened again it is where it was; quit it is asked to end")
    func openedAndQuit() {
        host.perform(.home(stopped: false))
        host.perform(.open)
        #expect(scene.state == .active)
        #expect(host.appState == .active)
        host.perform(.quit)
        #expect(host.isAppTerminating)
        #expect(scene.journal.take().only("signal") == ["signal 15 a"])
    }

    @Test("A signal for the main process is sent to it alone")
    func signalled() {
        host.perform(.signalMainProcess(SIGUSR2))
        #expect(scene.leadersEnd() == SIGUSR2)
    }

    @Test("What is the console's own is nothing to the app", arguments: [JobAction.giveTerminal, .takeTerminal])
    func notTheApps(action: JobAction) {
        host.perform(action)
        #expect(scene.journal.take() == [])
        #expect(scene.state == .active)
    }

    // MARK: What it is told of the app

    @Test("Once all of it is stopped the proxy is asked what it has passed on; an answer of before is none")
    func allStopped() {
        host.prepareHeld(scene.instance)
        host.kernel.allStopped?(app, true)
        let question = scene.pages.question
        #expect(question > 0)
        host.kernel.allStopped?(app, false)
        host.console?.handle(.proxyAnswered(question))
        host.perform(.home(stopped: false))
        // Nobody knows who has sent it, and it may have come from inside.
        scene.isTold(SIGCONT, from: .process(nobody))
        #expect(scene.state == .suspended)
        host.kernel.allStopped?(app, true)
        scene.isTold(0, number: scene.pages.question)
        scene.isTold(SIGCONT, from: .process(nobody))
        #expect(scene.state == .active)
    }

    @Test("Without a lifecycle nobody is told that it is stopped")
    func plain() {
        let scene = RunScene { manifest, _ in
            manifest.hasLifecycle = false
            manifest.policy.timeout = TimeoutPolicy()
        }
        scene.host.prepareHeld(scene.instance)
        #expect(scene.host.kernel.allStopped == nil)
        #expect(scene.host.kernel.isContinued == nil)
        // Its proxy leads no group that it is in.
        #expect(scene.instance.ledByProxy == nil)
        #expect(scene.instance.hooks == nil)
    }

    @Test("What goes on tells by what it was woken, and how often it was")
    func continued() {
        host.prepareHeld(scene.instance)
        host.kernel.isContinued?(app)
        #expect(!scene.records.contains { $0.hasPrefix("woken") })
        scene.instance.waking = Waking(cause: "a key", resumedIn: .zero)
        host.kernel.isContinued?(app)
        host.kernel.isContinued?(app)
        #expect(scene.records.filter { $0.hasPrefix("woken") } == ["woken by a key"])
        #expect(scene.instance.waking == nil)
    }

    // MARK: The run

    @Test("Its end ends the run, and is what is told")
    func ended() {
        scene.kernel[app].isAlive = false
        host.engine.feed(.app(app, .leaderExited(.exited(code: 3))))
        host.engine.childrenChanged()
        #expect(host.isOver)
        #expect(host.hasEnded)
        #expect(host.ending?.status == .exit(3))
        #expect(host.appState == nil)
    }

    @Test("Another main process is known to the keeper")
    func mainProcess() {
        scene.pages.noteLaunch(scene.leader.pid, group: 0)
        host.mainProcessChanged(of: scene.instance, to: 77)
        #expect(scene.pages.page.mainPid == 77)
    }

    @Test("The proxy ends by the signal that the app died of; with the others of its group only where that was SIGKILL")
    func exit() {
        host.ending = .sample(leader: .signaled(signal: SIGSEGV, dumpedCore: true))
        #expect(Closing(host: host).finish() == Closing.Exit(code: 0, proxySignal: SIGSEGV))
        host.ending = .sample(leader: .exited(code: 4))
        #expect(Closing(host: host).finish() == Closing.Exit(code: 4))
        host.ending = nil
        #expect(Closing(host: host).finish() == Closing.Exit(code: 125))
    }

    @Test("What can't be said now is said once the app has left the front")
    func lateWords() {
        host.lateWords = ["curfew: a test's late word"]
        host.stateChanged(app, from: .active, to: .inactive)
        #expect(host.lateWords.count == 1)
        host.stateChanged(app, from: .inactive, to: .background)
        #expect(host.lateWords == [])
        // Without a terminal nothing is written over.
        host.say("curfew: a test's word")
        #expect(host.lateWords == [])
    }

    // MARK: A server

    @Test("Where no server is there it runs on its own; strictly nothing is started")
    func noServer() throws {
        try host.connect(to: "home", at: "/nonexistent/home.sock")
        #expect(host.membership == nil)
        #expect(!host.serverConnection.isOpen)
        let strict = RunScene { _, options in options.isStrict = true }
        #expect(throws: LaunchError(69, "--join: no server called home is running; nothing was started")) {
            try strict.host.connect(to: "home", at: "/nonexistent/home.sock")
        }
    }

    @Test("Where it is there the app takes part once the server says so, and tells it what changes")
    func joined() throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        var listening = Descriptor(curfew_unix_listen(folder.path + "/home.sock", 1))
        defer { listening.close() }
        try host.connect(to: "home", at: folder.path + "/home.sock")
        let server = ControlClient(Descriptor(curfew_unix_accept(listening.number)))
        defer { server.close() }
        host.loop = EventLoop.make()
        host.control = ControlServer(listening: .none, loop: host.loop, host: scene.host)
        host.join(scene.instance)
        let pid = scene.leader.pid
        #expect(server.read() == ["join id=1 app=mail pid=\(pid) state=active number=1"].map(Self.withoutNumber))
        #expect(host.joinedServer == nil)
        server.send(["ok id=1 server=home"])
        scene.turn()
        #expect(host.joinedServer == "home")
        #expect(scene.records.last == "joined home")
        host.engine.feed(.app(app, .home(stopped: false, request: nil)))
        #expect(server.read().last?.contains("state=suspended") == true)
        host.mainProcessChanged(of: scene.instance, to: 77)
        #expect(server.read().last?.contains("pid=77") == true)
        server.close()
        scene.turn()
        #expect(host.joinedServer == nil)
        #expect(scene.records.last == "parted home: it has ended")
    }

    /// As a client of the tests reads a line.
    private static func withoutNumber(_ line: String) -> String {
        line.split(separator: " ").filter { !$0.hasPrefix("number=") }.joined(separator: " ")
    }
}
