import CCurfew
import CurfewLinux
import Glibc

/// The shell's job control, where there is a controlling terminal: who has the terminal, and when the front stops.
///
/// The front is what the shell knows; the app has its own process group and the terminal only where it would have
/// been in front alone. In a pipeline, a script or a background job it shares the front's group.
final class JobControl {
    /// Whether the app leads a group of its own. Without a terminal it does, so that the group can be killed at once.
    let givesOwnGroup: Bool
    /// The app's own group, or 0; told once it has been started.
    var appGroup: Int32 = 0 { didSet { leaveFrontsGroup() } }
    /// Whether the front stops when the app goes home, so that the shell gets its prompt back.
    let hasTerminal: Bool
    private(set) var isFrontStopped = false
    /// The leader's end is known; what it left behind may go on.
    private(set) var isLeaderGone = false

    private let terminal: Terminal?
    private let ownsTerminal: Bool
    private let page: SharedPage
    private let front: Int32
    private let frontGroup: Int32
    private var frontAttributes: termios?
    private var appAttributes: termios?
    /// The app's group that had the terminal when it went home: the leader's, or one of a shell's inside the app.
    private var groupWithTerminal: Int32 = 0
    private var leaderWasKilled = false
    /// How many times the front was asked to stop, as far as is counted, and by which signal last.
    private var stopsAsked: UInt32 = 0
    private var lastStop: Int32 = SIGTSTP

    /// `sharesGroup`: the app is in its front's group wherever that is, as under timeout(1).
    init(page: SharedPage, front: Int32, sharesGroup: Bool) {
        self.page = page
        self.front = front
        frontGroup = getpgid(front)
        terminal = Terminal.controlling()
        hasTerminal = terminal != nil
        ownsTerminal =
            !sharesGroup && terminal?.shouldBeHandedOver(toGroupLedBy: front, group: frontGroup) ?? false
        givesOwnGroup = ownsTerminal || !hasTerminal && !sharesGroup
        frontAttributes = ownsTerminal ? terminal?.attributes : nil
        // The app inherits the supervisor's group, so that must be the front's until it has started.
        if !givesOwnGroup { _ = setpgid(0, frontGroup) }
    }

    private func leaveFrontsGroup() {
        if !givesOwnGroup { _ = setpgid(0, 0) }
    }

    /// The terminal a child takes before it is executed; -1 for none.
    var terminalForChild: Int32 { ownsTerminal ? terminal?.descriptor.number ?? -1 : -1 }

    /// The group that the terminal's keys stop with the app.
    var stoppableGroup: Int32 { appGroup > 0 ? appGroup : frontGroup }

    // MARK: The terminal

    /// Whether the app could have the terminal now: the shell has put the front in front.
    var isFrontInFront: Bool {
        guard ownsTerminal, let terminal else { return false }
        return terminal.foregroundGroup == frontGroup
    }

    /// Home: the terminal goes back to the front's group, as the front had it. The front itself is stopped by
    /// `stopFront`, once the app has been dealt with.
    func leftForeground() {
        guard ownsTerminal, let terminal, appGroup > 0 else { return }
        let group = terminal.foregroundGroup
        guard isOfApp(group) else { return }
        appAttributes = terminal.attributes
        groupWithTerminal = group
        terminal.setForegroundGroup(frontGroup)
        terminal.setAttributes(frontAttributes)
    }

    /// A shell inside the app gives the terminal to groups of its own.
    private func isOfApp(_ group: Int32) -> Bool {
        if group == appGroup { return ProcessTree.holdsGroup(group, ancestor: getpid()) }
        guard group > 0, group != frontGroup else { return false }
        return ProcessTree.descendants(of: getpid()).contains { getpgid($0) == group }
    }

    /// Opened: by the shell's `fg`, it gets the terminal as it had it; from elsewhere it runs on without.
    func enteredForeground() {
        continueFront()
        giveTerminal()
    }

    /// Hands the terminal to the app, if the shell has put its front there; true if it did.
    @discardableResult
    func giveTerminal() -> Bool {
        guard isFrontInFront, let terminal, appGroup > 0 else { return false }
        // The group that had it can have ended since, and its number be another's.
        let group = groupWithTerminal != 0 && isOfApp(groupWithTerminal) ? groupWithTerminal : appGroup
        guard isOfApp(group) else { return false }
        frontAttributes = terminal.attributes
        terminal.setAttributes(appAttributes)
        terminal.setForegroundGroup(group)
        groupWithTerminal = 0
        return true
    }

    func leaderEnded(bySignal: Bool) {
        isLeaderGone = true
        leaderWasKilled = bySignal
    }

    /// At the end: the shell takes the terminal back itself, but a caller that doesn't must not lose it. The modes are
    /// the program's to leave, as with `stty`, unless it was killed.
    func finish() {
        guard ownsTerminal, let terminal else { return }
        let group = terminal.foregroundGroup
        guard group > 0, group == appGroup || curfew_kill(-group, 0) == -ESRCH else { return }
        terminal.setForegroundGroup(frontGroup)
        if leaderWasKilled { terminal.setAttributes(frontAttributes) }
    }

    // MARK: The front

    /// Whether somebody is there to continue a stopped front: one with a process above it that is of its session, but
    /// of another group. Source: POSIX, 3.264 Orphaned Process Group; the supervisor isn't such a one.
    var hasShell: Bool {
        let session = getsid(front)
        // Whoever leads a session that isn't the front's is its shell, as far as can be told.
        guard Procfs.isOurs else { return session > 0 && session != front }
        var pid = front
        while let stat = Procfs.stat(pid) {
            if stat.processGroup != frontGroup { return getsid(pid) == session }
            pid = stat.parent
        }
        return false
    }

    /// For a home event from elsewhere. In a script the shell waits for the script, and a stopped front would only keep
    /// Ctrl-C from it.
    func stopFront() {
        if front == frontGroup { stopFront(by: SIGTSTP) }
    }

    /// Asks it to stop as by this signal, so that the shell says why. Where there is no shell, a stopped front would be
    /// a dead terminal.
    func stopFront(by signal: Int32) {
        guard !isFrontStopped, hasShell else { return }
        isFrontStopped = true
        lastStop = signal == SIGTTIN || signal == SIGTTOU ? signal : SIGTSTP
        stopsAsked = (stopsAsked + 1) & 0xff_ffff
        page.wish(lastStop, number: stopsAsked, of: front)
    }

    /// Somebody who has no say has continued it.
    func stopFrontAgain() { stopFront(by: lastStop) }

    private func continueFront() {
        guard isFrontStopped else { return }
        isFrontStopped = false
        page.wish(0, number: stopsAsked, of: front)
        if getppid() == front { _ = curfew_kill(front, SIGCONT) }
    }

    /// The shell has continued it, or it is gone.
    func frontContinued() { isFrontStopped = false }

    /// Undoes a stop that nobody would ever undo.
    func continueFrontsGroup() {
        // While it lives the group is its.
        if getppid() == front { _ = curfew_kill(-frontGroup, SIGCONT) }
    }

    /// When the front got a signal that it passes on. One with a lower number overtakes the SIGCONT that continued it,
    /// and one that stops discards that SIGCONT.
    enum Timing {
        case beforeStop, afterStop, running
    }

    /// `stops`: how many wishes to stop the front had met by then.
    func timing(stops: UInt32) -> Timing {
        guard stops == stopsAsked else { return .beforeStop }
        guard isFrontStopped else { return .running }
        isFrontStopped = false
        return .afterStop
    }

    /// Whether the front leads its session, so that it alone hears of the terminal's end.
    var frontLeadsSession: Bool { getsid(front) == front }
}
