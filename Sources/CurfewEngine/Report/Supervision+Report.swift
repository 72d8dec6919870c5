import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What a report tells, noted while there is still something to look at, and written at the end.
extension Supervision {
    /// An allocator at 1 GiB/s gets half a MiB in this time.
    private static let urgentSnapshotMicroseconds: Int64 = 500
    private static let snapshotMicroseconds: Int64 = 5_000

    /// So long before a kill that time brings about its processes are looked at: then it isn't late for that.
    private static let foresight = Span.milliseconds(2)

    /// When the engine, or a kill to come, has to be seen to.
    var timerDeadline: Instant? {
        var deadline = engine.nextDeadline
        if let listensAgain = control?.listensAgain { deadline = deadline.map { min($0, listensAgain) } ?? listensAgain }
        guard let kill = nextKillToForesee else { return deadline }
        let look = kill - Self.foresight
        guard look > kernel.now else { return deadline }
        return deadline.map { min($0, look) } ?? look
    }

    /// What a command of `curfew timeout` left behind isn't looked at: what there was at the limit is what is told.
    private var nextKillToForesee: Instant? {
        if plan.policy.timeout != nil, kernel.isLeaderGone { return nil }
        guard let kill = engine.running(engine.core.nextKill(of: Self.app)), kill != foreseenKill else { return nil }
        return kill
    }

    /// Looks at an app that is about to be killed for time.
    func foreseeKill() {
        guard let kill = nextKillToForesee else { return }
        let now = kernel.now
        guard now < kill, kill - now <= Self.foresight else { return }
        foreseenKill = kill
        lastSnapshot = takeSnapshot(within: Self.snapshotMicroseconds)
        noteMeasures()
    }

    /// Whether what was looked at just before is what there is to tell.
    private var isForeseen: Bool {
        guard let foreseenKill else { return false }
        let now = kernel.now
        return now >= foreseenKill && now - foreseenKill < Self.foresight
    }

    func willEnd(_ app: AppID, _ report: KillReport) {
        if isForeseen, !report.reason.isJetsam { return }
        if report.reason == .memoryLimit {
            lookAtVictim()
        } else {
            let snapshot = takeSnapshot(within: Self.snapshotMicroseconds)
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
                    name: name, band: report.band, footprint: report.footprint ?? engine.footprint(of: app),
                    isVictim: true)
            ]
        }
    }

    /// The kernel may have been quicker: then what it has killed is told by what is left of it, and by what was seen last.
    private func lookAtVictim() {
        guard let tree = kernel.tree, tree.containment.outOfMemoryKills > 0 else {
            lastSnapshot = takeUrgentSnapshot().completed(by: lastSnapshot, includesGone: false)
            return
        }
        let snapshot = takeSnapshot(
            of: ProcessSnapshot.largestFirst(tree.everyone()), within: Self.urgentSnapshotMicroseconds,
            includingKilled: true)
        lastSnapshot = snapshot.attributing(
            peak: tree.containment.peakMemory, leader: tree.leader, command: plan.commandLine
        ).completed(by: lastSnapshot, includesGone: true)
    }

    /// As a footprint nears its limit its owners are looked at each time it has grown by a quarter: who passes it may be gone
    /// before anybody can look again.
    func noteGrowth(_ footprint: UInt64) {
        guard let limit = engine.core.app(Self.app)?.memoryLimits?.fatal, footprint >= limit / 4 else { return }
        let isStale = lastSnapshot.map { kernel.now - $0.instant >= .seconds(1) } ?? true
        guard isStale || footprint >= notedFootprint + notedFootprint / 4 else { return }
        notedFootprint = footprint
        lastSnapshot = takeUrgentSnapshot()
    }

    /// The largest first: it is memory that is asked about, and time for six processes or so.
    func takeUrgentSnapshot() -> KillSnapshot {
        takeSnapshot(
            of: ProcessSnapshot.largestFirst(kernel.tree?.processes() ?? []), within: Self.urgentSnapshotMicroseconds)
    }

    private func takeSnapshot(within microseconds: Int64) -> KillSnapshot {
        takeSnapshot(of: kernel.tree?.processes() ?? [], within: microseconds)
    }

    private func takeSnapshot(
        of pids: [Int32], within microseconds: Int64, includingKilled: Bool = false
    ) -> KillSnapshot {
        let instant = kernel.now
        let (processes, omitted) = ProcessSnapshot.take(
            of: pids, within: microseconds, includingKilled: includingKilled)
        return KillSnapshot(processes: processes, omitted: omitted, instant: instant)
    }

    /// Once the app is gone, so is the cgroup that counts.
    func noteMeasures() {
        measures.cpuMicroseconds = kernel.cpuMicroseconds
        measures.peakMemory = kernel.tree?.containment.peakMemory
    }

    // MARK: Writing

    /// To the file of `--report`, and for a kill among the reports of this user.
    func writeReports(_ ending: Ending) {
        guard report != nil || ending.kill != nil, let tree = kernel.tree else { return }
        var run = RunReport(
            name: name, leader: tree.leader, command: plan.commandLine, containment: tree.containment.description,
            policy: policy, startedAt: startedAt, endedAt: kernel.now,
            measures: measures, snapshot: lastSnapshot, events: log.last(RunReport.eventCount), ending: ending)
        run.hasLifecycle = plan.hasLifecycle
        let json = run.json
        report?.write(json)
        if ending.kill != nil { ReportStore.keep(json, app: name, pid: tree.leader, tells: plan.tellsOfReports) }
    }

    /// The front was killed, and the app is with it.
    func writeReportsWithoutFront() {
        guard let tree = kernel.tree else { return }
        let json = RunReport.ofSupervisorExit(
            name: name, command: plan.commandLine, pid: tree.leader,
            problem: plan.policy.timeout == nil ? "its `curfew run` was killed" : "its `curfew timeout` was killed")
        report?.write(json)
        ReportStore.keep(json, app: name, pid: tree.leader, tells: plan.tellsOfReports)
    }
}

extension ReportStore {
    /// Among the reports of this user; whatever stands in the way changes nothing else.
    ///
    /// `tells`: whether to say so then.
    static func keep(_ report: JSON, app: String, pid: Int32, tells: Bool) {
        do throws(KernelError) {
            if let store = ofThisUser() {
                _ = try store.write(report, app: app, pid: pid)
            } else if tells {
                StandardError.print(
                    "curfew: \(app): its report wasn't kept: there is no home directory of this user's; "
                        + "XDG_STATE_HOME can name a directory for it, --report FILE a file")
            }
        } catch {
            if tells { StandardError.print("curfew: \(app): its report couldn't be kept: \(error.text)") }
        }
    }
}
