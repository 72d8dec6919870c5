import CCurfew
import CurfewLinux
import Glibc
import Synchronization

/// The store of a server on a thread of its own: whoever asks never waits for a disk.
///
/// Answers wait in a queue, and `descriptor` is readable until they are taken.
public final class StoreThread: Sendable {
    private struct Shared {
        var jobs: [StoreWriter.Job] = []
        var lastTicket: UInt64 = 0
        /// Requests that are asked and not yet answered by `takeCompletions`.
        var waiting = 0
        var lostNotes = 0
        var isStopping = false
        var completions: [StoreCompletion] = []
        var news: [StoreNews] = []
        var state = StoreState()
    }

    /// For so long notes are gathered for one transaction; nanoseconds.
    private static let gathering: Int64 = 10_000_000
    /// So many jobs are one transaction at most.
    private static let batch = 1_024

    private let shared: Mutex<Shared>
    private let jobsCame: Descriptor
    private let answered: Descriptor
    private let thread: Mutex<pthread_t?> = Mutex(nil)

    /// Opens the database of `directory`, `$XDG_STATE_HOME/curfew`, before it returns: the server needs its list.
    ///
    /// Where it can't be opened for now it begins in memory, as `state` says.
    public static func start(directory: String, clock: StoreClock = .system) throws(StoreRefusal) -> StoreThread {
        let writer = StoreWriter(DatabaseFiles(directory: directory), clock: clock)
        try writer.begin()
        let store = StoreThread(state: writer.state, news: writer.takeNews())
        guard store.jobsCame.isOpen, store.answered.isOpen, store.run(writer, clock) else {
            writer.close()
            throw .noThread
        }
        return store
    }

    private init(state: StoreState, news: [StoreNews]) {
        var shared = Shared()
        shared.state = state
        shared.news = news
        self.shared = Mutex(shared)
        jobsCame = Descriptor(curfew_eventfd())
        answered = Descriptor(curfew_eventfd())
        if !news.isEmpty { Self.ring(answered) }
    }

    deinit {
        var descriptors = [jobsCame, answered]
        for index in descriptors.indices { descriptors[index].close() }
    }

    // MARK: - For the server's loop

    /// Readable while there are completions or news.
    public var descriptor: Int32 { answered.number }

    public var state: StoreState { shared.withLock { $0.state } }

    /// Asks for something that is answered.
    public func ask(_ request: StoreRequest) throws(StoreBusy) -> StoreTicket {
        let ticket: StoreTicket? = shared.withLock { shared in
            guard shared.waiting < StoreBounds.waitingRequests else { return nil }
            shared.waiting += 1
            shared.lastTicket += 1
            let ticket = StoreTicket(number: shared.lastTicket)
            shared.jobs.append(StoreWriter.Job(ticket: ticket, request: request))
            return ticket
        }
        guard let ticket else { throw StoreBusy() }
        Self.ring(jobsCame)
        return ticket
    }

    /// Has something kept, for which nobody waits; in order with what is asked.
    public func note(_ change: StoreChange) {
        let isFirst = shared.withLock { shared in
            guard shared.jobs.count < StoreBounds.waitingNotes else {
                shared.lostNotes += 1
                return false
            }
            shared.jobs.append(StoreWriter.Job(ticket: nil, request: .change(change)))
            return shared.jobs.count == 1
        }
        // Of those that wait already the thread knows.
        if isFirst { Self.ring(jobsCame) }
    }

    /// What was answered since it was last called, in the order of the requests.
    public func takeCompletions() -> [StoreCompletion] {
        shared.withLock { shared in
            defer { shared.completions = [] }
            shared.waiting -= shared.completions.count
            quiet(shared.news.isEmpty)
            return shared.completions
        }
    }

    /// What people are to be told since it was last called.
    public func takeNews() -> [StoreNews] {
        shared.withLock { shared in
            defer { shared.news = [] }
            quiet(shared.completions.isEmpty)
            return shared.news
        }
    }

    /// Does what was asked for so far, closes the database and gives up its lock; blocks until then. Nothing may be asked for after it.
    public func stop() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        shared.withLock { $0.isStopping = true }
        Self.ring(jobsCame)
        pthread_join(thread, nil)
    }

    // MARK: - The thread

    private final class Body {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }

    private func run(_ writer: StoreWriter, _ clock: StoreClock) -> Bool {
        let body = Unmanaged.passRetained(Body { self.work(writer, clock) })
        var created = pthread_t()
        var callersMask = sigset_t()
        var mask = Self.mask
        // The server's signals are the loop's; SIGXFSZ waits here for ever, and the write says EFBIG.
        pthread_sigmask(SIG_SETMASK, &mask, &callersMask)
        defer { pthread_sigmask(SIG_SETMASK, &callersMask, nil) }
        let failed = pthread_create(
            &created, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        guard failed == 0 else {
            body.release()
            return false
        }
        thread.withLock { [created] in $0 = created }
        return true
    }

    /// Everything but the thread's own faults.
    private static var mask: sigset_t {
        var mask = sigset_t()
        sigfillset(&mask)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&mask, fault) }
        return mask
    }

    private func work(_ writer: StoreWriter, _ clock: StoreClock) {
        while true {
            let (jobs, lost, isStopping) = takeJobs()
            writer.lose(lost)
            let completions = writer.perform(jobs)
            writer.tryAgain()
            publish(completions, writer.takeNews(), writer.state)
            if !jobs.isEmpty { continue }
            if isStopping { break }
            wait(until: writer.nextTry, clock)
        }
        writer.close()
    }

    private func takeJobs() -> (jobs: [StoreWriter.Job], lost: Int, isStopping: Bool) {
        shared.withLock { shared in
            let jobs = Array(shared.jobs.prefix(Self.batch))
            shared.jobs.removeFirst(jobs.count)
            defer { shared.lostNotes = 0 }
            return (jobs, shared.lostNotes, shared.isStopping)
        }
    }

    private func publish(_ completions: [StoreCompletion], _ news: [StoreNews], _ state: StoreState) {
        shared.withLock { shared in
            shared.completions += completions
            shared.news += news
            shared.state = state
        }
        if !completions.isEmpty || !news.isEmpty { Self.ring(answered) }
    }

    private func wait(until due: Int64?, _ clock: StoreClock) {
        let milliseconds = due.map { max(0, min(($0 - clock.monotonic()) / 1_000_000 + 1, 300_000)) }
        var waited = pollfd(fd: jobsCame.number, events: Int16(POLLIN), revents: 0)
        _ = poll(&waited, 1, Int32(milliseconds ?? -1))
        Self.hush(jobsCame)
        gather(clock)
    }

    /// Notes, for which nobody waits, come in swarms: each transaction is a wait for the disk, and rewrites the same pages.
    private func gather(_ clock: StoreClock) {
        let end = clock.monotonic() + Self.gathering
        while shared.withLock({ $0.waiting == 0 && !$0.isStopping && !$0.jobs.isEmpty }) {
            let left = end - clock.monotonic()
            var waited = pollfd(fd: jobsCame.number, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&waited, 1, Int32(left / 1_000_000 + 1)) > 0 else { return }
            Self.hush(jobsCame)
        }
    }

    // MARK: - eventfd

    private static func ring(_ descriptor: Descriptor) {
        var one: UInt64 = 1
        _ = curfew_write(descriptor.number, &one, 8)
    }

    private static func hush(_ descriptor: Descriptor) {
        var count: UInt64 = 0
        _ = curfew_read(descriptor.number, &count, 8)
    }

    /// To be called under the lock, so that what comes next rings again.
    private func quiet(_ isAllTaken: Bool) {
        if isAllTaken { Self.hush(answered) }
    }
}
