import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine

@Suite("Job control under curfew timeout")
struct JobTimeoutTests {
    @Test(
        "What would end it is passed on",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM, SIGPIPE, 34])
    func passedOn(_ signal: Int32) {
        var job = Job.timeout()
        #expect(job.proxyGets(signal, from: .outside) == [.passOn(signal, isHeard: false)])
        #expect(job.proxyGets(signal, from: .inside) == [.passOn(signal, isHeard: false)])
    }

    @Test(
        "Of an app with a lifecycle who is inside has no say: what is passed on buys time",
        arguments: [SIGUSR1, SIGTERM])
    func insideAnApp(_ signal: Int32) {
        var job = Job.timeout(hasLifecycle: true)
        #expect(job.proxyGets(signal, from: .outside) == [.passOn(signal, isHeard: false)])
        let actions = job.proxyGets(signal, from: .inside)
        #expect(actions.count == 1)
        #expect(!actions.contains(.passOn(signal, isHeard: false)))
    }

    @Test("A key's signal the command has had, being in the proxy's group; a hang-up only the session's leader")
    func heard() {
        var job = Job.timeout()
        #expect(job.proxyGets(SIGINT) == [.passOn(SIGINT, isHeard: true)])
        #expect(job.proxyGets(SIGHUP) == [.passOn(SIGHUP, isHeard: false)])
    }

    @Test("What the supervisor itself is sent is passed on as well")
    func supervisor() {
        var job = Job.timeout()
        #expect(job.gets(.supervisorGot(SIGTERM, from: .kernel)) == [.passOn(SIGTERM, isHeard: false)])
    }

    @Test("Not what is ignored, or what the command has blocked")
    func notHeard() {
        var job = Job.timeout(SIGTERM, mask: SIGUSR1, 64)
        #expect(job.proxyGets(SIGINT, from: .outside) { $0.isIgnored = true } == [])
        #expect(job.proxyGets(SIGUSR1, from: .outside) == [])
        #expect(job.proxyGets(64, from: .outside) == [])
        #expect(job.proxyGets(SIGUSR2, from: .outside) == [.passOn(SIGUSR2, isHeard: false)])
    }

    @Test(
        "What is for job control, or nobody's, isn't, but where it is the signal of the limit",
        arguments: [SIGCONT, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH])
    func jobControl(_ signal: Int32) {
        var job = Job.timeout()
        #expect(job.proxyGets(signal, from: .outside) == [])
        var asked = Job.timeout(signal)
        #expect(asked.proxyGets(signal, from: .outside) == [.passOn(signal, isHeard: false)])
    }

    @Test("The proxy stops and goes on with its command, which the terminal stops itself")
    func stops() {
        var job = Job.timeout()
        #expect(job.proxyGets(SIGTSTP) == [.stopProxy(by: SIGTSTP, number: 1)])
        #expect(job.proxyGets(SIGCONT, from: .outside) == [])
        #expect(!job.control.isProxyStopped)
        #expect(job.proxyGets(SIGTSTP, from: .inside) == [.stopProxy(by: SIGTSTP, number: 2)])
    }

    @Test("Not where stopping is ignored, where no shell would continue it, or from before the stop it is in")
    func stopsNot() {
        var job = Job.timeout()
        #expect(job.proxyGets(SIGTSTP) { $0.isIgnored = true } == [])
        #expect(job.proxyGets(SIGTSTP) { $0.hasShell = false } == [])
        #expect(job.proxyGets(SIGTSTP) == [.stopProxy(by: SIGTSTP, number: 1)])
        #expect(job.gets(.proxyGot(SIGCONT, from: .process(7), stops: 0)) == [])
        #expect(job.control.isProxyStopped)
    }

    @Test("In a script the shell saw the script's stop and no other: what it continues isn't to stop any more")
    func continuedInScript() {
        var job = Job(.inPipeline) {
            $0.hasLifecycle = false
            $0.timeout = TimeoutPolicy(signal: SIGTERM)
        }
        #expect(job.proxyGets(SIGTSTP) == [.stopProxy(by: SIGTSTP, number: 1)])
        #expect(job.gets(.proxyGot(SIGCONT, from: .process(7), stops: 0)) == [.continueProxy(number: 1)])
        #expect(!job.control.isProxyStopped)
    }

    @Test("With a profile it has a life in background, and stopping is home")
    func withLifecycle() {
        var job = Job(.inBackground, .active) { $0.timeout = TimeoutPolicy() }
        #expect(job.proxyGets(SIGTSTP, from: .outside) == [.home(stopped: true), .then(.wentHome(by: SIGTSTP))])
        #expect(job.proxyGets(SIGINT, from: .outside) == [.passOn(SIGINT, isHeard: false)])
    }
}
