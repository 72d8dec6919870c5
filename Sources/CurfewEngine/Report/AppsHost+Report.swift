import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// When a report's parts are noted, and where it is kept.
extension AppsHost {
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
