import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What `curfew status` and `curfew ps` show.
extension AppsHost {
    /// Nothing tells of a debugger, and whoever asks is to be told of one; what is suspended has nothing to gain by it.
    func lookForTracer(of id: AppID) {
        guard let app = engine.core.app(id), app.state != .suspended, app.state != .notRunning else { return }
        let isTraced = kernel.isTraced(id)
        if isTraced != app.isTraced { engine.feed(.app(id, .tracerChecked(isTraced: isTraced))) }
    }

    /// What is measured for it stands in the journal too.
    func statusFields(of app: App) -> [Field] {
        guard let instance = kernel.instances[app.id] else { return [] }
        let now = engine.now
        let measures = instance.measures
        journal?.record(measures, of: app.id, at: now)
        let tree = instance.tree
        let seconds = Self.seconds
        var fields = [Field("app", instance.name), Field("pid", String(instance.mainPid))]
        if let proxyPid { fields.append(Field("front", String(proxyPid))) }
        fields += [
            Field("supervisor", String(getpid())), Field("state", app.state.rawValue),
            Field("since", seconds(now.lifecycle - app.stateSince)), Field("aware", String(app.isAware)),
            Field("remaining", seconds(app.remaining(at: now))), Field("budget", seconds(app.policy.backgroundBudget)),
            Field("open-tasks", String(app.tasks.count)),
            Field("processes", String(tree.processes().count)),
            Field("footprint", String(measures.footprint)),
            Field("cpu", Seconds.text(nanoseconds: Int64(clamping: measures.cpuMicroseconds) * 1000)),
            Field("containment", tree.containment.description),
            Field("running-for", seconds(app.startedAt.map { now.lifecycle - $0 } ?? .zero)),
        ]
        if let joinedServer { fields.append(Field("server", joinedServer)) }
        fields += memoryFields(of: app, instance) + sleepFields(of: app, instance) + heldFields(of: app)
        fields += limitFields(of: app, at: now) + toldFields(of: app, instance) + pendingFields(of: app, tree)
        fields += moreStatusFields(of: app.id)
        fields.append(Field("command", instance.manifest.commandLine.joined(separator: " ")))
        return fields
    }

    private static func seconds(_ span: Span) -> String { Seconds.text(nanoseconds: span.nanoseconds) }

    /// What it is kept by.
    private func heldFields(of app: App) -> [Field] {
        var fields: [Field] = []
        if engine.isTimeHeld { fields.append(Field("clock", "manual")) }
        if app.isThrottled { fields.append(Field("throttled", "true")) }
        if !app.heldLocks.isEmpty {
            fields.append(Field("locks", app.heldLocks.map(\.text).joined(separator: "; ")))
        }
        return fields
    }

    /// What runs out besides its budget, and what it may do in background.
    private func limitFields(of app: App, at now: Moment) -> [Field] {
        let seconds = Self.seconds
        var fields: [Field] = []
        if !app.policy.timeLimit.isInfinite { fields.append(Field("time-limit", seconds(app.policy.timeLimit))) }
        if let grace = app.graceRemaining(at: now) { fields.append(Field("grace", seconds(grace))) }
        if let interval = app.watchdogInterval { fields.append(Field("watchdog", seconds(interval))) }
        if let interval = app.keepAliveInterval, let left = app.keepAliveLeft(at: now) {
            fields.append(Field("keep-alive", seconds(interval)))
            fields.append(Field("keep-alive-left", seconds(left)))
        }
        if let modes = app.policy.backgroundModes?.list, !modes.isEmpty {
            fields.append(Field("background-modes", modes.map(\.rawValue).joined(separator: ",")))
        }
        return fields
    }

    /// What it has said of itself.
    private func toldFields(of app: App, _ instance: Instance) -> [Field] {
        var fields: [Field] = []
        if app.isReady { fields.append(Field("ready", "true")) }
        if app.isStopping { fields.append(Field("stopping", "true")) }
        if let mainProcess = instance.mainProcess { fields.append(Field("main-pid", String(mainProcess.pid))) }
        if !instance.statusText.isEmpty { fields.append(Field("notify-status", instance.statusText)) }
        return fields
    }

    /// What isn't done yet.
    private func pendingFields(of app: App, _ tree: ProcessTree) -> [Field] {
        var fields: [Field] = []
        if !app.keptChangeNames.isEmpty {
            fields.append(Field("kept-changes", app.keptChangeNames.joined(separator: ",")))
        }
        if app.isTraced { fields.append(Field("traced", "true")) }
        if app.isTerminating { fields.append(Field("terminating", "true")) }
        if !app.unacknowledgedEvents.isEmpty {
            fields.append(Field("unacknowledged", app.unacknowledgedEvents.map(\.name).joined(separator: ",")))
        }
        if app.state == .suspended {
            let pending = tree.pendingSuspension()
            if !pending.isEmpty { fields.append(Field("not-stopped", PendingProcess.text(of: pending))) }
        }
        return fields
    }

    /// The limits that hold now; where it is paged out, what is in memory and what is out.
    private func memoryFields(of app: App, _ instance: Instance) -> [Field] {
        var fields: [Field] = []
        if let limit = app.memoryLimits?.fatal { fields.append(Field("memory-limit", String(limit))) }
        if let limit = app.memoryLimits?.soft { fields.append(Field("memory-high", String(limit))) }
        if app.policy.pageOut != nil {
            let place = instance.residency
            fields.append(Field("resident", String(place.resident)))
            fields.append(Field("swapped", String(place.swapped)))
        }
        if let pressure = engine.core.memoryPressure {
            fields.append(Field("memory-pressure", pressure.level.name))
        }
        return fields
    }
}
