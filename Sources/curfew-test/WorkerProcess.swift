import CCurfew
import CurfewLinux
import CurfewScenarioRun
import Glibc

/// A worker below `curfew timeout`, which holds whatever the scenario starts, daemons and all, and isn't an app: the worker
/// drives one.
///
/// It is started before it is known what it plays: that takes longer than many a scenario.
final class WorkerProcess {
    typealias Problem = Files.Problem

    private let process: ChildProcess
    private let pipe: OwnedDescriptor
    /// Where it reads its job from; nil once it has that.
    private var input: OwnedDescriptor?
    var output: Int32 { pipe.number }

    private let scenarioLimit: Int64
    private let began = curfew_monotonic_nanoseconds()

    /// `scenarioLimit`: in nanoseconds.
    init(_ tools: Tools, scenarioLimit: Int64) throws(Problem) {
        self.scenarioLimit = scenarioLimit
        // It waits so long at most, and then plays: the worker keeps the limit itself, once more for `after`; this is for one that
        // can't.
        let seconds = 3 * (scenarioLimit / 1_000_000_000) + 60
        let words = [tools.curfew, "timeout", "-s", "KILL", "\(seconds)", tools.itself, WorkerJob.option]
        do throws(ChildProcess.Problem) {
            let ends = try Streams.pipes()
            (input, pipe) = (ends.ours.input, ends.ours.output)
            process = try ChildProcess(
                words, environment: StagePlace.environment([Self.noReports]),
                ChildProcess.Place(streams: ends.child, directory: ".", hasSession: true))
        } catch {
            throw Problem(message: "can't start \(tools.curfew): \(error.reason)")
        }
    }

    /// Where none can be kept: its own end is nobody's business, and comes when the run's folder may be gone already.
    private static let noReports = "XDG_STATE_HOME=/dev/null/none"

    /// Whether it can still play: it is there, and has the time for it.
    var isFit: Bool { !hasEnded && curfew_monotonic_nanoseconds() - began < scenarioLimit }

    /// Has it play. One that has ended meanwhile says so by its output's end.
    func give(_ job: WorkerJob) {
        guard let input else { return }
        // A long one waits until the worker reads it.
        _ = fcntl(input.number, F_SETFL, 0)
        Self.withoutBrokenPipe { _ = SmallFile.write(job.bytes, to: input.number) }
        self.input = nil
    }

    /// SIGPIPE is for whoever doesn't read our output any more, and not for a worker that is gone.
    private static func withoutBrokenPipe(_ body: () -> Void) {
        var ours = sigset_t()
        var before = sigset_t()
        sigemptyset(&ours)
        sigaddset(&ours, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &ours, &before)
        body()
        var atOnce = timespec()
        while sigtimedwait(&ours, nil, &atOnce) < 0, errno == EINTR {}
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// As if its time were over: SIGKILL to all that is left of it. Source: timeout(1), of SIGALRM.
    func end() { process.kill(SIGALRM) }

    /// Readable once it has ended.
    var pidfd: Int32 { process.pidfd.number }
    var hasEnded: Bool { process.hasEnded() }

    /// Its status, once it has ended, and its app with it.
    func wait() -> Int {
        while !process.hasEnded() {
            var waiting = pollfd(fd: process.pidfd.number, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, -1)
        }
        return process.status ?? 0
    }
}
