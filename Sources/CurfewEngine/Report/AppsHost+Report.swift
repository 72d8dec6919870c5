import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// When a report's parts are noted, and where it is written.
extension AppsHost {
    /// When the engine, or a kill to come, has to be seen to.
    var appsDeadline: Instant? {
        var deadline = engine.nextDeadline
        if let hostsDeadline { deadline = deadline.map { min($0, hostsDeadline) } ?? hostsDeadline }
        if let own = control?.deadline { deadline = deadline.map { min($0, own) } ?? own }
        guard let foreseen else { return deadline }
        return foreseen.reporter.wakeUp(before: killToForesee(of: foreseen), or: deadline)
    }

    /// The same, or when what dead supervisors have left has its turn.
    var timerDeadline: Instant? {
        guard let turn = staleSweep.nextTurn.map({ Instant(nanoseconds: $0) }) else { return appsDeadline }
        return appsDeadline.map { min($0, turn) } ?? turn
    }

    /// Looks at an app that is about to be killed for time.
    func foreseeKill() {
        if let foreseen { foreseen.reporter.foresee(killToForesee(of: foreseen)) }
    }

    private func killToForesee(of instance: Instance) -> Instant? {
        instance.isLookedAtBeforeKill ? engine.running(engine.core.nextKill(of: instance.id)) : nil
    }

    func willEnd(_ app: AppID, _ report: KillReport) {
        guard let instance = kernel.instances[app] else { return }
        guard isTold(report) else { return instance.reporter.noteMeasures() }
        instance.reporter.willEnd(report, name: instance.name) { engine.footprint(of: app) }
    }

    func noteGrowth(_ app: AppID, _ footprint: UInt64) {
        kernel.instances[app]?.reporter.noteGrowth(footprint, limit: engine.core.app(app)?.memoryLimits?.fatal)
    }
}

extension AppsHost: FinalReportHost {
    var isTimeHeld: Bool { engine.isTimeHeld }

    func keep(_ report: JSON, of instance: Instance) {
        ReportStore.keep(report, app: instance.name, pid: instance.leader, tells: instance.manifest.tellsOfReports)
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
