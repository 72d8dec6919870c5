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
        let problem = ReportStore.keep(report, app: instance.name, pid: instance.leader)
        if let problem, instance.manifest.tellsOfReports { tellPeople("curfew: \(instance.name): \(problem)") }
    }
}

extension ReportStore {
    /// Among the reports of this user; whatever stands in the way changes nothing else, and is returned in words.
    static func keep(_ report: JSON, app: String, pid: Int32) -> String? {
        guard let store = ofThisUser() else {
            return "its report wasn't kept: there is no home directory of this user's; "
                + "XDG_STATE_HOME can name a directory for it, --report FILE a file"
        }
        do throws(KernelError) {
            _ = try store.write(report, app: app, pid: pid)
            return nil
        } catch {
            return "its report couldn't be kept: \(error.text)"
        }
    }
}
