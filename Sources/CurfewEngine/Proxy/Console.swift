import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What the console needs of whoever holds the app.
protocol ConsoleHost: AnyObject {
    /// Nil where there is no app any more; suspended from when it falls asleep, though it isn't stopped for sure yet.
    var appState: LifecycleState? { get }
    var isAppTerminating: Bool { get }
    /// In front, until there is something for it.
    var isAppAsleep: Bool { get }
    /// A signal of the terminal waits for the app, which is stopped.
    var hasSignalOfTerminal: Bool { get }
    var hasEnded: Bool { get }
    /// The app's own group; 0 where it has none, or isn't started yet.
    var appGroup: Int32 { get }
    func side(of process: Int32) -> SignalSender.Side
    /// What is for the app or its processes; terminal and proxy are the console's.
    func perform(_ action: JobAction)
}

/// The terminal and the proxy, where there are any: looks at them for job control, and does what that decides.
final class Console {
    var job: JobControl
    let terminal: Terminal?
    let proxy: Int32
    let proxyGroup: Int32
    var proxyAttributes: termios?
    var appAttributes: termios?
    /// The app's group that had the terminal when it went home: the leader's, or one of a shell's inside the app.
    var groupWithTerminal: Int32 = 0
    /// Whether the proxy has the terminal only while the app sleeps.
    var isTerminalLent = false
    private let page: SharedPage
    private let signals: CommandSignals
    unowned let host: any ConsoleHost

    init(
        _ manifest: Manifest, _ onSupervisorExit: OnSupervisorExit, page: SharedPage, proxy: Int32,
        signals: CommandSignals, terminal: Terminal? = .controlling(), host: any ConsoleHost
    ) {
        self.page = page
        self.signals = signals
        self.proxy = proxy
        self.host = host
        proxyGroup = getpgid(proxy)
        self.terminal = terminal
        // Under timeout(1) the app is in its proxy's group wherever that is.
        let sharesGroup = manifest.policy.timeout != nil
        let ownsTerminal =
            !sharesGroup && terminal?.shouldBeHandedOver(toGroupLedBy: proxy, group: proxyGroup) ?? false
        let givesOwnGroup = ownsTerminal || terminal == nil && !sharesGroup
        job = JobControl(
            JobControl.Setting(
                hasLifecycle: manifest.hasLifecycle, timeout: manifest.policy.timeout, commandsMask: signals.blocked,
                onSupervisorExit: onSupervisorExit, hasTerminal: terminal != nil, ownsTerminal: ownsTerminal,
                givesOwnGroup: givesOwnGroup, proxyLeadsGroup: proxy == proxyGroup))
        proxyAttributes = ownsTerminal ? terminal?.attributes : nil
    }

    var hasTerminal: Bool { job.setting.hasTerminal }
    var givesOwnGroup: Bool { job.setting.givesOwnGroup }
    var ownsTerminal: Bool { job.setting.ownsTerminal }

    /// The terminal a child takes before it is executed; -1 for none.
    var terminalForChild: Int32 { ownsTerminal ? terminal?.descriptor.number ?? -1 : -1 }

    /// The group that the terminal's keys stop with the app.
    var stoppableGroup: Int32 { host.appGroup > 0 ? host.appGroup : proxyGroup }

    // MARK: Deciding

    func handle(_ input: JobInput) {
        for action in job.handle(input, look(for: input)) { perform(action) }
    }

    /// What can take long, or be wrong by the time it counts, is looked at for those that depend on it alone.
    private func look(for input: JobInput) -> JobFacts {
        var facts = JobFacts()
        switch input {
        case .proxyAnswered, .supervisorContinued, .proxyGone, .continues: return facts
        case .stateChanged:
            facts.isAsleep = host.isAppAsleep
            return facts
        case .appStopped(let signal):
            facts.canTakeTerminal = groupToGive != nil
            facts.hasShell = signal == SIGTSTP && hasShell
        case .proxyGot(let signal, let sender, _): lookAtSignal(signal, sender, &facts)
        case .supervisorGot(let signal, let sender):
            facts.isIgnored = isIgnored(signal)
            facts.side = side(of: sender)
        case .sentHome:
            facts.hasShell = job.mayStopProxy && hasShell
            facts.isTerminalLent = isTerminalLent
        case .allStopped:
            facts.isProxySeenStopped = job.isProxyStopped && Procfs.stat(proxy)?.isStopped == true
            facts.newsCount = page.newsCount
        case .wentHome:
            facts.hasEnded = host.hasEnded
            facts.isTerminating = host.isAppTerminating
            facts.hasShell = hasShell
        case .keyPressed(let signal):
            facts.isIgnored = isIgnored(signal)
            facts.canTakeTerminal = groupToGive != nil
        }
        facts.state = host.appState
        return facts
    }

    private func lookAtSignal(_ signal: Int32, _ sender: SignalSender, _ facts: inout JobFacts) {
        facts.isIgnored = isIgnored(signal)
        facts.isAsleep = host.isAppAsleep
        switch signal {
        case SIGCONT, SIGINT, SIGQUIT:
            facts.side = side(of: sender)
            facts.canTakeTerminal = groupToGive != nil
            facts.hasShell = hasShell
        case SIGTSTP:
            facts.side = side(of: sender)
            facts.hasShell = hasShell
        case SIGTTIN, SIGTTOU, SIGTERM: facts.side = side(of: sender)
        case SIGHUP:
            facts.side = side(of: sender)
            facts.proxyLeadsSession = getsid(proxy) == proxy
        case SIGWINCH: facts.canTakeTerminal = groupToGive != nil
        default: if job.setting.timeout?.passesOn(signal) == true { facts.side = side(of: sender) }
        }
    }

    private func isIgnored(_ signal: Int32) -> Bool { !signals.resets(signal) && curfew_signal_is_ignored(signal) != 0 }

    private func side(of sender: SignalSender) -> SignalSender.Side {
        guard job.setting.hasLifecycle, case .process(let pid) = sender else { return .unknown }
        return host.side(of: pid)
    }

    // MARK: Doing

    private func perform(_ action: JobAction) {
        switch action {
        case .giveTerminal: giveTerminal()
        case .takeTerminal: takeTerminal()
        case .lendTerminal: lendTerminal()
        case .stopProxy(let signal, let number): page.wish(signal, number: number, of: proxy)
        case .continueProxy(let number):
            page.wish(0, number: number, of: proxy)
            if getppid() == proxy { _ = curfew_kill(proxy, SIGCONT) }
        case .continueProxyGroup:
            // Undoes a stop that nobody would ever undo. While it lives the group is its.
            if getppid() == proxy { _ = curfew_kill(-proxyGroup, SIGCONT) }
        case .askProxy(let question): page.ask(question, of: proxy)
        case .then(let input): handle(input)
        case .home, .open, .wakeUp, .quit, .noteStop, .passOn, .abandon, .endWithoutProxy, .noteIgnored, .continueApp,
            .signalApp, .signalMainProcess:
            host.perform(action)
        }
    }

    /// Whether somebody is there to continue a stopped proxy: one with a process above it that is of its session, but
    /// of another group. Source: POSIX, 3.264 Orphaned Process Group; the supervisor isn't such a one.
    private var hasShell: Bool {
        let session = getsid(proxy)
        // Whoever leads a session that isn't the proxy's is its shell, as far as can be told.
        guard Procfs.isOurs else { return session > 0 && session != proxy }
        return Procfs.climb(from: proxy) { pid, stat in
            stat.processGroup == proxyGroup ? nil : getsid(pid) == session
        } ?? false
    }
}
