import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Job control: stopping, home and the terminal")
struct JobControlTests {
    @Test(
        "The stop key is home, and then the proxy stops with its job",
        arguments: [Job.Place.inFront, .inPipeline, .inBackground])
    func stopKey(_ place: Job.Place) {
        var job = Job(place)
        #expect(job.gets(.appStopped(by: SIGTSTP)) == [.home(stopped: true), .then(.wentHome(by: SIGTSTP))])
        #expect(job.gets(.wentHome(by: SIGTSTP)) == [.stopProxy(by: SIGTSTP, number: 1)])
        #expect(job.control.isProxyStopped)
    }

    @Test("The shell hears why: the proxy stops by what has stopped the app, and by SIGTSTP for what it couldn't show")
    func why() {
        var reader = Job()
        #expect(reader.gets(.wentHome(by: SIGTTIN)) == [.stopProxy(by: SIGTTIN, number: 1)])
        var writer = Job()
        #expect(writer.gets(.wentHome(by: SIGTTOU)) == [.stopProxy(by: SIGTTOU, number: 1)])
        var stopped = Job()
        #expect(stopped.gets(.wentHome(by: SIGSTOP)) == [.stopProxy(by: SIGTSTP, number: 1)])
    }

    @Test("Without a shell to open it again the stop key does nothing")
    func withoutShell() {
        var job = Job()
        job.facts.hasShell = false
        #expect(job.gets(.appStopped(by: SIGTSTP)) == [.continueProxyGroup, .continueApp])
        #expect(job.proxyGets(SIGTSTP) == [.continueProxyGroup, .continueApp])
        #expect(!job.control.isProxyStopped)
    }

    @Test("Without a shell whoever reads the terminal from behind goes home all the same, and the proxy goes on")
    func readerWithoutShell() {
        var job = Job()
        job.facts.hasShell = false
        #expect(job.gets(.appStopped(by: SIGTTIN)) == [.home(stopped: true), .then(.wentHome(by: SIGTTIN))])
        #expect(job.gets(.wentHome(by: SIGTTIN)) == [])
    }

    @Test(
        "Who reads the terminal while the shell has the proxy there gets it, and goes on",
        arguments: [SIGTTIN, SIGTTOU])
    func reader(_ signal: Int32) {
        var job = Job()
        #expect(job.gets(.appStopped(by: signal)) { $0.canTakeTerminal = true } == [.giveTerminal, .continueApp])
        #expect(job.gets(.appStopped(by: signal)) == [.home(stopped: true), .then(.wentHome(by: signal))])
    }

    @Test(
        "SIGSTOP of the leader is home where the app has a group of its own; in a shared one it is somebody's business")
    func stopSignal() {
        var own = Job(.inFront)
        #expect(own.gets(.appStopped(by: SIGSTOP)) == [.home(stopped: true), .then(.wentHome(by: SIGSTOP))])
        var shared = Job(.inPipeline)
        #expect(shared.gets(.appStopped(by: SIGSTOP)) == [])
    }

    @Test("What runs on behind and uses the terminal stays stopped until it is opened; SIGSTOP there is our own")
    func behind() {
        var job = Job(.inFront, .background)
        #expect(job.gets(.appStopped(by: SIGTTIN)) == [.noteStop])
        #expect(job.gets(.appStopped(by: SIGTSTP)) == [.noteStop])
        #expect(job.gets(.appStopped(by: SIGSTOP)) == [])
    }

    @Test("Without a terminal, a lifecycle or an app a stop is nobody's business here")
    func nobodysBusiness() {
        var without = Job(.withoutTerminal)
        #expect(without.gets(.appStopped(by: SIGTSTP)) == [])
        var timeout = Job.timeout()
        #expect(timeout.gets(.appStopped(by: SIGTSTP)) == [])
        var ended = Job()
        ended.facts.state = nil
        #expect(ended.gets(.appStopped(by: SIGTSTP)) == [])
    }

    @Test("An app that was asked to end isn't sent home: it runs on to end, and the shell gets its prompt")
    func terminating() {
        var job = Job()
        let actions = job.gets(.wentHome(by: SIGTSTP)) { $0.isTerminating = true }
        #expect(actions == [.takeTerminal, .continueApp, .stopProxy(by: SIGTSTP, number: 1)])
    }

    @Test("Going home can be the end; then no proxy is stopped")
    func homeWasTheEnd() {
        var job = Job()
        #expect(job.gets(.wentHome(by: SIGTSTP)) { $0.hasEnded = true } == [])
        #expect(!job.control.isProxyStopped)
    }

    // MARK: Who has the terminal

    @Test("Home gives the terminal back, opening gives it to the app and continues the proxy")
    func terminal() {
        var job = Job()
        #expect(job.gets(.stateChanged(from: .active, to: .background)) == [.takeTerminal])
        #expect(job.gets(.stateChanged(from: .background, to: .suspended)) == [])
        #expect(job.gets(.wentHome(by: SIGTSTP)) == [.stopProxy(by: SIGTSTP, number: 1)])
        #expect(job.gets(.stateChanged(from: .suspended, to: .inactive)) == [.continueProxy(number: 1), .giveTerminal])
        #expect(job.gets(.stateChanged(from: .inactive, to: .active)) == [])
        #expect(!job.control.isProxyStopped)
    }

    @Test("Where it shares a group the terminal isn't handed about")
    func sharedTerminal() {
        var job = Job(.inPipeline)
        #expect(job.gets(.stateChanged(from: .active, to: .background)) == [])
        #expect(job.gets(.wentHome(by: SIGTSTP)) == [.stopProxy(by: SIGTSTP, number: 1)])
        #expect(job.gets(.stateChanged(from: .background, to: .active)) == [.continueProxy(number: 1)])
    }

    @Test("An interruption changes nothing, nor does a launch or an end")
    func noHandover() {
        var job = Job()
        #expect(job.gets(.stateChanged(from: .active, to: .inactive)) == [])
        #expect(job.gets(.stateChanged(from: .notRunning, to: .inactive)) == [])
        #expect(job.gets(.stateChanged(from: .active, to: .notRunning)) == [])
    }

    // MARK: When the proxy stops

    @Test("Home from elsewhere stops the proxy as the key does")
    func sentHome() {
        var job = Job(.inFront, .suspended)
        #expect(job.gets(.sentHome) == [.stopProxy(by: SIGTSTP, number: 1)])
    }

    @Test("In a script the shell waits for the script: a stopped proxy would only keep Ctrl-C from it")
    func sentHomeInScript() {
        var job = Job(.inPipeline, .suspended)
        #expect(job.gets(.sentHome) == [])
    }

    @Test("Home from elsewhere stops no proxy that has no shell, no terminal, or an app that has stayed in front")
    func sentHomeElse() {
        var orphan = Job(.inFront, .suspended)
        #expect(orphan.gets(.sentHome) { $0.hasShell = false } == [])
        var without = Job(.withoutTerminal, .suspended)
        #expect(without.gets(.sentHome) { $0.hasShell = true } == [])
        var refused = Job(.inFront, .active)
        #expect(refused.gets(.sentHome) == [])
    }

    @Test("It is asked once, and each wish to stop has a number of its own")
    func once() {
        var job = Job.stopped()
        #expect(job.gets(.sentHome) == [])
        #expect(job.gets(.stateChanged(from: .suspended, to: .active)) == [.continueProxy(number: 1), .giveTerminal])
        #expect(job.gets(.wentHome(by: SIGTSTP)) == [.stopProxy(by: SIGTSTP, number: 2)])
    }

    // MARK: The proxy's end

    @Test("Without its proxy an app is ended, or opened where it may outlive it; under timeout it is signalled first")
    func proxyGone() {
        var run = Job.stopped()
        #expect(run.gets(.proxyGone) == [.endWithoutProxy])
        #expect(!run.control.isProxyStopped)
        var resumes = Job(.inFront, .active) { $0.onSupervisorExit = .resume }
        #expect(resumes.gets(.proxyGone) == [.open])
        #expect(!resumes.control.isAbandoned)
        var timeout = Job.timeout()
        #expect(!timeout.control.isAbandoned)
        #expect(timeout.gets(.proxyGone) == [.abandon])
        #expect(timeout.control.isAbandoned)
    }

    @Test("Anybody can send the signal that tells of it: it counts once")
    func proxyGoneOnce() {
        var job = Job(.inFront, .active) { $0.onSupervisorExit = .resume }
        #expect(job.gets(.proxyGone) == [.open])
        #expect(job.gets(.proxyGone) == [])
    }
}

@Suite("Job control: an app that sleeps in front")
struct JobSleepTests {
    private func asleep(_ place: Job.Place = .inFront) -> Job {
        var job = Job(place, .suspended)
        job.facts.isAsleep = true
        return job
    }

    @Test("The proxy has the terminal once the app is stopped, and nothing else changes hands")
    func fallsAsleep() {
        var job = asleep()
        #expect(job.gets(.stateChanged(from: .active, to: .suspended)) == [.lendTerminal])
        #expect(!job.control.isProxyStopped)
    }

    @Test(
        "Who has no terminal of its own, or shares its group, lends none",
        arguments: [Job.Place.inPipeline, .withoutTerminal])
    func withoutTerminal(_ place: Job.Place) {
        var job = asleep(place)
        #expect(job.gets(.stateChanged(from: .background, to: .suspended)) == [])
    }

    @Test("Awake it has its terminal back")
    func wakes() {
        var job = asleep()
        _ = job.gets(.stateChanged(from: .active, to: .suspended))
        job.facts.isAsleep = false
        #expect(job.gets(.stateChanged(from: .suspended, to: .active)).contains(.giveTerminal))
    }

    @Test("Until it is opened that is home: the proxy takes the terminal, and stops for the shell")
    func stays() {
        var job = Job(.inFront, .suspended)
        #expect(job.gets(.stateChanged(from: .active, to: .suspended)) == [.takeTerminal])
        #expect(job.gets(.sentHome) == [.stopProxy(by: SIGTSTP, number: 1)])
        var asleep = asleep()
        _ = asleep.gets(.stateChanged(from: .active, to: .suspended))
        asleep.facts.isAsleep = false
        asleep.facts.isTerminalLent = true
        #expect(asleep.gets(.sentHome) == [.takeTerminal, .stopProxy(by: SIGTSTP, number: 1)])
    }

    @Test(
        "What the terminal sends wakes it, and is dealt with as if it had been awake",
        arguments: [SIGINT, SIGQUIT, SIGTSTP, SIGHUP, SIGWINCH])
    func terminalSignal(_ signal: Int32) {
        var job = asleep()
        let again = JobInput.proxyGot(signal, from: .kernel, stops: 0)
        #expect(job.proxyGets(signal) == [.wakeUp, .then(again)])
    }

    @Test("What a process sends doesn't", arguments: [SIGINT, SIGQUIT, SIGHUP])
    func processSignal(_ signal: Int32) {
        var job = asleep()
        #expect(!job.proxyGets(signal, from: .outside).contains(.wakeUp))
    }
}
