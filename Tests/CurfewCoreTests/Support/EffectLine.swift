import CurfewCore

/// One short line of text for an effect, with everything in it that matters.
func line(_ effect: Effect) -> String {
    switch effect {
    case .deliver(let app, let delivery): "\(letter(app)) <- \(text(delivery))"
    case .reply(let request, let reply): "reply \(request.rawValue): \(text(reply))"
    case .suspend(let app, _): "suspend \(letter(app))"
    case .confirmSuspension(let app, let isLast): "is \(letter(app)) stopped?" + (isLast ? " the last look" : "")
    case .resume(let app, _): "resume \(letter(app))"
    case .terminate(let app, let signal): "\(signal == 15 ? "SIGTERM" : "signal \(signal)") \(letter(app))"
    case .signal(let app, let signal, let mainProcessOnly):
        "signal \(signal) \(letter(app))" + (mainProcessOnly ? ", its main process only" : "")
    case .expire(let app, let report): "time is over for \(letter(app)) \(text(report))"
    case .killLeader(let app, let report): "kill the leader of \(letter(app)) \(text(report))"
    case .release(let app): "release \(letter(app))"
    case .measureCPUTime(let app): "measure CPU time \(letter(app))"
    case .kill(let app, let report): "kill \(letter(app)) \(text(report))"
    case .killAgain(let app, let isLast): isLast ? "the last look at \(letter(app))" : "kill \(letter(app)) again"
    case .sweep(let app, let kills): "sweep \(letter(app)) \(kills ? "kills" : "waits")"
    case .ended(let app, let ending): "ended \(letter(app)) \(text(ending))"
    case .stateChanged(let app, let from, let to): "\(letter(app)) \(from) -> \(to)"
    case .measureFootprint(let app): "measure \(letter(app))"
    case .checkTracer(let app): "check tracer \(letter(app))"
    case .limitMemory(let app, let enforcement): "limit memory of \(letter(app)) \(text(enforcement))"
    case .measureAvailableMemory: "measure available memory"
    case .measureFreeDisk: "measure free disk"
    case .pressureChanged(let level, nil): "pressure \(level)"
    case .pressureChanged(let level, let available?): "pressure \(level) at \(mebibytes(available))"
    case .checkLocks(let app): "check locks of \(letter(app))"
    case .pageOut(let app, let threshold): "page out \(letter(app)) from \(mebibytes(threshold))"
    case .continuePageOut(let app): "page out more of \(letter(app))"
    case .throttle(let app, nil): "stop throttling \(letter(app))"
    case .throttle(let app, let limits?): "throttle \(letter(app)) to \(text(limits.limit)) of \(text(limits.window))"
    case .setPriority(let app, let isLowered): "\(isLowered ? "lower" : "restore") priority of \(letter(app))"
    case .watchInput(let app, let afresh): "watch input of \(letter(app))" + (afresh ? " afresh" : "")
    case .unwatchInput(let app): "unwatch input of \(letter(app))"
    case .lookForConnection(let app, let socket): "look for a connection to \(letter(app)) at \(socket.place ?? "?")"
    case .measureIdleness(let app): "measure idleness \(letter(app))"
    case .note(let app, let note): "note \(letter(app)) \(text(note))"
    case .sendJoinedHome(let app): "send joined \(letter(app)) home"
    }
}

private func text(_ enforcement: MemoryEnforcement) -> String {
    "fatal \(enforcement.fatal.map(mebibytes) ?? "none"), mark \(enforcement.mark.map(mebibytes) ?? "none")"
}

/// `200M`, or bytes where it isn't a whole number of MiB.
func mebibytes(_ bytes: UInt64) -> String { bytes % (1 << 20) == 0 ? "\(bytes >> 20)M" : "\(bytes)" }

/// Apps 1, 2, 3 are a, b, c.
func letter(_ app: AppID) -> String {
    let letters = ["?", "a", "b", "c", "d"]
    return letters.indices.contains(app.rawValue) ? letters[app.rawValue] : "\(app.rawValue)"
}

/// Seconds without trailing zeros, as `4.5s`; `inf` for an infinite span.
func text(_ span: Span) -> String {
    if span.isInfinite { return "inf" }
    let (seconds, rest) = span.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest == 0 { return "\(seconds)s" }
    let digits = String(rest.magnitude)
    var fraction = String(repeating: "0", count: 9 - digits.count) + digits
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(span.nanoseconds < 0 ? "-" : "")\(seconds.magnitude).\(fraction)s"
}

private func text(_ event: Event) -> String {
    switch event {
    case .lifecycle(let event): "\(event)"
    case .change(let name): "change \(name)"
    case .wake(let name): "wake \(name)"
    }
}

private func text(_ delivery: Delivery) -> String {
    var words = [text(delivery.event), "#\(delivery.sequence)"]
    if let task = delivery.task { words.append("task \(task.rawValue)") }
    if let limit = delivery.limit { words.append(text(limit)) }
    if let level = delivery.level { words.append(level.rawValue) }
    if let launch = delivery.launch {
        words.append(launch.inBackground ? "background" : "foreground")
        if let event = launch.wakingEvent { words.append("for \(event)") }
    }
    words += delivery.info.map { "\($0.key)=\($0.value)" }
    switch delivery.audience {
    case .everybody: break
    case .connections: words.append("quietly")
    case .hooks: words.append("hooks")
    }
    if !delivery.connections.isEmpty {
        words.append("to " + delivery.connections.map { "\($0.rawValue)" }.joined(separator: ","))
    }
    return words.joined(separator: " ")
}

private func text(_ reply: Reply) -> String {
    switch reply {
    case .state(let state): "\(state)"
    case .taskBegun(let task, let remaining): "task \(task.rawValue), \(text(remaining)) left"
    case .taskEnded(let task, known: true): "task \(task.rawValue) ended"
    case .taskEnded(let task, known: false): "task \(task.rawValue) unknown"
    case .accepted: "done"
    case .rejected(let rejection): "error \(rejection.rawValue)"
    }
}

private func text(_ report: KillReport) -> String {
    var words = ["\(report.reason.rawValue) in \(report.state)"]
    if let event = report.event { words.append("event \(event.name)") }
    if let limit = report.limit { words.append("limit \(text(limit))") }
    if let elapsed = report.elapsed { words.append("elapsed \(text(elapsed))") }
    if let cpuTime = report.cpuTime { words.append("CPU \(text(cpuTime))") }
    if let footprint = report.footprint { words.append("footprint \(footprint)") }
    if let limit = report.memoryLimit { words.append("memory limit \(limit)") }
    if let available = report.available { words.append("available \(available)") }
    if let limit = report.availableLimit { words.append("wanted \(limit)") }
    if let limit = report.cpuLimit { words.append("CPU limit \(text(limit))") }
    if let count = report.count { words.append("\(count) times") }
    words += report.locks.map { "\($0.kind) lock of \($0.path) by \($0.pid)" }
    words += report.tasks.map { "task \($0.id.rawValue) \"\($0.name)\" \(text($0.age))" }
    return words.joined(separator: ", ")
}

private func text(_ ending: Ending) -> String {
    let kill = ending.kill.map { " \($0.reason.rawValue)" } ?? ""
    var rest = ending.restKilledAfter.map { ", the rest killed after \(text($0))" } ?? ""
    if !ending.isComplete { rest += ", some of it still there" }
    switch ending.status {
    case .exit(let code): return "exit \(code)\(kill)\(rest)"
    case .raise(let signal): return "raise \(signal)\(kill)\(rest)"
    }
}

private func text(_ note: Note) -> String {
    switch note {
    case .taskBegun(let task, let name): "task \(task.rawValue) \"\(name)\" begun"
    case .taskEnded(let task, let name): "task \(task.rawValue) \"\(name)\" ended"
    case .taskReleased(let task, let name): "task \(task.rawValue) \"\(name)\" released"
    case .unknownTaskEnded(let task): "unknown task \(task.rawValue) ended"
    case .unknownAcknowledgement(let sequence): "unknown ack #\(sequence)"
    case .acknowledged(let event, let sequence): "\(event.name) #\(sequence) acknowledged"
    case .becameAware: "aware"
    case .becamePlain: "plain"
    case .expirationWarning(let tasks):
        "warned tasks " + tasks.map { "\($0.rawValue)" }.joined(separator: ",")
    case .traced(let isTraced): isTraced ? "traced" : "no longer traced"
    case .suspensionIncomplete: "suspension incomplete"
    case .changeKept(let name): "\(name) kept"
    case .ready: "ready"
    case .stopping: "stopping"
    case .timeoutExtended(let span): "timeouts extended to \(text(span))"
    case .nothingToExtend: "nothing to extend"
    case .memoryWarning(let level): "memory \(level.rawValue)"
    case .cpuLimitPassed(let used, let elapsed): "used \(text(used)) of CPU time in \(text(elapsed))"
    case .lockedFiles(let locks): "suspended with " + locks.map(\.path).joined(separator: ", ")
    case .didSleep: "asleep"
    case .didWake(let cause, _, _): "woken by \(cause)"
    case .keepAliveChanged(nil): "no keep-alive"
    case .keepAliveChanged(let interval?): "keep-alive every \(text(interval))"
    case .keptAwake(let obstacle): "kept awake by \(obstacle)"
    }
}
