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
    /// `holdsBack`: whether a connection there has to wait.
    func watchInput(
        getsKeys: Bool, isAsleep: Bool, holdsBack: (ListeningSocket) -> Bool
    ) -> InputWatching {
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
        let came = takeInput(getsKeys: getsKeys, holdsBack: holdsBack)
        leftUnread = watch.unread
        switch came {
        case .news(let news): return .came(news)
        case .waiting(let sockets): return .watched(obstacle: obstacle(watch), waiting: sockets)
        }
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

    /// What has come.
    enum Coming {
        case news(InputNews)
        /// Nothing that wakes it at once; and where connections have come that have to wait.
        case waiting([ListeningSocket])
    }

    /// `getsKeys`: whether what is typed is for it, now. `holdsBack`: whether a connection there has to wait.
    func takeInput(getsKeys: Bool, holdsBack: (ListeningSocket) -> Bool) -> Coming {
        var waiting: [ListeningSocket] = []
        let cause = inputWatch?.take { cause in
            guard let socket = cause.socket, holdsBack(socket) else { return getsKeys || cause.kind != .terminal }
            if !waiting.contains(socket) { waiting.append(socket) }
            return false
        }
        return cause.map { .news(InputNews($0)) } ?? .waiting(waiting)
    }

    /// What waits at a listening socket while it is stopped; nil for nothing.
    func connection(at socket: ListeningSocket) -> InputNews? {
        inputWatch?.connection(at: socket.inode).map { InputNews($0) }
    }

    /// Where somebody else has accepted a connection that was seen since it was stopped.
    var takenConnections: [ListeningSocket] {
        inputWatch?.takenConnections().map { ListeningSocket(inode: $0.listener, place: $0.place) } ?? []
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

    /// Of one that is stopped.
    var hasRunSinceLook: Bool { restingPlaces.map { tree.restingPlaces.hasRun(since: $0) } ?? false }

    /// `terminal`: another number when the terminal in front of it was read or written.
    func idleSample(terminal: UInt64) -> IdleSample {
        // Before the rest: what comes between that and the stop which may follow can be taken and not answered.
        lookAtWaits()
        let work = tree.work
        restingPlaces = tree.restingPlaces
        return IdleSample(
            cpuTime: .microseconds(Int64(clamping: cpuMicroseconds)), written: work.written, processes: work.processes,
            terminal: terminal, obstacle: work.waiting)
    }
}

/// How far the waiting for an app's input has come.
public enum InputWatching: Sendable, Hashable {
    /// There are more descriptors to look at.
    case pending
    /// `waiting`: where connections have come that don't wake it at once.
    case watched(obstacle: String?, waiting: [ListeningSocket] = [])
    case came(InputNews)
}

extension InputCause {
    /// By which a connection has come.
    fileprivate var socket: ListeningSocket? { listener.map { ListeningSocket(inode: $0, place: to) } }
}

extension InputNews {
    fileprivate init(_ cause: InputCause) {
        self.init(kind: cause.kind.rawValue, text: cause.text, from: cause.from, to: cause.to, listener: cause.socket)
    }
}
