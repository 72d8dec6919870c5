import CurfewCore
import Glibc

/// The shell's job control, decided: who has the terminal, when the proxy stops, and what a signal means.
///
/// A value that does nothing itself: `Console` looks, asks it, and performs what it answers. The proxy is what the shell
/// knows; the app has its own process group and the terminal only where it would have been in front alone. In a pipeline,
/// a script or a background job it shares the proxy's group.
struct JobControl {
    /// What stays as it was when the app was started.
    struct Setting {
        var hasLifecycle = true
        /// Of `curfew timeout`.
        var timeout: TimeoutPolicy?
        /// What the command has blocked: bit n-1 is signal n.
        var commandsMask: UInt64 = 0
        var onSupervisorExit = OnSupervisorExit.kill
        /// The proxy stops when the app goes home, so that the shell gets its prompt back.
        var hasTerminal = false
        /// The app has the terminal while it is in front.
        var ownsTerminal = false
        /// Whether the app leads a group of its own. Without a terminal it does, so that the group can be killed at once.
        var givesOwnGroup = true
        var proxyLeadsGroup = true
    }

    let setting: Setting
    private(set) var isProxyStopped = false
    /// How many times the proxy was asked to stop, as far as is counted, and by which signal last.
    private var stopsAsked: UInt32 = 0
    private var lastStop: Int32 = SIGTSTP
    private var isProxyGone = false
    private var queue = ProxyQueue()

    init(_ setting: Setting) { self.setting = setting }

    /// `facts`: what is so now, as far as this input's decision depends on it.
    mutating func handle(_ input: JobInput, _ facts: JobFacts) -> [JobAction] {
        switch input {
        case .appStopped(let signal): return appStopped(by: signal, facts)
        case .proxyGot(let signal, let sender, let stops):
            defer { queue.taken() }
            return proxyGot(signal, from: sender, timing(stops: stops), facts)
        case .proxyAnswered(let question):
            queue.answered(question)
            queue.taken()
        case .supervisorContinued: queue.taken()
        case .supervisorGot(let signal, let sender):
            return timeoutGot(signal, from: sender, isHeard: false, facts)
                ?? refusal(of: signal, from: sender, facts) ?? [.quit]
        case .proxyGone: return proxyWasKilled()
        case .stateChanged(let from, let to): return stateChanged(from: from, to: to, facts)
        case .sentHome: return sentHome(facts)
        case .allStopped:
            let isDone = isProxyStopped && facts.isProxySeenStopped
            if let question = queue.allStopped(isProxyDone: isDone, unread: facts.newsCount) {
                return [.askProxy(question)]
            }
        case .continues: queue.continues()
        case .wentHome(let signal): return wentHome(by: signal, facts)
        case .keyPressed(let signal): return pressed(signal, facts)
        }
        return []
    }

    // MARK: The app

    /// A terminal stop of the leader is home.
    private func appStopped(by signal: Int32, _ facts: JobFacts) -> [JobAction] {
        guard setting.hasLifecycle, setting.hasTerminal, let state = facts.state else { return [] }
        // It ran on in background and used the terminal; whoever opens it continues it. SIGSTOP is ours.
        if !state.isForeground { return signal == SIGSTOP ? [] : [.noteStop] }
        let stopsReaders = Self.stopsReaders(signal)
        if stopsReaders, facts.canTakeTerminal { return [.giveTerminal, .continueApp] }
        guard setting.givesOwnGroup || signal == SIGTSTP || stopsReaders else { return [] }
        return stoppedByTerminal(signal, facts)
    }

    /// Sent to a group that reads the terminal, or writes to it, from behind.
    private static func stopsReaders(_ signal: Int32) -> Bool { signal == SIGTTIN || signal == SIGTTOU }

    /// Home. Where there is no shell to open it again, Ctrl-Z does nothing, as without Curfew.
    private func stoppedByTerminal(_ signal: Int32, _ facts: JobFacts) -> [JobAction] {
        if signal == SIGTSTP, !facts.hasShell { return [.continueProxyGroup, .continueApp] }
        return goHome(by: signal, stopped: true)
    }

    private func goHome(by signal: Int32, stopped: Bool) -> [JobAction] {
        [.home(stopped: stopped), .then(.wentHome(by: signal))]
    }

    private mutating func wentHome(by signal: Int32, _ facts: JobFacts) -> [JobAction] {
        if facts.hasEnded { return [] }
        // It was asked to end: it isn't sent home, and must run to end in time.
        let goesOn: [JobAction] = facts.isTerminating ? [.takeTerminal, .continueApp] : []
        return goesOn + stopProxy(by: signal, facts)
    }

    /// Home: the terminal goes back to the proxy's group; the proxy itself is stopped once the app has been dealt with.
    /// Opened by the shell's `fg`, the app gets it as it had it; from elsewhere it runs on without.
    ///
    /// Asleep it stays in front, and the shell notices nothing: only the terminal's signals come to the proxy from then on.
    private mutating func stateChanged(
        from: LifecycleState, to: LifecycleState, _ facts: JobFacts
    ) -> [JobAction] {
        if facts.isAsleep { return to == .suspended && setting.ownsTerminal ? [.lendTerminal] : [] }
        if from.isForeground, to == .background || to == .suspended {
            return setting.ownsTerminal ? [.takeTerminal] : []
        }
        guard to.isForeground, !from.isForeground, from != .notRunning else { return [] }
        return continueProxy() + (setting.ownsTerminal ? [.giveTerminal] : [])
    }

    /// The shell gets its prompt, as it does after Ctrl-Z. In a script the shell waits for the script, and a stopped proxy
    /// would only keep Ctrl-C from it.
    private mutating func sentHome(_ facts: JobFacts) -> [JobAction] {
        guard let state = facts.state, !state.isForeground, mayStopProxy else { return [] }
        return (facts.isTerminalLent ? [.takeTerminal] : []) + stopProxy(by: SIGTSTP, facts)
    }

    /// When the app was sent home by a client; as long as not, no shell needs to be looked for.
    var mayStopProxy: Bool { setting.hasTerminal && setting.proxyLeadsGroup && !isProxyStopped }

    // MARK: The proxy

    /// Asks it to stop as by this signal, so that the shell says why. Where there is no shell, a stopped proxy would be
    /// a dead terminal.
    private mutating func stopProxy(by signal: Int32, _ facts: JobFacts) -> [JobAction] {
        guard !isProxyStopped, facts.hasShell else { return [] }
        isProxyStopped = true
        lastStop = Self.stopsReaders(signal) ? signal : SIGTSTP
        stopsAsked = (stopsAsked + 1) & 0xff_ffff
        return [.stopProxy(by: lastStop, number: stopsAsked)]
    }

    private mutating func continueProxy() -> [JobAction] {
        guard isProxyStopped else { return [] }
        isProxyStopped = false
        return [.continueProxy(number: stopsAsked)]
    }

    /// Whether whoever waited for the app was killed, and it is to end with him.
    var isAbandoned: Bool { isProxyGone && setting.onSupervisorExit == .kill }

    /// Anybody can send the signal that tells of it, and again.
    private mutating func proxyWasKilled() -> [JobAction] {
        if isProxyGone { return [] }
        isProxyGone = true
        isProxyStopped = false
        switch setting.onSupervisorExit {
        case .kill: return [setting.timeout == nil ? .endWithoutProxy : .abandon]
        case .resume: return [.open]
        }
    }

    /// When the proxy got a signal that it passes on. One with a lower number overtakes the SIGCONT that continued it,
    /// and one that stops discards that SIGCONT.
    private enum Timing {
        case beforeStop, afterStop, running
    }

    private mutating func timing(stops: UInt32) -> Timing {
        guard stops == stopsAsked else { return .beforeStop }
        guard isProxyStopped else { return .running }
        isProxyStopped = false
        return .afterStop
    }

    // MARK: Its signals

    private mutating func proxyGot(
        _ signal: Int32, from sender: SignalSender, _ timing: Timing, _ facts: JobFacts
    ) -> [JobAction] {
        let isFromTerminal = sender == .kernel
        let isHeard = isFromTerminal && signal != SIGHUP
        if isFromTerminal, facts.isAsleep, Self.wakes(signal) {
            let again = JobInput.proxyGot(signal, from: sender, stops: stopsAsked)
            return [.wakeUp, .then(again)]
        }
        if let actions = timeoutGot(signal, from: sender, isHeard: isHeard, facts) { return actions }
        if !setting.hasLifecycle, let actions = stopsOrContinues(signal, timing, facts) { return actions }
        switch signal {
        case SIGCONT:
            if timing == .beforeStop { return continuedBeforeStop(by: sender, facts) }
            return proxyContinued(by: sender, wasStopped: timing == .afterStop, facts)
        case SIGTSTP, SIGTTIN, SIGTTOU:
            if timing == .beforeStop { return [] }
            return refusal(of: signal, from: sender, facts)
                ?? toldToStop(by: signal, isFromTerminal: isFromTerminal, facts)
        case SIGINT where isFromTerminal, SIGQUIT where isFromTerminal:
            let opening = timing == .afterStop ? proxyContinued(by: sender, wasStopped: true, facts) : []
            return opening + [.then(.keyPressed(signal))]
        case SIGHUP where isFromTerminal: return terminalClosed(facts)
        case SIGWINCH where isFromTerminal: return passToAppGroup(SIGWINCH, facts)
        case SIGINT, SIGTERM, SIGHUP:
            return facts.isIgnored ? [] : refusal(of: signal, from: sender, facts) ?? [.quit]
        case SIGPIPE, SIGURG: return []
        default: return [.signalMainProcess(signal)]
        }
    }

    /// What a terminal sends to whoever is in front.
    private static func wakes(_ signal: Int32) -> Bool {
        signal == SIGINT || signal == SIGQUIT || signal == SIGTSTP || signal == SIGHUP || signal == SIGWINCH
    }

    /// By the terminal, together with the app where they share a group; or by somebody's kill -TSTP.
    private func toldToStop(by signal: Int32, isFromTerminal: Bool, _ facts: JobFacts) -> [JobAction] {
        if facts.isIgnored { return [] }
        if isFromTerminal { return stoppedByTerminal(signal, facts) }
        return signal == SIGTSTP ? goHome(by: signal, stopped: !setting.givesOwnGroup) : []
    }

    /// `fg`, `bg`, or somebody's SIGCONT: each opens the app; only in front does it get the terminal.
    private mutating func proxyContinued(
        by sender: SignalSender, wasStopped: Bool, _ facts: JobFacts
    ) -> [JobAction] {
        isProxyStopped = false
        guard let state = facts.state else { return [] }
        if state.isForeground { return facts.canTakeTerminal ? [.giveTerminal, .continueApp] : [] }
        guard let refusal = refusal(of: SIGCONT, from: sender, facts) else { return [.open] }
        // Else the shell would take its job for running, and its `fg` would send no SIGCONT.
        return wasStopped ? refusal + stopProxy(by: lastStop, facts) : refusal
    }

    /// From before a stop that has come since, its `fg` has been heeded with the key that overtook it.
    ///
    /// But for a proxy that isn't its shell's own child: the script's shell stops at once, and by that the job counts as
    /// stopped. A proxy that stopped all the same would never be continued.
    private func continuedBeforeStop(by sender: SignalSender, _ facts: JobFacts) -> [JobAction] {
        guard isProxyStopped, !setting.proxyLeadsGroup, facts.state?.isForeground == false else { return [] }
        return refusal(of: SIGCONT, from: sender, facts) ?? [.open]
    }

    /// The keys are the app's. Suspended it couldn't heed them, so there they end it.
    private func pressed(_ signal: Int32, _ facts: JobFacts) -> [JobAction] {
        guard let state = facts.state, !facts.isIgnored else { return [] }
        switch state {
        case .suspended: return [.quit]
        case .background: return [.signalApp(signal)]
        case .active, .inactive, .notRunning: return passToAppGroup(signal, facts)
        }
    }

    /// The terminal's own signals are the app's. In a shared group it has had them; with its own it gets them here: the shell
    /// has put the proxy in front, and the app may have been given the terminal since.
    private func passToAppGroup(_ signal: Int32, _ facts: JobFacts) -> [JobAction] {
        guard setting.ownsTerminal else { return [] }
        return (facts.canTakeTerminal ? [.giveTerminal] : []) + [.signalApp(signal)]
    }

    /// In front the app is told, and may stay, as without Curfew; else nobody could ever open it again.
    private func terminalClosed(_ facts: JobFacts) -> [JobAction] {
        guard let state = facts.state, !facts.isIgnored else { return [] }
        if !state.isForeground { return [.quit] }
        if setting.givesOwnGroup { return [.signalApp(SIGHUP)] }
        return facts.proxyLeadsSession ? [.signalMainProcess(SIGHUP)] : []
    }

    // MARK: As timeout(1) has it

    /// All that would end it is passed on; nil where the signal is anything else. Of an app that has a lifecycle it buys
    /// time in background, so there whoever is inside has no say.
    ///
    /// From a terminal's keys the command has had it too, being in the proxy's group; its hangup only the session's leader.
    /// Source: coreutils NEWS, 9.10; manual, "timeout invocation".
    private func timeoutGot(
        _ signal: Int32, from sender: SignalSender, isHeard: Bool, _ facts: JobFacts
    ) -> [JobAction]? {
        guard let timeout = setting.timeout, timeout.passesOn(signal) else { return nil }
        let isBlocked = setting.commandsMask & 1 << UInt64(signal - 1) != 0
        if isBlocked || facts.isIgnored { return [] }
        return refusal(of: signal, from: sender, facts) ?? [.passOn(signal, isHeard: isHeard)]
    }

    /// Where stopping isn't home: the command is stopped and continued by its terminal, and the proxy does as it does.
    /// What stops a command that reads the terminal from behind doesn't stop its timeout.
    private mutating func stopsOrContinues(_ signal: Int32, _ timing: Timing, _ facts: JobFacts) -> [JobAction]? {
        switch signal {
        case SIGCONT:
            // As `continuedBeforeStop` has it.
            if timing == .beforeStop { return setting.proxyLeadsGroup ? [] : continueProxy() }
            isProxyStopped = false
            return []
        case SIGTSTP: return timing == .beforeStop || facts.isIgnored ? [] : stopProxy(by: signal, facts)
        case SIGTTIN, SIGTTOU, SIGWINCH: return []
        default: return nil
        }
    }

    // MARK: Who has a say

    /// Nil where the signal may drive the app. Whoever is inside has no say by signals either: they open the app, send it
    /// home and end it, as an operator does.
    ///
    /// Where the sender can't be told it may end the app or stop it, which the app can do by itself. It opens the app
    /// only when all of the app was stopped by the time it was sent: then it came from outside.
    private func refusal(of signal: Int32, from sender: SignalSender, _ facts: JobFacts) -> [JobAction]? {
        guard setting.hasLifecycle else { return nil }
        switch side(of: sender, by: signal, facts) {
        case .outside: return nil
        case .unknown where signal != SIGCONT || queue.isFromOutside: return nil
        case .inside, .unknown: return [.noteIgnored(signal, from: sender)]
        }
    }

    private func side(of sender: SignalSender, by signal: Int32, _ facts: JobFacts) -> SignalSender.Side {
        switch sender {
        // Of the kernel's own, SIGCONT comes to a group that has been orphaned, which an app can bring about; no shell's does.
        case .kernel: signal == SIGCONT ? .unknown : .outside
        case .process: facts.side
        case .unknown: .unknown
        }
    }
}
