import CurfewScenarioRun
import Glibc
import Synchronization

/// A thread of an app's own, on which everything is done with its stage: statements wait in real time and would block
/// the few threads that tests run on, and what an app writes meanwhile is read.
///
/// It also starts the app's processes, which are killed with the thread that has started them.
final class StageExecutor: SerialExecutor, @unchecked Sendable {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isOver = false
    }

    private let queue = Mutex(Queue())
    private let woken: OwnedDescriptor
    private let waking: OwnedDescriptor
    /// Called on the thread, and nowhere else: takes in what comes until the descriptor can be read.
    private let idle: (Int32) -> Void

    init(idle: @escaping (Int32) -> Void) throws(StageProblem) {
        self.idle = idle
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .broken("can't make a pipe: \(String(cString: strerror(errno)))") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (woken, waking) = (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<StageExecutor>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, argument.toOpaque())
        guard result == 0 else {
            argument.release()
            throw .broken("can't start a thread: \(String(cString: strerror(result)))")
        }
        pthread_detach(thread)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
        wake()
    }

    /// The thread ends; for when nobody can enqueue any more.
    func stop() {
        queue.withLock { $0.isOver = true }
        wake()
    }

    private func wake() {
        var byte: UInt8 = 0
        _ = write(waking.number, &byte, 1)
    }

    private func run() {
        while true {
            let (jobs, isOver) = queue.withLock { queue in
                defer { queue.jobs = [] }
                return (queue.jobs, queue.isOver)
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            if !jobs.isEmpty { continue }
            if isOver { return }
            idle(woken.number)
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(woken.number, &bytes, bytes.count) > 0 {}
        }
    }
}
