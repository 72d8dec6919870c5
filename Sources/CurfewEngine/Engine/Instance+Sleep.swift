import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What wakes an app that is stopped, and how idle it is while it runs.
extension Instance {
    /// SIGHUP, SIGINT, SIGQUIT, SIGTSTP and SIGWINCH: what a terminal sends. Source: signal(7); termios(3).
    static let terminalSignals: UInt64 = [SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGWINCH].reduce(0) {
        $0 | 1 << UInt64($1 - 1)
    }

    /// Begins, or goes on, to wait for its input. `getsKeys`: whether what is typed is for it now; `isAsleep`: or may be.
    func watchInput(getsKeys: Bool, isAsleep: Bool) -> InputWatching {
        if inputWatch == nil {
            var filter = manifest.inputFilter
            if !getsKeys, !isAsleep { filter.kinds.remove(.terminal) }
            // What we hold of the app's from the last time, its epolls hold too.
            while !closingWatches.isEmpty { goOnClosing() }
            inputWatch = InputWatch(of: tree.processes(), filter, leftUnread: leftUnread)
        }
        guard let watch = inputWatch else { return .watched(obstacle: nil) }
        if let channelSocket { watch.ownSockets = [channelSocket] }
        guard watch.goOn() else { return .pending }
        if let cause = watch.take(where: { getsKeys || $0.kind != .terminal }) {
            leftUnread = watch.unread
            return .came(woken(by: cause))
        }
        leftUnread = watch.unread
        return .watched(obstacle: obstacle(watch))
    }

    /// How much of what was left unread is looked at before a stop; 20 µs each. The rest counts as new.
    private static let mostUnread = 256
    /// How long an app that is still at work, or waits for a processor, may not have come to what woke it.
    private static let mostPatience = Span.seconds(5)

    /// Before it is stopped anew: where it has read what was there, as much again is something new.
    func forgetWhatWasRead(at now: Instant) {
        if leftUnread.isEmpty { return }
        leftUnread = leftUnread.prefix(Self.mostUnread).filter(\.isStillThere)
        // In this order: what comes after that look has its reader run.
        if !leftUnread.isEmpty, now - (wokenAt ?? now) < Self.mostPatience, tree.hasRunnable { leftUnread = [] }
    }

    private func obstacle(_ watch: InputWatch) -> String? {
        if let missing = watch.missing.first {
            let others = watch.missing.count > 1 ? ", and \(watch.missing.count - 1) more" : ""
            return missing.text + others
        }
        return watch.inotifyHolder.map { "\($0) waits for changes of files (inotify)" }
    }

    /// What has come; nil where nothing that wakes it has.
    ///
    /// `getsKeys`: whether what is typed is for it, now.
    func takeInput(getsKeys: Bool) -> InputNews? {
        inputWatch?.take { getsKeys || $0.kind != .terminal }.map { woken(by: $0) }
    }

    private func woken(by cause: InputCause) -> InputNews {
        InputNews(kind: cause.kind.rawValue, text: cause.text, from: cause.from, to: cause.to)
    }

    /// Before it is continued or killed: whoever is at the other end shall meet the app alone.
    func endInputWatch() {
        guard let watch = inputWatch else { return }
        watch.close()
        if !watch.closeRest() { closingWatches.append(watch) }
        inputWatch = nil
    }

    /// One turn of closing what had too many descriptors to be closed at once.
    func goOnClosing() {
        if let watch = closingWatches.first, watch.closeRest() { closingWatches.removeFirst() }
    }

    /// `terminal`: another number when the terminal in front of it was read or written.
    func idleSample(terminal: UInt64) -> IdleSample {
        let work = tree.work
        return IdleSample(
            cpuTime: .microseconds(Int64(clamping: cpuMicroseconds)), written: work.written, processes: work.processes,
            terminal: terminal, obstacle: work.waiting)
    }
}

/// How far the waiting for an app's input has come.
public enum InputWatching: Sendable, Hashable {
    /// There are more descriptors to look at.
    case pending
    case watched(obstacle: String?)
    case came(InputNews)
}
