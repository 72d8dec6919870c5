import CCurfew
import CurfewLinux
import Glibc

/// An output writer's thread: waits for what apps write, and appends it to their logs.
///
/// An app's turn is what one read gives, so that one that writes without end keeps no other waiting longer than that takes.
final class OutputReader {
    private final class Source {
        var descriptor: Descriptor
        var run: LoggedRun

        init(_ descriptor: Descriptor, _ run: LoggedRun) {
            self.descriptor = descriptor
            self.run = run
        }
    }

    private struct KeptApp {
        /// From the first byte on: most of thousands say nothing.
        var log: AppLog?
        /// More than one where something of an earlier run still writes.
        var sources: [Source] = []
    }

    /// The most that a pipe holds by itself. Source: pipe(7), "Pipe capacity".
    private static let turnBytes = 64 << 10
    /// What an ended run has left in its pipe, whatever was made of that; processes that live on could write for ever.
    /// Source: proc_sys_fs(5), pipe-max-size: 1,048,576 by default.
    static let mostLeft = 1 << 20
    /// Files kept open; each is closed and opened anew in some 10 µs.
    private static let mostOpen = 16
    private static let wakerToken = UInt64.max

    private let inbox: OutputInbox
    private let folder: LogFolder
    private let limit: Int64
    private var epoll: Descriptor
    private let openLogs = OpenLogs(most: mostOpen)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: turnBytes, alignment: 8)
    /// By the number of its descriptor, which is its token.
    private var sources: [Int32: Source] = [:]
    private var apps: [String: KeptApp] = [:]
    private var isFinishing = false
    private var hasProblem = false

    /// `epoll`: waits for the inbox already.
    init(_ inbox: OutputInbox, epoll: Descriptor, folder: LogFolder, limit: Int64) {
        self.inbox = inbox
        self.epoll = epoll
        self.folder = folder
        self.limit = limit
    }

    deinit {
        epoll.close()
        buffer.deallocate()
    }

    static func makeEpoll(for inbox: OutputInbox) throws(KernelError) -> Descriptor {
        let number = curfew_epoll_create()
        if number < 0 { throw KernelError("make an epoll", "", errno: -number) }
        var epoll = Descriptor(number)
        let result = curfew_epoll_add(number, inbox.waker.number, EventLoop.readable, wakerToken)
        guard result >= 0 else {
            epoll.close()
            throw KernelError("wait for an eventfd", "", errno: -result)
        }
        return epoll
    }

    func run() {
        _ = curfew_set_name("curfew-output")
        withUnsafeTemporaryAllocation(of: curfew_ready.self, capacity: 64) { ready in
            while !isFinishing { waitOnce(ready) }
        }
        for source in Array(sources.values) { finish(source) }
        inbox.tellEnd()
    }

    private func waitOnce(_ ready: UnsafeMutableBufferPointer<curfew_ready>) {
        let count = curfew_epoll_wait(epoll.number, ready.baseAddress, Int32(ready.count), -1)
        var isAsked = false
        for event in ready.prefix(Int(max(0, count))) {
            if event.token == Self.wakerToken {
                isAsked = true
            } else if let source = sources[Int32(event.token)] {
                if !readOnce(source).isOpen { close(source) }
            }
        }
        // Last: a source that is new now can have the number of one that has gone in this round.
        if isAsked { for request in inbox.take() { heed(request) } }
    }

    private func heed(_ request: OutputInbox.Request) {
        switch request {
        case .keep(let run, let descriptor): keep(run, descriptor)
        case .end(let app, let run, let handed):
            for source in apps[app]?.sources ?? [] where source.run.number == run { finish(source) }
            handed?.handOver()
        case .finish: isFinishing = true
        }
    }

    private func keep(_ run: LoggedRun, _ descriptor: Descriptor) {
        var descriptor = descriptor
        let result = curfew_epoll_add(
            epoll.number, descriptor.number, EventLoop.readable, UInt64(descriptor.number))
        guard result >= 0 else {
            // The app learns of it by its next write.
            tell(KernelError("wait for the output of", run.app, errno: -result))
            descriptor.close()
            return
        }
        let source = Source(descriptor, run)
        sources[descriptor.number] = source
        apps[run.app, default: KeptApp()].sources.append(source)
    }

    private func log(of app: String) -> AppLog {
        if let log = apps[app]?.log { return log }
        let log = AppLog(app: app, in: folder, mostBytes: limit / 2, openLogs: openLogs)
        apps[app]?.log = log
        return log
    }

    /// Answers how much was read, and whether more can come.
    private func readOnce(_ source: Source) -> (count: Int, isOpen: Bool) {
        let count = curfew_read(source.descriptor.number, buffer.baseAddress, buffer.count)
        if count == -EAGAIN || count == -EINTR { return (0, true) }
        guard count > 0 else { return (0, false) }
        do throws(KernelError) {
            try log(of: source.run.app).append(
                UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]), of: &source.run, at: Self.now)
            tell(nil)
        } catch { tell(error) }
        return (Int(count), true)
    }

    /// Its run is over: what is left is kept, and nothing that is written afterwards.
    private func finish(_ source: Source) {
        var read = 0
        while read < Self.mostLeft {
            let turn = readOnce(source)
            if turn.count == 0 { break }
            read += turn.count
        }
        close(source)
    }

    private func close(_ source: Source) {
        // Taken out by hand: while somebody else holds the same pipe, closing our number doesn't. Source: epoll(7), Q6.
        _ = curfew_epoll_remove(epoll.number, source.descriptor.number)
        sources[source.descriptor.number] = nil
        source.descriptor.close()
        let app = source.run.app
        let log = apps[app]?.log
        do throws(KernelError) { try log?.finish(source.run, at: Self.now) } catch { tell(error) }
        apps[app]?.sources.removeAll { $0 === source }
        guard apps[app]?.sources.isEmpty == true, log?.owesMark != true else { return }
        if let log {
            openLogs.forget(log)
            log.close()
        }
        apps[app] = nil
    }

    private func tell(_ problem: KernelError?) {
        guard problem != nil || hasProblem else { return }
        hasProblem = problem != nil
        inbox.problem = problem
    }

    private static var now: Int64 { curfew_realtime_nanoseconds() / 1_000_000_000 }
}
