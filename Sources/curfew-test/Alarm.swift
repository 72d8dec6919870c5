import CCurfew
import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import CurfewWire
import Glibc

/// Says what came of a scenario where a statement looks at no clock, as a search for an expression that takes years.
///
/// A thread of its own, which is asleep until then.
final class Alarm: @unchecked Sendable {
    /// How far beyond the scenario's limit one statement may go: whatever looks at a clock ends long before.
    private static let patience: Int64 = 1_500_000_000

    private let job: WorkerJob
    private let lines: [String]
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var statement: Statement?
    private var began = curfew_monotonic_nanoseconds()

    init(_ job: WorkerJob, lines: [String]) {
        self.job = job
        self.lines = lines
        pthread_mutex_init(lock, nil)
        var thread = pthread_t()
        let alarm = Unmanaged.passRetained(self).toOpaque()
        // Without it `curfew timeout` ends who never ends.
        _ = pthread_create(
            &thread, nil,
            { alarm in
                guard let alarm else { return nil }
                Unmanaged<Alarm>.fromOpaque(alarm).takeUnretainedValue().watch()
            }, alarm)
    }

    func begins(_ statement: Statement) {
        pthread_mutex_lock(lock)
        self.statement = statement
        began = curfew_monotonic_nanoseconds()
        pthread_mutex_unlock(lock)
    }

    /// The scenario is done: whoever is here knows what came of it. Never returns where that was said already.
    func stop() {
        pthread_mutex_lock(lock)
        statement = nil
        began = .max
        pthread_mutex_unlock(lock)
    }

    private func watch() -> Never {
        while true {
            pthread_mutex_lock(lock)
            let left =
                (began == .max ? began : began + job.limits.scenario + Self.patience) - curfew_monotonic_nanoseconds()
            // Nobody else says anything from here on: the lock is kept.
            if left <= 0, let statement { Worker.tell(result(statement)) }
            pthread_mutex_unlock(lock)
            var pause = timespec(tv_sec: Int(max(left, 1_000_000) / 1_000_000_000), tv_nsec: 0)
            pause.tv_nsec = Int(max(left, 1_000_000) % 1_000_000_000)
            nanosleep(&pause, nil)
        }
    }

    private func result(_ statement: Statement) -> ScenarioResult {
        let line = statement.position.line
        let text = lines.indices.contains(line - 1) ? lines[line - 1] : ""
        let failure = Failure(
            line: line, column: statement.position.column, statement: text,
            expected: "the scenario to be done in \(HumanText.duration(nanoseconds: job.limits.scenario))",
            seen: "this statement goes on and on; a regular expression like (a|aa)* may be searched for without end")
        return ScenarioResult(job.id, .broken(failure), seconds: 0, artifacts: job.artifacts)
    }
}
