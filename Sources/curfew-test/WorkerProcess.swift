import CurfewScenarioRun
import Glibc

/// A worker below `curfew timeout`, which holds whatever the scenario starts, daemons and all, and isn't an app: the worker
/// drives one.
final class WorkerProcess {
    typealias Problem = Files.Problem

    private let process: ChildProcess
    private let pipe: OwnedDescriptor
    var output: Int32 { pipe.number }

    init(_ job: WorkerJob, _ tools: Tools) throws(Problem) {
        // The worker keeps the scenario's limit itself; this is for one that can't.
        let seconds = 2 * job.scenarioLimit / 1_000_000_000 + 60
        let words = [tools.curfew, "timeout", "-s", "KILL", "\(seconds)", tools.itself, WorkerJob.option] + job.words
        do throws(ChildProcess.Problem) {
            let ends = try Streams.pipes()
            pipe = ends.ours.output
            process = try ChildProcess(
                words, environment: StagePlace.environment([Self.noReports]),
                ChildProcess.Place(streams: ends.child, directory: ".", hasSession: true))
        } catch {
            throw Problem(message: "can't start \(tools.curfew): \(error.reason)")
        }
    }

    /// Where no folder can be made: its own end is nobody's business, and comes when the run's folder may be gone already.
    private static let noReports = "XDG_STATE_HOME=/dev/null/none"

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
