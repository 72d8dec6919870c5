import CurfewCore
import CurfewLinux

/// What a reporter looks at: one app's processes and measures. A fake one in the tests shows what they want.
protocol ReportSubject: AnyObject {
    var now: Instant { get }
    var leader: Int32 { get }
    var commandLine: [String] { get }
    /// Those that live.
    var processes: [Int32] { get }
    /// With what has left its cgroup.
    var everyone: [Int32] { get }
    var cpuMicroseconds: UInt64 { get }
    /// In bytes; nil where nothing counts it.
    var peakMemory: UInt64? { get }
    /// How many of them the kernel itself has killed for memory.
    var outOfMemoryKills: UInt64 { get }
    func largestFirst(_ pids: [Int32]) -> [Int32]
    /// At as many as there is time for, in this order.
    func look(
        at pids: [Int32], within microseconds: Int64, includingKilled: Bool
    ) -> (processes: [ProcessSnapshot], omitted: Int)
}

/// What a report tells, noted while there is still something to look at.
final class Reporter {
    /// What the app's processes were doing when it was last looked at.
    private(set) var lastSnapshot: KillSnapshot?
    /// Read while the cgroup that counts is still there.
    private(set) var measures = RunMeasures()
    /// The footprint with which the processes were last looked at for its growth.
    private var notedFootprint: UInt64 = 0
    /// The kill for which they were looked at already.
    private var foreseenKill: Instant?
    private unowned let subject: any ReportSubject

    /// An allocator at 1 GiB/s gets half a MiB in this time.
    private static let urgentMicroseconds: Int64 = 500
    private static let usualMicroseconds: Int64 = 5_000

    /// So long before a kill that time brings about its processes are looked at: then it isn't late for that.
    private static let foresight = Span.milliseconds(2)

    init(_ subject: any ReportSubject) { self.subject = subject }

    // MARK: Before a kill for time

    /// When to wake up for what is due at `deadline`, or to look at an app before this kill.
    func wakeUp(before kill: Instant?, or deadline: Instant?) -> Instant? {
        guard let kill, kill != foreseenKill else { return deadline }
        let look = kill - Self.foresight
        guard look > subject.now else { return deadline }
        return deadline.map { min($0, look) } ?? look
    }

    /// Looks at an app that is about to be killed for time; harmless too early, or again.
    func foresee(_ kill: Instant?) {
        guard let kill, kill != foreseenKill else { return }
        let now = subject.now
        guard now < kill, kill - now <= Self.foresight else { return }
        foreseenKill = kill
        lastSnapshot = usualSnapshot()
        noteMeasures()
    }

    /// Whether what was looked at just before is what there is to tell.
    private var isForeseen: Bool {
        guard let foreseenKill else { return false }
        let now = subject.now
        return now >= foreseenKill && now - foreseenKill < Self.foresight
    }

    // MARK: At a kill

    /// `name`, `footprint`: of the app, for a kill for memory.
    func willEnd(_ report: KillReport, name: String, footprint: () -> UInt64) {
        if isForeseen, !report.reason.isJetsam { return }
        if report.reason == .memoryLimit {
            lookAtVictim()
        } else {
            let snapshot = usualSnapshot()
            // All can be gone already; then what was seen last is told.
            let isTold = snapshot.processes.contains { $0.footprint != nil }
            if isTold || lastSnapshot == nil {
                lastSnapshot = snapshot.completed(by: lastSnapshot, includesGone: false)
            }
        }
        noteMeasures()
        if report.reason.isJetsam {
            measures.neighbours = [
                RunMeasures.Neighbour(
                    name: name, band: report.band, footprint: report.footprint ?? footprint(), isVictim: true)
            ]
        }
    }

    /// The kernel may have been quicker: then what it has killed is told by what is left of it, and by what was seen last.
    private func lookAtVictim() {
        guard subject.outOfMemoryKills > 0 else {
            lastSnapshot = urgentSnapshot().completed(by: lastSnapshot, includesGone: false)
            return
        }
        let snapshot = snapshot(
            of: subject.largestFirst(subject.everyone), within: Self.urgentMicroseconds,
            includingKilled: true)
        lastSnapshot = snapshot.attributing(
            peak: subject.peakMemory, leader: subject.leader, command: subject.commandLine
        )
        .completed(by: lastSnapshot, includesGone: true)
    }

    // MARK: On the way to one

    /// As a footprint nears its limit its owners are looked at each time it has grown by a quarter: who passes it may be gone
    /// before anybody can look again.
    func noteGrowth(_ footprint: UInt64, limit: UInt64?) {
        guard let limit, footprint >= limit / 4 else { return }
        let isStale = lastSnapshot.map { subject.now - $0.instant >= .seconds(1) } ?? true
        guard isStale || footprint >= notedFootprint + notedFootprint / 4 else { return }
        notedFootprint = footprint
        noteMark()
    }

    /// Its footprint has reached a mark: whoever is killed for it soon may be gone by then.
    func noteMark() { lastSnapshot = urgentSnapshot() }

    /// What the core is told of a mark that was reached. The kernel may have been quicker, and have killed.
    ///
    /// `limit`: that the kernel enforces, in bytes.
    func markReached(limit: @autoclosure () -> UInt64?, footprint: () -> UInt64) -> AppInput {
        if let kill = kernelsKill(limit: limit()) { return kill }
        noteMark()
        return .memoryMarkReached(bytes: footprint())
    }

    /// What the core is told where the kernel itself has killed for memory; nil where it hasn't.
    func kernelsKill(limit: @autoclosure () -> UInt64?) -> AppInput? {
        guard subject.outOfMemoryKills > 0 else { return nil }
        return .memoryLimitHit(bytes: max(limit() ?? 0, subject.peakMemory ?? 0))
    }

    /// Once the app is gone, so is the cgroup that counts.
    func noteMeasures() {
        measures.cpuMicroseconds = subject.cpuMicroseconds
        measures.peakMemory = subject.peakMemory
    }

    // MARK: Looking

    /// The largest first: it is memory that is asked about, and time for six processes or so.
    private func urgentSnapshot() -> KillSnapshot {
        snapshot(
            of: subject.largestFirst(subject.processes), within: Self.urgentMicroseconds,
            includingKilled: false)
    }

    private func usualSnapshot() -> KillSnapshot {
        snapshot(of: subject.processes, within: Self.usualMicroseconds, includingKilled: false)
    }

    private func snapshot(of pids: [Int32], within microseconds: Int64, includingKilled: Bool)
        -> KillSnapshot
    {
        let instant = subject.now
        let (processes, omitted) = subject.look(
            at: pids, within: microseconds, includingKilled: includingKilled)
        return KillSnapshot(processes: processes, omitted: omitted, instant: instant)
    }
}
