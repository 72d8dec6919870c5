import CCurfew
import CurfewLinux
import Glibc

/// Keeps what the apps of a server write, each in a log of its own; see docs/logs.md.
///
/// One thread reads all pipes and writes all files, for they are on one disk. While the disk takes nothing, pipes fill, and an
/// app waits when it has written more than its own holds, as if it wrote to that disk itself; whoever calls this never waits.
public final class OutputWriter {
    /// Bytes of one app's two files together, unless another number is asked for.
    public static let defaultLimit: Int64 = 4 << 20
    /// Less has no room for lines between the marks.
    public static let minimumLimit: Int64 = 16 << 10

    private let inbox: OutputInbox

    /// Starts the thread. `limit`: bytes of one app's two files together, at least `minimumLimit`.
    ///
    /// Nothing is made in the folder until an app writes.
    /// - Throws: what the kernel refuses: a thread, an eventfd, an epoll.
    public init(folder: LogFolder, limit: Int64 = defaultLimit) throws(KernelError) {
        let inbox = try OutputInbox()
        self.inbox = inbox
        var epoll = try OutputReader.makeEpoll(for: inbox)
        let limit = max(limit, Self.minimumLimit)
        do throws(KernelError) {
            let given = epoll
            try SystemThread.start { OutputReader(inbox, epoll: given, folder: folder, limit: limit).run() }
        } catch {
            epoll.close()
            throw error
        }
    }

    deinit { inbox.put(.finish) }

    /// A pipe for a run that is about to be started; `began` or `discard` has to follow.
    /// - Throws: EINVAL for what is no app's name, EMFILE and ENFILE where no descriptors are left.
    public func open(app: String, run: Int) throws(KernelError) -> AppOutput {
        guard AppName.isValid(app) else { throw KernelError("keep the output of", app, errno: EINVAL) }
        var ends: [Int32] = [-1, -1]
        let result = ends.withUnsafeMutableBufferPointer { curfew_pipe($0.baseAddress) }
        if result < 0 { throw KernelError("make a pipe for", app, errno: -result) }
        return AppOutput(app: app, run: run, programsEnd: Descriptor(ends[1]), readingEnd: Descriptor(ends[0]))
    }

    /// Its program runs: what it writes is kept from now on. Closes our copy of the program's end.
    public func began(_ output: AppOutput, pid: Int32) {
        var output = output
        output.programsEnd.close()
        let seconds = curfew_realtime_nanoseconds() / 1_000_000_000
        inbox.put(.keep(LoggedRun(app: output.app, number: output.run, pid: pid, seconds: seconds), output.readingEnd))
    }

    /// Nothing was started.
    public func discard(_ output: AppOutput) {
        for var end in [output.programsEnd, output.readingEnd] { end.close() }
    }

    /// The run's last process is gone: what its pipe still holds is kept, at most 1 MiB, and the pipe closed.
    public func ended(app: String, run: Int) { ended(app: app, run: run, nil) }

    /// The same; then the proxy lets go of its end of the pipe, too.
    func ended(app: String, run: Int, _ handed: HandedOutput?) {
        inbox.put(.end(app: app, run: run, handed: handed))
    }

    /// Why the last that was written couldn't be kept; nil once some could be. What wasn't is counted in the log.
    public var problem: KernelError? { inbox.problem }

    /// Keeps what all pipes hold, closes them, and ends the thread. False where that wasn't done after so many nanoseconds.
    public func finish(within nanoseconds: Int64) -> Bool {
        inbox.put(.finish)
        return inbox.waitForEnd(until: curfew_monotonic_nanoseconds() + nanoseconds)
    }
}
