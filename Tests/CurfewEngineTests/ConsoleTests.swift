import CCurfew
import CurfewCore
import Glibc
import Testing

@testable import CurfewEngine
@testable import CurfewLinux

@Suite("What the console does for job control")
struct ConsoleTests {
    /// Says what is so, and writes down what is asked of it.
    private final class Host: ConsoleHost {
        var appState: LifecycleState? = .active
        var isAppTerminating = false
        var isAppAsleep = false
        var hasSignalOfTerminal = false
        var hasEnded = false
        var appGroup: Int32 = 0
        var side = SignalSender.Side.outside
        private(set) var asked: [Int32] = []
        private(set) var actions: [JobAction] = []
        var onAction: ((JobAction) -> Void)?

        func side(of process: Int32) -> SignalSender.Side {
            asked.append(process)
            return side
        }

        func perform(_ action: JobAction) {
            actions.append(action)
            onAction?(action)
        }
    }

    private let host = Host()
    private let pages = SharedPages()
    private let job = ShellJob()
    private var proxy: Sleeper { job.proxy }

    private func end() { job.end() }

    private func console(
        hasTerminal: Bool = true, _ onSupervisorExit: OnSupervisorExit = .kill, _ change: (Manifest) -> Void = { _ in }
    ) -> Console {
        let manifest = Manifest.sample()
        change(manifest)
        return job.console(manifest, onSupervisorExit, page: pages.page, hasTerminal: hasTerminal, host: host)
    }

    // MARK: What it is for

    @Test("Without a terminal the app has a group of its own; with one that isn't its to give it shares the proxy's")
    func groups() {
        defer { end() }
        #expect(console(hasTerminal: false).givesOwnGroup)
        #expect(!console(hasTerminal: false).hasTerminal)
        #expect(!console().givesOwnGroup)
        #expect(console().hasTerminal)
        #expect(console().terminalForChild == -1)
        #expect(console().proxyGroup == proxy.pid)
        let timeout = console(hasTerminal: false) { $0.policy.timeout = TimeoutPolicy() }
        #expect(!timeout.givesOwnGroup)
        host.appGroup = 0
        #expect(console().stoppableGroup == proxy.pid)
        host.appGroup = 7
        #expect(console().stoppableGroup == 7)
    }

    // MARK: The proxy

    @Test("Stopped with the app, as the shell is to see; it is wished for by the page, and once")
    func stopped() {
        defer { end() }
        let console = console()
        console.handle(.proxyGot(SIGTSTP, from: .kernel, stops: 0))
        #expect(host.actions == [.home(stopped: true)])
        #expect(pages.wish.signal == SIGTSTP)
        #expect(console.job.isProxyStopped)
        let number = pages.wish.number
        console.handle(.sentHome)
        #expect(pages.wish.number == number)
    }

    @Test("What an action brings about counts for the next that is decided")
    func decidedAnew() {
        defer { end() }
        let console = console()
        // It ends by being sent home: then nobody is stopped for it.
        host.onAction = { [host] in if case .home = $0 { host.hasEnded = true } }
        console.handle(.proxyGot(SIGTSTP, from: .kernel, stops: 0))
        #expect(pages.wish.signal == 0)
        #expect(!console.job.isProxyStopped)
    }

    @Test("Asked to end, it goes on although it was stopped")
    func stoppedWhileEnding() {
        defer { end() }
        host.isAppTerminating = true
        console().handle(.wentHome(by: SIGTSTP))
        #expect(host.actions == [.continueApp])
        #expect(pages.wish.signal == SIGTSTP)
    }

    @Test("Opened again, the proxy isn't to stop any more")
    func continued() {
        defer { end() }
        let console = console()
        console.handle(.wentHome(by: SIGTTIN))
        #expect(pages.wish.signal == SIGTTIN)
        console.handle(.stateChanged(from: .suspended, to: .active))
        #expect(pages.wish.signal == 0)
        #expect(!console.job.isProxyStopped)
    }

    @Test("Where the proxy runs it is asked whether it has passed on all; with its answer that is known")
    func asked() {
        defer { end() }
        let console = console()
        host.side = .unknown
        console.handle(.allStopped)
        let question = pages.question
        #expect(question > 0)
        host.appState = .suspended
        console.handle(.proxyGot(SIGCONT, from: .process(7), stops: 0))
        #expect(host.actions == [.noteIgnored(SIGCONT, from: .process(7))])
        console.handle(.proxyAnswered(question))
        console.handle(.proxyGot(SIGCONT, from: .process(7), stops: 0))
        #expect(host.actions.last == .open)
    }

    @Test("What had come before all was stopped isn't from outside, though it is read after it")
    func unread() {
        defer { end() }
        let console = console()
        host.side = .unknown
        host.appState = .suspended
        console.handle(.wentHome(by: SIGTSTP))
        _ = curfew_kill(proxy.pid, SIGSTOP)
        var info = curfew_wait_info()
        #expect(curfew_waitid(Int32(P_PID.rawValue), proxy.pid, WSTOPPED, &info) == 0)
        pages.put(SIGCONT)
        console.handle(.allStopped)
        console.handle(.proxyGot(SIGCONT, from: .process(7), stops: pages.wish.number))
        #expect(host.actions.last == .noteIgnored(SIGCONT, from: .process(7)))
        console.handle(.proxyGot(SIGCONT, from: .process(7), stops: pages.wish.number))
        #expect(host.actions.last == .open)
    }

    @Test(
        "When the proxy was killed its app ends with it, at once, or as at its limit; or goes on", arguments: [0, 1, 2])
    func proxyGone(kind: Int) {
        defer { end() }
        let console: Console
        switch kind {
        case 0: console = self.console()
        case 1: console = self.console { $0.policy.timeout = TimeoutPolicy() }
        default: console = self.console(.resume)
        }
        console.handle(.proxyGone)
        console.handle(.proxyGone)
        #expect(host.actions == [[.endWithoutProxy], [.abandon], [.open]][kind])
        #expect(console.job.isAbandoned == (kind < 2))
    }

    // MARK: Who has sent a signal

    @Test(
        "Where the sender stands is asked only where it matters",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT])
    func senders(signal: Int32) {
        defer { end() }
        let console = console()
        host.side = .inside
        console.handle(.proxyGot(signal, from: .process(7), stops: 0))
        #expect(host.asked == [7])
        console.handle(.proxyGot(SIGUSR1, from: .process(8), stops: 0))
        #expect(host.asked == [7])
        #expect(host.actions.last == .signalMainProcess(SIGUSR1))
    }

    @Test("A signal to the supervisor asks for an end, but from inside")
    func supervisorGot() {
        defer { end() }
        let console = console()
        console.handle(.supervisorGot(SIGTERM, from: .process(7)))
        #expect(host.actions == [.quit])
        host.side = .inside
        console.handle(.supervisorGot(SIGTERM, from: .process(7)))
        #expect(host.actions.last == .noteIgnored(SIGTERM, from: .process(7)))
    }

    @Test("Without a lifecycle nobody asks where a sender stands")
    func plain() {
        defer { end() }
        let console = console {
            $0.hasLifecycle = false
            $0.policy.timeout = TimeoutPolicy()
        }
        console.handle(.proxyGot(SIGTERM, from: .process(7), stops: 0))
        #expect(host.asked == [])
        #expect(host.actions == [.passOn(SIGTERM, isHeard: false)])
    }

    @Test("A key wakes an app that sleeps, and is then decided anew")
    func keyWakes() {
        defer { end() }
        host.isAppAsleep = true
        host.onAction = { [host] _ in host.isAppAsleep = false }
        console().handle(.proxyGot(SIGINT, from: .kernel, stops: 0))
        #expect(host.actions.first == .wakeUp)
        #expect(host.actions.filter { $0 == .wakeUp }.count == 1)
    }

    // MARK: Keys

    @Test(
        "Without a terminal whatever is typed is nobody else's; with one that it hasn't lent nothing is for a sleeping app"
    )
    func keys() {
        defer { end() }
        #expect(console(hasTerminal: false).getsKeys(whileAsleep: true))
        #expect(console(hasTerminal: false).getsKeys(whileAsleep: false))
        #expect(!console().getsKeys(whileAsleep: true))
        #expect(!console().getsKeys(whileAsleep: false))
        #expect(console().groupToGive == nil)
    }
}
