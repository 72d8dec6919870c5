import CCurfew
import CurfewLinux
import Glibc

/// Handing the terminal over and back.
extension Console {
    /// The app's group that can be given the terminal now: the shell has put the proxy in front.
    var groupToGive: Int32? {
        guard job.setting.ownsTerminal, let terminal, host.appGroup > 0, terminal.foregroundGroup == proxyGroup else {
            return nil
        }
        // The group that had it can have ended since, and its number be another's.
        let group = groupWithTerminal != 0 && isOfApp(groupWithTerminal) ? groupWithTerminal : host.appGroup
        return isOfApp(group) ? group : nil
    }

    /// As the app had it, if the shell has put its proxy there.
    func giveTerminal() {
        guard let terminal, let group = groupToGive else {
            // Whoever else has it now will have other modes.
            if terminal?.foregroundGroup != proxyGroup { isTerminalLent = false }
            return
        }
        if !isTerminalLent {
            proxyAttributes = terminal.attributes
            terminal.setAttributes(appAttributes)
        }
        isTerminalLent = false
        terminal.setForegroundGroup(group)
        groupWithTerminal = 0
    }

    /// So that its signals come to the proxy. Modes stay the app's: in raw mode a key is a key, and nothing is echoed.
    func lendTerminal() {
        guard job.setting.ownsTerminal, let terminal, host.appGroup > 0 else { return }
        let group = terminal.foregroundGroup
        guard isOfApp(group) else { return }
        groupWithTerminal = group
        appAttributes = terminal.attributes
        isTerminalLent = terminal.setForegroundGroup(proxyGroup)
        // What was sent before that, and finds it stopped, is for it at once.
        if isTerminalLent, host.hasSignalOfTerminal { host.perform(.wakeUp) }
    }

    /// Whether what is typed is for an app that is stopped. At home it is the shell's.
    func getsKeys(whileAsleep isAsleep: Bool) -> Bool {
        terminal.map { isAsleep && $0.foregroundGroup == proxyGroup } ?? true
    }

    /// Back to the proxy's group, as the proxy had it.
    func takeTerminal() {
        guard job.setting.ownsTerminal, let terminal, host.appGroup > 0 else { return }
        let group = terminal.foregroundGroup
        let wasLent = isTerminalLent && group == proxyGroup
        isTerminalLent = false
        guard wasLent || isOfApp(group) else { return }
        appAttributes = terminal.attributes
        if !wasLent {
            groupWithTerminal = group
            terminal.setForegroundGroup(proxyGroup)
        }
        terminal.setAttributes(proxyAttributes)
    }

    /// A shell inside the app gives the terminal to groups of its own.
    private func isOfApp(_ group: Int32) -> Bool {
        if group == host.appGroup { return ProcessTree.holdsGroup(group, ancestor: getpid()) }
        guard group > 0, group != proxyGroup else { return false }
        return ProcessTree.descendants(of: getpid()).contains { getpgid($0) == group }
    }

    /// At the end: the shell takes the terminal back itself, but a caller that doesn't must not lose it. The modes are
    /// the program's to leave, as with `stty`, unless it was killed.
    func finish(leaderWasKilled: Bool) {
        guard job.setting.ownsTerminal, let terminal else { return }
        let group = terminal.foregroundGroup
        if isTerminalLent, group == proxyGroup, leaderWasKilled { terminal.setAttributes(proxyAttributes) }
        guard group > 0, group == host.appGroup || curfew_kill(-group, 0) == -ESRCH else { return }
        terminal.setForegroundGroup(proxyGroup)
        if leaderWasKilled { terminal.setAttributes(proxyAttributes) }
    }
}
