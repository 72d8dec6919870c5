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
            // What we hold of the app's from the last time, its epolls hold too. Closing it has turns of its own.
            guard closingWatches.isEmpty else { return .pending }
            (workBefore, lastWork) = (nil, nil)
            // Where /proc doesn't show them there is one to say so of.
            let processes = Procfs.isOurs ? tree.processes() : [tree.leader]
            inputWatch = InputWatch(
                of: processes, filter, leftUnread: leftUnread, ownSockets: channelSocket.map { [$0] } ?? [])
        }
        guard let watch = inputWatch else { return .watched(obstacle: nil) }
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

    /// Before it is continued or killed: whoever is at the other end shall meet the app alone. For very many descriptors the
    /// app doesn't wait: they are closed in turns once it goes on.
    func endInputWatch() {
        guard let watch = inputWatch else { return }
        inputWatch = nil
        if !watch.close() { closingWatches.append(watch) }
    }

    /// One turn of closing what had too many descriptors to be closed at once.
    func goOnClosing() {
        if let watch = closingWatches.first, watch.closeRest() { closingWatches.removeFirst() }
    }

    /// What is told of this now: what wakes it is kept until it goes on, and how long that took is known. Who is killed instead
    /// doesn't go on: then it is told before that.
    func toldNow(_ record: EventRecord) -> [EventRecord] {
        switch record {
        case .note(.didWake(let cause, let from, let to)):
            waking = Waking(cause: cause, from: from, to: to, resumedIn: .zero)
            return []
        case .killing:
            guard let waking else { return [record] }
            self.waking = nil
            return [.note(.didWake(by: waking.cause, from: waking.from, to: waking.to)), record]
        default: return [record]
        }
    }

    /// Of one that is stopped.
    var hasRunSinceLook: Bool { restingPlaces.map { tree.restingPlaces.hasRun(since: $0) } ?? false }

    /// `terminal`: another number when the terminal in front of it was read or written. `sinceLast`: as `Kernel` has it.
    func idleSample(terminal: UInt64, sinceLast: Bool) -> IdleSample {
        // Before the rest: what comes between that and the stop which may follow can be taken and not answered.
        lookAtWaits()
        let work = tree.work
        if sinceLast { workBefore = lastWork }
        lastWork = work
        // What is at work then is stopped all the same, or not at all.
        restingPlaces = work.waiting == nil ? tree.restingPlaces : nil
        return IdleSample(
            cpuTime: .microseconds(Int64(clamping: cpuMicroseconds)), written: work.written, processes: work.processes,
            terminal: terminal, obstacle: work.waiting)
    }

    /// With who has done the most of it.
    func named(_ sample: IdleSample) -> IdleSample {
        guard let workBefore, let lastWork else { return sample }
        var sample = sample
        let most = lastWork.most(since: workBefore)
        sample.busiest = most.busiest.map {
            ProcessShare($0.process, Span(nanoseconds: Int64(clamping: $0.nanoseconds)))
        }
        sample.writer = most.writer.map { ProcessShare($0.process, $0.bytes) }
        sample.newcomer = most.newcomer
        return sample
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
