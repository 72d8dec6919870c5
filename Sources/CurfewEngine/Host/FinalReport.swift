import CurfewCore
import CurfewLinux
import CurfewWire

/// Has the places for a run's report: whoever holds the app. One in the tests keeps them.
protocol FinalReportHost: AnyObject {
    var now: Instant { get }
    var isTimeHeld: Bool { get }
    /// Whether `--report` was given.
    var hasReportFile: Bool { get }
    /// To that file, where there is one.
    func write(_ report: JSON)
    /// Among the reports of this user.
    func keep(_ report: JSON, of instance: Instance)
}

/// The report of a run that is over: to the file of `--report`, and for a kill among the reports of this user.
struct FinalReport {
    let instance: Instance
    let host: any FinalReportHost

    func write(_ ending: Ending) {
        guard host.hasReportFile || ending.kill != nil else { return }
        var run = RunReport(of: instance, ending, at: host.now)
        run.isTimeHeld = host.isTimeHeld
        let json = run.json
        host.write(json)
        if ending.kill != nil { host.keep(json, of: instance) }
    }

    /// The proxy was killed, and the app is with it.
    func writeWithoutProxy() {
        let verb = instance.manifest.policy.timeout == nil ? "run" : "timeout"
        let json = RunReport.ofSupervisorExit(
            name: instance.name, command: instance.commandLine, pid: instance.leader,
            problem: "its `curfew \(verb)` was killed")
        host.write(json)
        host.keep(json, of: instance)
    }
}

extension RunReport {
    /// With what is known of the app now.
    init(of instance: Instance, _ ending: Ending, at now: Instant) {
        let (tree, reporter) = (instance.tree, instance.reporter)
        self.init(
            name: instance.name, leader: tree.leader, command: instance.commandLine,
            containment: tree.containment.description, policy: instance.policy, startedAt: instance.startedAt,
            endedAt: now, measures: reporter.measures, snapshot: reporter.lastSnapshot,
            events: instance.log.last(Self.eventCount), ending: ending)
        hasLifecycle = instance.manifest.hasLifecycle
    }
}
