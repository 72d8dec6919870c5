import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// When a report's parts are noted, and where it is written.
extension RunHost {
    /// When the engine, or a kill to come, has to be seen to.
    var timerDeadline: Instant? {
        var deadline = engine.nextDeadline
        if let again = control?.listensAgain { deadline = deadline.map { min($0, again) } ?? again }
        return instance?.reporter.wakeUp(before: killToForesee, or: deadline) ?? deadline
    }

    /// Looks at an app that is about to be killed for time.
    func foreseeKill() { instance?.reporter.foresee(killToForesee) }

    /// What a command of `curfew timeout` left behind isn't looked at: what there was at the limit is what is told.
    private var killToForesee: Instant? {
        if manifest.policy.timeout != nil, instance?.livingLeader == nil { return nil }
        return engine.running(engine.core.nextKill(of: Self.app))
    }

    func willEnd(_ app: AppID, _ report: KillReport) {
        guard let instance = kernel.instances[app] else { return }
        instance.reporter.willEnd(report, name: instance.name) { engine.footprint(of: app) }
    }

    func noteGrowth(_ app: AppID, _ footprint: UInt64) {
        kernel.instances[app]?.reporter.noteGrowth(footprint, limit: engine.core.app(app)?.memoryLimits?.fatal)
    }

    // MARK: Writing

    /// To the file of `--report`, and for a kill among the reports of this user.
    func writeReports(_ ending: Ending, of instance: Instance) {
        guard report != nil || ending.kill != nil else { return }
        let (tree, reporter) = (instance.tree, instance.reporter)
        var run = RunReport(
            name: instance.name, leader: tree.leader, command: instance.commandLine,
            containment: tree.containment.description, policy: instance.policy, startedAt: instance.startedAt,
            endedAt: kernel.now, measures: reporter.measures, snapshot: reporter.lastSnapshot,
            events: instance.log.last(RunReport.eventCount), ending: ending)
        run.hasLifecycle = manifest.hasLifecycle
        run.isTimeHeld = engine.isTimeHeld
        let json = run.json
        report?.write(json)
        if ending.kill != nil {
            ReportStore.keep(json, app: instance.name, pid: tree.leader, tells: manifest.tellsOfReports)
        }
    }

    /// The front was killed, and the app is with it.
    func writeReportsWithoutFront() {
        guard let instance else { return }
        let json = RunReport.ofSupervisorExit(
            name: instance.name, command: manifest.commandLine, pid: instance.leader,
            problem: manifest.policy.timeout == nil ? "its `curfew run` was killed" : "its `curfew timeout` was killed")
        report?.write(json)
        ReportStore.keep(json, app: instance.name, pid: instance.leader, tells: manifest.tellsOfReports)
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
