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
    var appGroup: Int32 = 0
    /// Whether the front stops when the app goes home, so that the shell gets its prompt back.
    let hasTerminal: Bool
    private(set) var isFrontStopped = false

    private let terminal: Terminal?
    private let ownsTerminal: Bool
    private let front: Int32
    private let frontGroup: Int32
    private let frontAttributes: termios?
    private var appAttributes: termios?

    init(front: Int32) {
        self.front = front
        frontGroup = getpgid(front)
        terminal = Terminal.controlling()
        hasTerminal = terminal != nil
        ownsTerminal = terminal?.shouldBeHandedOver(toGroupLedBy: front, group: frontGroup) ?? false
        givesOwnGroup = ownsTerminal || !hasTerminal
        frontAttributes = ownsTerminal ? terminal?.attributes : nil
    }

    /// The terminal a child takes before it is executed; -1 for none.
    var terminalForChild: Int32 { ownsTerminal ? terminal?.descriptor.number ?? -1 : -1 }

    /// Whether the app could have the terminal now: the shell has put the front in front.
    var isFrontInFront: Bool {
        guard ownsTerminal, let terminal else { return false }
        return terminal.foregroundGroup == frontGroup
    }

    /// Home: the terminal goes back to the front's group, as the front had it. The front itself is stopped by
    /// `stopFront`, once the app has been dealt with.
    func leftForeground() {
        guard ownsTerminal, let terminal, appGroup > 0, terminal.foregroundGroup == appGroup else { return }
        appAttributes = terminal.attributes
        terminal.setForegroundGroup(frontGroup)
        terminal.setAttributes(frontAttributes)
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
        terminal.setAttributes(appAttributes)
        terminal.setForegroundGroup(appGroup)
        return true
    }

    func stopFront() {
        guard !isFrontStopped else { return }
        isFrontStopped = true
        _ = curfew_kill(front, SIGSTOP)
    }

    private func continueFront() {
        guard isFrontStopped else { return }
        isFrontStopped = false
        _ = curfew_kill(front, SIGCONT)
    }

    /// The shell has continued it.
    func frontContinued() { isFrontStopped = false }

    /// At the end: the shell takes the terminal back itself, but a shell that doesn't must not lose it.
    func finish() { leftForeground() }
}
