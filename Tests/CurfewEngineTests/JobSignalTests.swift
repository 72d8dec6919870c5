import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Job control: what the proxy's signals mean")
struct JobSignalTests {
    // MARK: fg, bg, CONT

    @Test("fg, bg and kill -CONT from outside open the app", arguments: [LifecycleState.suspended, .background])
    func opens(_ state: LifecycleState) {
        var job = Job.stopped(.inFront, state)
        #expect(job.proxyGets(SIGCONT, from: .outside) == [.open])
        #expect(!job.control.isProxyStopped)
    }

    @Test("In front already, a job that the shell puts in front gets the terminal and goes on; else nothing happens")
    func alreadyOpen() {
        var job = Job()
        #expect(job.proxyGets(SIGCONT, from: .outside) { $0.canTakeTerminal = true } == [.giveTerminal, .continueApp])
        #expect(job.proxyGets(SIGCONT, from: .outside) == [])
    }

    @Test("Who is inside opens nothing, and its proxy is stopped again, as it was")
    func insideContinues() {
        var job = Job(.inFront, .suspended)
        #expect(job.gets(.wentHome(by: SIGTTIN)) == [.stopProxy(by: SIGTTIN, number: 1)])
        let actions = job.proxyGets(SIGCONT, from: .inside)
        #expect(actions == [.noteIgnored(SIGCONT, from: .process(7)), .stopProxy(by: SIGTTIN, number: 2)])
    }

    @Test("A proxy that runs is not stopped for it")
    func insideContinuesRunning() {
        var job = Job(.inPipeline, .suspended)
        #expect(job.proxyGets(SIGCONT, from: .inside) == [.noteIgnored(SIGCONT, from: .process(7))])
        #expect(!job.control.isProxyStopped)
    }

    @Test("The kernel's own SIGCONT comes to an orphaned group, which an app can bring about: it opens nothing")
    func orphaned() {
        var job = Job(.inFront, .suspended)
        #expect(job.proxyGets(SIGCONT) == [.noteIgnored(SIGCONT, from: .kernel)])
    }

    @Test("A SIGCONT from before a stop that has come since says nothing")
    func stale() {
        var job = Job.stopped()
        let actions = job.gets(.proxyGot(SIGCONT, from: .process(7), stops: 0)) { $0.side = .outside }
        #expect(actions == [])
        #expect(job.control.isProxyStopped)
    }

    @Test("In a script it is of a shell that saw the script's stop alone: it opens the app, and the proxy won't stop")
    func staleInScript() {
        var job = Job.stopped(.inPipeline)
        let actions = job.gets(.proxyGot(SIGCONT, from: .process(7), stops: 0)) { $0.side = .outside }
        #expect(actions == [.open])
        #expect(job.gets(.stateChanged(from: .suspended, to: .active)) == [.continueProxy(number: 1)])
        var asked = Job.stopped(.inPipeline)
        let refused = asked.gets(.proxyGot(SIGCONT, from: .process(7), stops: 0)) { $0.side = .inside }
        #expect(refused == [.noteIgnored(SIGCONT, from: .process(7))])
        #expect(asked.control.isProxyStopped)
    }

    @Test("A SIGCONT whose sender has ended opens what was all stopped before it was sent, and nothing else")
    func unknownSender() {
        var job = Job(.inFront, .suspended)
        #expect(job.proxyGets(SIGCONT, from: .unknown) == [.noteIgnored(SIGCONT, from: .process(7))])
        #expect(job.gets(.allStopped) == [.askProxy(1)])
        #expect(job.gets(.proxyAnswered(1)) == [])
        #expect(job.proxyGets(SIGCONT, from: .unknown) == [.open])
        #expect(job.gets(.continues) == [])
        #expect(job.proxyGets(SIGCONT, from: .unknown) == [.noteIgnored(SIGCONT, from: .process(7))])
    }

    @Test("What the stopped proxy had passed on before is older than the stop of the app")
    func olderNews() {
        var job = Job.stopped()
        let stopped = job.gets(.allStopped) {
            $0.isProxySeenStopped = true
            $0.newsCount = 2
        }
        #expect(stopped == [])
        #expect(job.gets(.supervisorContinued) == [])
        let second = job.gets(.proxyGot(SIGCONT, from: .unknown, stops: 1))
        #expect(second == [.noteIgnored(SIGCONT, from: .unknown), .stopProxy(by: SIGTSTP, number: 2)])
        #expect(job.gets(.proxyGot(SIGCONT, from: .unknown, stops: 2)) == [.open])
    }

    // MARK: Stops

    @Test("kill -TSTP from outside is home; the app that shares a group was stopped with it", arguments: [true, false])
    func toldToStop(sharesGroup: Bool) {
        var job = Job(sharesGroup ? .inPipeline : .inFront)
        #expect(job.proxyGets(SIGTSTP, from: .outside) == [.home(stopped: sharesGroup), .then(.wentHome(by: SIGTSTP))])
    }

    @Test("Without a terminal, too")
    func toldToStopWithoutTerminal() {
        var job = Job(.withoutTerminal)
        #expect(job.proxyGets(SIGTSTP, from: .outside) == [.home(stopped: false), .then(.wentHome(by: SIGTSTP))])
    }

    @Test("The key stops proxy and app together where they share a group")
    func keyInSharedGroup() {
        var job = Job(.inPipeline)
        #expect(job.proxyGets(SIGTSTP) == [.home(stopped: true), .then(.wentHome(by: SIGTSTP))])
    }

    @Test("SIGTTIN and SIGTTOU are a terminal's: sent by somebody they stop nothing", arguments: [SIGTTIN, SIGTTOU])
    func readersSignals(_ signal: Int32) {
        var job = Job(.inPipeline)
        #expect(job.proxyGets(signal) == [.home(stopped: true), .then(.wentHome(by: signal))])
        #expect(job.proxyGets(signal, from: .outside) == [])
    }

    @Test("Who is inside can't stop the job by its proxy; a sender that has ended may, for the app can stop by itself")
    func insideStops() {
        var job = Job()
        #expect(job.proxyGets(SIGTSTP, from: .inside) == [.noteIgnored(SIGTSTP, from: .process(7))])
        #expect(job.proxyGets(SIGTSTP, from: .unknown) == [.home(stopped: false), .then(.wentHome(by: SIGTSTP))])
    }

    @Test("A stop that the caller ignores is ignored, by key and by kill")
    func ignoredStop() {
        var job = Job(.inPipeline)
        #expect(job.proxyGets(SIGTSTP) { $0.isIgnored = true } == [])
        #expect(job.proxyGets(SIGTSTP, from: .outside) { $0.isIgnored = true } == [])
    }

    @Test("A stop that the proxy had before the one it is in says nothing")
    func staleStop() {
        var job = Job.stopped()
        #expect(job.gets(.proxyGot(SIGTSTP, from: .kernel, stops: 0)) == [])
    }

    // MARK: Keys

    @Test(
        "Ctrl-C and Ctrl-\\ are the app's: what the proxy has had the app's own group hasn't, whoever has the terminal now",
        arguments: [SIGINT, SIGQUIT])
    func keys(_ signal: Int32) {
        var job = Job()
        #expect(job.proxyGets(signal) == [.then(.keyPressed(signal))])
        #expect(job.gets(.keyPressed(signal)) { $0.canTakeTerminal = true } == [.giveTerminal, .signalApp(signal)])
        #expect(job.gets(.keyPressed(signal)) == [.signalApp(signal)], "it was given the terminal meanwhile")
        var shared = Job(.inPipeline)
        #expect(shared.gets(.keyPressed(signal)) == [], "it has had it")
    }

    @Test("In background it hears them; suspended it couldn't, so there they end it", arguments: [SIGINT, SIGQUIT])
    func keysBehind(_ signal: Int32) {
        var background = Job(.inFront, .background)
        #expect(background.gets(.keyPressed(signal)) == [.signalApp(signal)])
        var suspended = Job(.inFront, .suspended)
        #expect(suspended.gets(.keyPressed(signal)) == [.quit])
    }

    @Test("A key right after fg overtakes its SIGCONT: the app is opened first")
    func keyAfterOpening() {
        var job = Job.stopped()
        _ = job.gets(.allStopped) { $0.isProxySeenStopped = true }
        #expect(job.proxyGets(SIGINT) == [.open, .then(.keyPressed(SIGINT))])
        #expect(!job.control.isProxyStopped)
    }

    @Test("Where what was sent can be older than the stop, the key opens nothing")
    func keyOfUnknownAge() {
        var job = Job.stopped()
        let actions = job.proxyGets(SIGINT)
        let refused: [JobAction] = [.noteIgnored(SIGCONT, from: .kernel), .stopProxy(by: SIGTSTP, number: 2)]
        #expect(actions == refused + [.then(.keyPressed(SIGINT))])
    }

    @Test("Keys that the caller ignores, or that come after the end, are nobody's")
    func ignoredKeys() {
        var job = Job(.inFront, .suspended)
        #expect(job.gets(.keyPressed(SIGINT)) { $0.isIgnored = true } == [])
        #expect(job.gets(.keyPressed(SIGINT)) { $0.state = nil } == [])
    }

    // MARK: Hang-up and size

    @Test(
        "A terminal that closes hangs up on an app in front, which may stay; else it ends, for nobody could open it again"
    )
    func hangUp() {
        var inFront = Job()
        #expect(inFront.proxyGets(SIGHUP) == [.signalApp(SIGHUP)])
        var suspended = Job(.inFront, .suspended)
        #expect(suspended.proxyGets(SIGHUP) == [.quit])
        var background = Job(.inFront, .background)
        #expect(background.proxyGets(SIGHUP) == [.quit])
    }

    @Test("In a shared group the app has had it, but where the proxy leads the session it alone hears")
    func hangUpInSharedGroup() {
        var shared = Job(.inPipeline)
        #expect(shared.proxyGets(SIGHUP) == [])
        #expect(shared.proxyGets(SIGHUP) { $0.proxyLeadsSession = true } == [.signalMainProcess(SIGHUP)])
    }

    @Test("nohup: an ignored hang-up stays ignored", arguments: [LifecycleState.active, .suspended])
    func noHangUp(_ state: LifecycleState) {
        var job = Job(.inFront, state)
        #expect(job.proxyGets(SIGHUP) { $0.isIgnored = true } == [])
        #expect(job.proxyGets(SIGHUP, from: .outside) { $0.isIgnored = true } == [])
    }

    @Test("A new size that the proxy is told is told to the app's own group; in a shared one it has heard it")
    func size() {
        var job = Job()
        var shared = Job(.inPipeline)
        #expect(shared.proxyGets(SIGWINCH) == [])
        #expect(job.proxyGets(SIGWINCH) == [.signalApp(SIGWINCH)])
        #expect(job.proxyGets(SIGWINCH) { $0.canTakeTerminal = true } == [.giveTerminal, .signalApp(SIGWINCH)])
        #expect(job.proxyGets(SIGWINCH, from: .outside) == [.signalMainProcess(SIGWINCH)])
    }

    // MARK: From somebody

    @Test(
        "INT, TERM and HUP sent by someone quit it, to the proxy or to the supervisor",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func quits(_ signal: Int32) {
        var job = Job()
        #expect(job.proxyGets(signal, from: .outside) == [.quit])
        #expect(job.proxyGets(signal, from: .unknown) == [.quit])
        #expect(job.gets(.supervisorGot(signal, from: .process(7))) { $0.side = .outside } == [.quit])
    }

    @Test("Not by one inside", arguments: [SIGINT, SIGTERM, SIGHUP])
    func insideQuits(_ signal: Int32) {
        var job = Job()
        let refused: [JobAction] = [.noteIgnored(signal, from: .process(7))]
        #expect(job.proxyGets(signal, from: .inside) == refused)
        #expect(job.gets(.supervisorGot(signal, from: .process(7))) { $0.side = .inside } == refused)
    }

    @Test("Ignored by the caller, they end nothing by the proxy", arguments: [SIGINT, SIGTERM, SIGHUP])
    func ignoredQuit(_ signal: Int32) {
        var job = Job()
        #expect(job.proxyGets(signal, from: .outside) { $0.isIgnored = true } == [])
    }

    @Test(
        "Other signals are the program's, whoever sends them",
        arguments: [SIGUSR1, SIGUSR2, SIGALRM, SIGQUIT, SIGWINCH])
    func others(_ signal: Int32) {
        var job = Job()
        #expect(job.proxyGets(signal, from: .outside) == [.signalMainProcess(signal)])
        #expect(job.proxyGets(signal, from: .inside) == [.signalMainProcess(signal)])
    }

    @Test("SIGPIPE and SIGURG are the proxy's own", arguments: [SIGPIPE, SIGURG])
    func own(_ signal: Int32) {
        var job = Job()
        #expect(job.proxyGets(signal, from: .outside) == [])
    }

    @Test("Any signal that the stopped proxy passes on shows that it runs again")
    func runsAgain() {
        var job = Job.stopped()
        #expect(job.proxyGets(SIGUSR1, from: .outside) == [.signalMainProcess(SIGUSR1)])
        #expect(!job.control.isProxyStopped)
    }

    @Test("An answer to a question of the past says nothing")
    func pastAnswer() {
        var job = Job(.inFront, .suspended)
        #expect(job.gets(.allStopped) == [.askProxy(1)])
        #expect(job.gets(.continues) == [])
        #expect(job.gets(.allStopped) == [.askProxy(3)])
        #expect(job.gets(.proxyAnswered(1)) == [])
        #expect(job.proxyGets(SIGCONT, from: .unknown) == [.noteIgnored(SIGCONT, from: .process(7))])
    }

    @Test("A proxy that isn't seen stopped is asked, although it was told to stop")
    func notStoppedYet() {
        var job = Job.stopped()
        #expect(job.gets(.allStopped) == [.askProxy(1)])
    }
}
