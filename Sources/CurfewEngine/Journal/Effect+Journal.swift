import CurfewCore
import CurfewWire

/// Effects as lines of a journal: `effect name=stateChanged app=1 from=active to=background`.
extension Effect {
    var journalMessage: Message {
        let (name, app, fields) = journalContent
        let appField = app.map { [Field("app", $0.rawValue)] } ?? []
        return Message("effect", [Field("name", name)] + appField + fields)
    }

    private var journalContent: (name: String, app: AppID?, fields: [Field]) {
        switch self {
        case .deliver(let app, let delivery): ("deliver", app, delivery.journalFields)
        case .reply(let request, let reply): ("reply", nil, [Field(request)] + reply.journalFields)
        // What a terminal has stopped follows from the inputs, and older journals don't tell it.
        case .suspend(let app, _): ("suspend", app, [])
        case .confirmSuspension(let app, let isLast): ("confirmSuspension", app, [Field("last", isLast)])
        case .resume(let app, _): ("resume", app, [])
        case .terminate(let app, let signal): ("terminate", app, [Field("signal", Int(signal))])
        case .signal(let app, let signal, let mainProcessOnly):
            ("signal", app, [Field("signal", Int(signal)), Field("leader-only", mainProcessOnly)])
        case .expire(let app, let report): ("expire", app, report.journalFields)
        case .killLeader(let app, let report): ("killLeader", app, report.journalFields)
        case .release(let app): ("release", app, [])
        case .kill(let app, let report): ("kill", app, report.journalFields)
        case .killAgain(let app, let isLast): ("killAgain", app, [Field("last", isLast)])
        case .sweep(let app, let kills): ("sweep", app, [Field("kills", kills)])
        case .ended(let app, let ending): ("ended", app, ending.journalFields)
        case .stateChanged(let app, let from, let to):
            ("stateChanged", app, [Field("from", from.rawValue), Field("to", to.rawValue)])
        case .measureFootprint(let app): ("measureFootprint", app, [])
        case .measureCPUTime(let app): ("measureCPUTime", app, [])
        case .checkTracer(let app): ("checkTracer", app, [])
        case .limitMemory(let app, let enforcement): ("limitMemory", app, enforcement.journalFields)
        case .measureAvailableMemory: ("measureAvailableMemory", nil, [])
        case .measureFreeDisk: ("measureFreeDisk", nil, [])
        case .pressureChanged(let level, let available):
            (
                "pressureChanged", nil,
                [Field("level", level.name)] + (available.map { [Field("available", String($0))] } ?? [])
            )
        case .checkLocks(let app): ("checkLocks", app, [])
        case .pageOut(let app, let threshold): ("pageOut", app, [Field("from", String(threshold))])
        case .continuePageOut(let app): ("continuePageOut", app, [])
        case .throttle(let app, let limits):
            ("throttle", app, limits.map { [Field("limit", $0.limit), Field("window", $0.window)] } ?? [])
        case .setPriority(let app, let isLowered): ("setPriority", app, [Field("lowered", isLowered)])
        case .watchInput(let app, let afresh): ("watchInput", app, [Field("afresh", afresh)])
        case .unwatchInput(let app): ("unwatchInput", app, [])
        case .lookForConnection(let app, let socket): ("lookForConnection", app, socket.journalFields)
        case .measureIdleness(let app): ("measureIdleness", app, [])
        case .note(let app, let note): ("note", app, note.journalFields)
        case .sendJoinedHome(let app): ("sendJoinedHome", app, [])
        }
    }
}

extension Delivery {
    fileprivate var journalFields: [Field] {
        var fields = message(containment: "").fields.filter { $0.key != "containment" }
        if let index = fields.firstIndex(where: { $0.key == "name" }) { fields[index].key = "event" }
        if let limit { fields.append(Field("limit", limit)) }
        fields.append(Field("to", connections.map { String($0.rawValue) }.joined(separator: ",")))
        fields.append(Field("audience", "\(audience)"))
        return fields
    }
}

extension MemoryEnforcement {
    fileprivate var journalFields: [Field] {
        (fatal.map { [Field("fatal", String($0))] } ?? []) + (mark.map { [Field("mark", String($0))] } ?? [])
    }
}

extension Reply {
    fileprivate var journalFields: [Field] {
        switch self {
        case .state(let state): [Field("state", state.rawValue)]
        case .taskBegun(let task, let remaining): [Field("task", task.rawValue), Field("remaining", remaining)]
        case .accepted: [Field("accepted", true)]
        case .taskEnded(let task, let known): [Field("task", task.rawValue), Field("known", known)]
        case .rejected(let rejection): [Field("rejected", rejection.rawValue)]
        }
    }
}

extension KillReport {
    fileprivate var journalFields: [Field] {
        var fields = [Field("reason", reason.rawValue), Field("state", state.rawValue)]
        if let limit { fields.append(Field("limit", limit)) }
        if let elapsed { fields.append(Field("elapsed", elapsed)) }
        if let cpuTime { fields.append(Field("cpu", cpuTime)) }
        if let event { fields.append(Field("event", event.name)) }
        if let memoryLimit { fields.append(Field("memory-limit", String(memoryLimit))) }
        if let footprint { fields.append(Field("footprint", String(footprint))) }
        if let available { fields.append(Field("available", String(available))) }
        if let availableLimit { fields.append(Field("wanted", String(availableLimit))) }
        if let cpuLimit { fields.append(Field("cpu-limit", cpuLimit)) }
        if let count { fields.append(Field("count", count)) }
        for (index, lock) in locks.enumerated() { fields.append(Field("lock.\(index)", lock.text)) }
        for task in tasks {
            fields.append(Field("task.\(task.id.rawValue)", task.name))
            fields.append(Field("age.\(task.id.rawValue)", task.age))
        }
        return fields
    }
}

extension Ending {
    fileprivate var journalFields: [Field] {
        var fields = [Field("state", state.rawValue)]
        switch status {
        case .exit(let code): fields.append(Field("status", Int(code)))
        case .raise(let signal): fields.append(Field("signal", Int(signal)))
        }
        if let kill { fields.append(Field("reason", kill.reason.rawValue)) }
        if let restKilledAfter { fields.append(Field("rest-killed-after", restKilledAfter)) }
        if !isComplete { fields.append(Field("complete", isComplete)) }
        return fields
    }
}

extension Note {
    /// As in the history, where each note has a name of its own.
    fileprivate var journalFields: [Field] {
        let (name, fields) = content
        return [Field("note", name)] + fields
    }
}
