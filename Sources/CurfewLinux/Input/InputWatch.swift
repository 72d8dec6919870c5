import CCurfew
import Glibc

/// Waits for what comes to the processes of a stopped app, by duplicates of their descriptors.
///
/// The app notices nothing: nothing is read, and no flag is changed, for those are of the file that both have. Each
/// file is waited for once, however many have it open, and told of once at each change: what was left unread wakes
/// nobody anew. Source: pidfd_getfd(2); epoll(7), "Level-triggered and edge-triggered".
///
/// Not seen, since no descriptor tells of it: what wakes a program by a signal, a clock, or a file that is registered
/// with an io_uring, or waited for by an epoll, and isn't open. Not looked at: eventfd, signalfd, inotify and netlink.
public final class InputWatch {
    /// To wait for: readable, level-triggered, when something may have come. Below 0 where there is none to be had.
    public private(set) var epoll: Descriptor
    /// What counts and can't be waited for, each once.
    public internal(set) var missing: [MissingInput] = []
    /// A process that holds an inotify descriptor: `NAME (PID)`; nil for none.
    public internal(set) var inotifyHolder: String?
    /// What was ready at once when watching began: to be handed to the next watch.
    public internal(set) var unread: [UnreadInput] = []

    struct Watched {
        var descriptor: Descriptor
        let source: InputSource
        /// The inode of one that listens.
        var listener: UInt64?
        /// What was left unread the time before, and is still: the first event tells of nothing else.
        var left: UnreadInput?
    }

    let filter: InputFilter
    let ownSockets: Set<UInt64>
    let leftUnread: [InputIdentity: UnreadInput]
    var watched: [Watched] = []
    /// What is waited for, or was looked at and isn't.
    var known: Set<InputIdentity> = []
    /// The devices of those terminals.
    var terminals: Set<UInt64> = []
    /// Where sockets of the app listen.
    var listeners: [SocketAddress] = []
    /// The sockets and pipes that were seen open so far, and those that an epoll waits for, each with whose that is.
    var seenOpen: Set<EpollTarget> = []
    var awaited: [EpollTarget: Int32] = [:]
    /// Of the epoll that is looked at, what wasn't yet.
    var targets: EpollTargetList?
    /// Fewer for tests.
    var mostDescriptorsOfEpolls = EpollTargetList.mostDescriptors
    /// Of the processes with an epoll so far: who has inherited one has closed what it waits for, perhaps.
    var mostSeenOfEpolls = 0
    /// Of those that are waited for, by inode.
    var backlogs: [UInt64: ListenerBacklog] = [:]
    var mounts = LocalMounts()
    /// The descriptors of the process that is looked at.
    var current: InputDescriptors?
    /// Some are left to others: see `DescriptorLimit`.
    let limit = DescriptorLimit.current

    private let processes: [Int32]
    private var nextProcess = 0
    /// As if no duplicates were to be had, for tests.
    private let refusal: Int32

    /// Begins; nothing is looked at yet.
    ///
    /// - Parameters:
    ///   - processes: the whole stopped tree.
    ///   - leftUnread: of the watch before.
    ///   - ownSockets: inodes of sockets that lead to this process, the app's channel: without duplicates nothing else tells
    ///     which they are.
    public convenience init(
        of processes: [Int32], _ filter: InputFilter, leftUnread: [UnreadInput], ownSockets: Set<UInt64> = []
    ) {
        self.init(of: processes, filter, leftUnread: leftUnread, ownSockets: ownSockets, refusal: 0)
    }

    init(
        of processes: [Int32], _ filter: InputFilter, leftUnread: [UnreadInput], ownSockets: Set<UInt64>,
        refusal: Int32
    ) {
        self.processes = processes
        self.filter = filter
        self.ownSockets = ownSockets
        self.leftUnread = Dictionary(leftUnread.map { ($0.identity, $0) }) { first, _ in first }
        self.refusal = refusal
        epoll = Descriptor(curfew_epoll_create())
        if !epoll.isOpen, let first = processes.first {
            missing.append(MissingInput(of: first, "its descriptors", errno: -epoll.number))
        }
    }

    deinit {
        close()
        while !closeRest() {}
    }

    /// How many descriptors are waited for.
    public var count: Int { watched.count }

    /// Looks at descriptors for a turn; true once all is watched.
    public func goOn(for turn: Turn = Turn(fewest: 64)) -> Bool {
        var turn = turn
        while lookAtTargets() || lookAtNext() {
            if turn.isOver() { return false }
        }
        missWhatOnlyEpollsHold()
        return true
    }

    /// At one descriptor; false where there are no more.
    private func lookAtNext() -> Bool {
        guard let number = nextNumber() else { return false }
        look(at: number)
        return true
    }

    private func nextNumber() -> Int32? {
        guard epoll.isOpen else { return nil }
        while true {
            if let number = current?.nextNumber() { return number }
            current?.close()
            current = nil
            guard nextProcess < processes.count else { return nil }
            nextProcess += 1
            begin(processes[nextProcess - 1])
        }
    }

    private func begin(_ pid: Int32) {
        guard Procfs.isOurs else {
            return miss(MissingInput(of: pid, "its descriptors", why: "/proc shows no processes of this pid namespace"))
        }
        do throws(KernelError) {
            current = try InputDescriptors(of: pid, refusal: refusal)
        } catch {
            if error.errno != ESRCH { miss(MissingInput(of: pid, "its descriptors", why: error.reason)) }
        }
    }

    func miss(_ input: MissingInput) {
        if !missing.contains(input) { missing.append(input) }
    }

    // MARK: What comes

    private static let eventsAtOnce = 64
    /// What is left then makes the descriptor readable again.
    private static let mostReads = 4

    /// What has come since, and is to wake the app; nil where nothing of what came is.
    ///
    /// To be asked once `goOn` was true, and whenever `epoll` is readable. What was there when watching began is told
    /// by the first answers, unless it was left unread the time before.
    ///
    /// `accepts`: false for what is dropped.
    public func take(where accepts: (InputCause) -> Bool = { _ in true }) -> InputCause? {
        guard epoll.isOpen else { return nil }
        return withUnsafeTemporaryAllocation(of: curfew_ready.self, capacity: Self.eventsAtOnce) { ready in
            for _ in 0..<Self.mostReads {
                let count = curfew_epoll_wait(epoll.number, ready.baseAddress, Int32(ready.count), 0)
                guard count > 0 else { return nil }
                var first: InputCause?
                for event in ready[..<Int(count)] {
                    let cause = cause(of: Readiness(rawValue: event.events), Int(event.token))
                    if first == nil, let cause, accepts(cause) { first = cause }
                }
                if let first { return first }
            }
            return nil
        }
    }

    private func cause(of events: Readiness, _ index: Int) -> InputCause? {
        let input = watched[index]
        if let listener = input.listener, events.contains(.readable) { backlogs[listener]?.hasOne() }
        if let left = input.left {
            watched[index].left = nil
            if left.isAll(of: events, on: input.descriptor.number) { return nil }
        }
        var cause = input.source.cause(of: events, on: input.descriptor.number, listeners)
        if cause?.kind == .connection { cause?.listener = input.listener }
        return cause
    }

    // MARK: The end

    /// How many are closed at one go: so many take a quarter of a millisecond.
    static let mostClosed = 500

    /// Ends it: the epoll first and whole, since what is closed alone stays in it as long as the app has it open; then
    /// the duplicates, so that what the app closes is closed for all. Of more than are closed at one go none is,
    /// for who is woken isn't to wait: false, and all is left to `closeRest`. To be called before the app is continued or
    /// killed. Source: epoll(7), "Questions and answers".
    @discardableResult
    public func close() -> Bool {
        epoll.close()
        targets?.close()
        targets = nil
        current?.close()
        current = nil
        return watched.count <= Self.mostClosed && closeRest()
    }

    /// Closes more of what `close` left, as many as at one go; true once none is.
    public func closeRest() -> Bool {
        for index in watched.indices.suffix(Self.mostClosed) { watched[index].descriptor.close() }
        watched.removeLast(min(Self.mostClosed, watched.count))
        return watched.isEmpty
    }
}
