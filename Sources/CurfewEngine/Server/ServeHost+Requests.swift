import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What operators ask of the server itself, and of apps that don't run.
extension ServeHost {
    /// False where the request is about an app that runs, as any supervisor has one.
    func answer(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        if joined.answer(request, verb) { return true }
        if answerSchedules(request, verb) { return true }
        switch verb {
        case .apps: tellApps(request)
        case .server: tellServer(request)
        case .status where request.message["app"] == nil: control?.statusOfAll(request)
        case .launch: launch(request)
        case .open: return open(request)
        case .home where request.message["app"] == nil && engine.core.foregroundApp == nil:
            refuse(request, "no-app", "no app is in front")
        case .switch: switchBack(request)
        case .quit:
            noteEnd(of: request, .quit)
            return false
        case .remove: remove(request)
        case .quitAll: quitAll(request)
        case .stop:
            accept(request)
            end()
        case .history: history(request)
        case .reload:
            reload(request)
        case .notify, .cancel, .schedule, .fetch, .fetchInterval, .push, .payload, .submit, .runRequest,
            .expireRequest, .completed, .join, .hello, .ack,
            .begin, .end,
            .remaining, .tasks, .status, .events,
            .keepAlive, .home, .interrupt,
            .dismiss,
            .post, .wake, .warn, .pressure, .reclaim, .advance, .sleep:
            return false
        }
        return true
    }

    // MARK: Telling

    private func tellApps(_ request: ControlRequest) {
        control?.reply(to: request) { [unowned self] in
            let now = engine.now.lifecycle
            var names = apps.list.names[...]
            let each: ControlSession.Lines = { [unowned self] in
                // Who was taken off the list meanwhile is in it no more.
                while let name = names.popFirst() { if let line = line(about: name, at: now) { return line } }
                return nil
            }
            let end = { [unowned self] in Message("ok", storeFields) }
            return ControlServer.marked(ControlServer.lines(each, then: end), for: request)
        }
    }

    private func line(about name: String, at now: Instant) -> Message? {
        guard apps.list.contains(name) else { return nil }
        if let app = joined.app(named: name) { return app.message(at: now) }
        return apps[name].map { Message("app", fields(of: $0, at: now)) }
    }

    private func fields(of entry: ServedApps.Entry, at now: Instant) -> [Field] {
        func seconds(_ span: Span) -> String { Seconds.text(nanoseconds: span.nanoseconds) }
        let app = entry.app.flatMap { engine.core.app($0) }
        let since = app.map { now - $0.stateSince } ?? entry.endedAt.map { now - $0 } ?? .zero
        var fields = [
            Field("name", entry.name), Field("state", (app?.state ?? .notRunning).rawValue),
            Field("since", seconds(since)), Field("launches", String(entry.launches)),
        ]
        if let instance = entry.app.flatMap({ kernel.instances[$0] }) {
            fields.append(Field("pid", String(instance.mainPid)))
        } else {
            if let reason = entry.end?.reason { fields.append(Field("ended", reason.word)) }
            if let status = entry.status { fields.append(Field("status", String(status))) }
            if let restart = entry.restart, !entry.isBeingRemoved {
                fields.append(Field("restart-in", seconds(restart.at - now)))
            }
        }
        if app?.policy.isContinuous == true { fields.append(Field("continuous", "1")) }
        if let launched = entry.definition, definitions.differs(from: launched) { fields.append(Field("differs", "1")) }
        if entry.request == .remove || entry.isBeingRemoved { fields.append(Field("removed", "1")) }
        return fields
    }

    private func tellServer(_ request: ControlRequest) {
        var fields = [
            Field("name", plan.name), Field("pid", String(proxy)), Field("supervisor", String(getpid())),
            Field("apps", String(apps.list.count)), Field("running", String(apps.runningCount)),
        ]
        let inFront = engine.core.foregroundApps.map { nameInFront($0) }
        if !inFront.isEmpty { fields.append(Field("front", inFront.joined(separator: ","))) }
        if joined.count > 0 { fields.append(Field("joined", String(joined.count))) }
        fields += [Field("maximum-apps", String(capacity.count)), Field("limited-by", capacity.limit)]
        fields.append(Field("containment", (cgroups?.kind ?? .tree).rawValue))
        if let records { fields.append(Field("store", records.word)) }
        if let problem = output?.problem { fields.append(Field("output", problem.text)) }
        guard let sources else { return accept(request, fields) }
        let answer = Message("ok", fields)
        control?.reply(to: request) {
            var lines = sources.messages[...]
            return ControlServer.marked(ControlServer.lines({ lines.popFirst() }, then: answer), for: request)
        }
    }

    // MARK: Definitions

    private func reload(_ request: ControlRequest) {
        let prefix = "environment."
        let changes = request.message.fields.filter { $0.key.hasPrefix(prefix) }
        for change in changes {
            let key = String(change.key.dropFirst(prefix.count))
            guard ServerEnvironment.changeable.contains(key) else {
                let accepted = ServerEnvironment.changeable.joined(separator: ", ")
                return refuse(request, "invalid", "\(key) isn't taken over; what is: \(accepted)")
            }
            environment.set(key, change.value)
        }
        sources?.setVariables(changes.map { Field(String($0.key.dropFirst(prefix.count)), $0.value) })
        let read = rereadDefinitions()
        var fields = [Field("apps", String(read.apps)), Field("problems", String(read.problems.count))]
        if let folder = read.folder { fields.append(Field("folder", folder)) }
        accept(request, fields)
    }

    // MARK: To the front

    private func open(_ request: ControlRequest) -> Bool {
        guard let name = request.message["app"] else { return false }
        if app(named: name) != nil { return false }
        launch(request, named: name) { definition in
            // To the front, for that is what was asked for, and with what it is always told at its launch.
            LaunchOptions(info: definition.launch.info)
        }
        return true
    }

    private func switchBack(_ request: ControlRequest) {
        guard let app = engine.core.previousForegroundApp else {
            return refuse(request, "no-app", "no other app was in front that still runs")
        }
        if let app = joined.app(app) {
            if let rejection = app.rejectionOfOpening {
                return refuse(request, rejection.rawValue, rejection.message)
            }
            joined.open(app, for: nil)
        } else {
            feed(.app(app, .open(request: nil)))
        }
        accept(request, [Field("app", nameInFront(app))])
    }

    // MARK: Launching

    private func launch(_ request: ControlRequest) {
        do throws(LaunchRefusal) {
            guard let file = request.message["order"] else {
                guard let name = request.message["app"] else {
                    throw LaunchRefusal("invalid", "launch needs app=NAME, or order=FILE")
                }
                return launch(request, named: name) { definition throws(LaunchRefusal) in
                    try self.options(of: request, definition)
                }
            }
            let definition = try definition(ofOrder: file)
            let options = try options(of: request, definition)
            accept(request, try launched(definition, options))
        } catch {
            refuse(request, error.code, error.problem)
        }
    }

    private func launch(
        _ request: ControlRequest, named name: String,
        _ options: (ServedDefinition) throws(LaunchRefusal) -> LaunchOptions
    ) {
        do throws(LaunchRefusal) {
            let definition = try definition(named: name)
            accept(request, try launched(definition, options(definition)))
        } catch {
            refuse(request, error.code, error.problem)
        }
    }

    private func launched(
        _ definition: ServedDefinition, _ options: LaunchOptions
    ) throws(LaunchRefusal) -> [Field] {
        let instance = try launch(definition, options)
        let state = engine.core.app(instance.id)?.state ?? .notRunning
        return [
            Field("app", instance.name), Field("pid", String(instance.mainPid)), Field("state", state.rawValue),
        ]
    }

    private func definition(ofOrder file: String) throws(LaunchRefusal) -> ServedDefinition {
        do throws(DefinitionRefusal) {
            return try definitions.definition(of: try LaunchOrder.take(file, in: directory.serverFolder))
        } catch {
            throw LaunchRefusal(error)
        }
    }

    /// Whoever is to launch an app of that name asks here what it is.
    func definition(named name: String) throws(LaunchRefusal) -> ServedDefinition {
        do throws(DefinitionRefusal) {
            if let definition = try knownDefinition(of: name) { return definition }
        } catch {
            throw LaunchRefusal(error)
        }
        if apps.list.contains(name) {
            throw LaunchRefusal(
                "no-app",
                "\(name) has run, and neither a manifest nor a desktop entry says any more what it is; write one and "
                    + "`curfew reload`, or `curfew remove \(name)`")
        }
        throw LaunchRefusal(
            "no-app",
            joined.advice(about: name) ?? "nothing is known of an app called \(name); `curfew apps` shows what is")
    }

    /// A manifest, else what the task list knows, else a desktop entry that is installed: a bare command stays what it is,
    /// though an entry happens to have its name. Nil where nothing says what it is.
    func knownDefinition(of name: String) throws(DefinitionRefusal) -> ServedDefinition? {
        if let definition = try definitions.manifestDefinition(of: name) { return definition }
        let last = apps.list.contains(name) ? apps[name]?.definition : nil
        // Of one that was an entry the list knows that: what it says by now counts, and what it said once it is gone.
        if let last, last.source != .desktop { return last }
        if let definition = try definitions.desktopDefinition(of: name) { return definition }
        return last
    }

    private func options(
        of request: ControlRequest, _ definition: ServedDefinition
    ) throws(LaunchRefusal) -> LaunchOptions {
        let given = definition.launch
        let prefix = "option."
        var info = given.info
        for field in request.message.fields where field.key.hasPrefix(prefix) {
            let key = String(field.key.dropFirst(prefix.count))
            guard Event.isWord(key) else { throw LaunchRefusal("invalid", "\(field.key): an option's name is a word") }
            info.removeAll { $0.key == key }
            info.append(Info(key, field.value))
        }
        guard info.count <= Info.maximumCount else {
            throw LaunchRefusal("invalid", "at most \(Info.maximumCount) pairs option.K=V")
        }
        let wake = request.message["wake"]
        if let wake, !Event.canBePosted(wake) {
            throw LaunchRefusal("invalid", "wake=\(wake) isn't the name of an event that can be posted")
        }
        if let wake, let mode = definition.plan.manifest.policy.missingMode(forWakingEvent: wake) {
            throw LaunchRefusal(
                "no-background-mode",
                "wake=\(wake): the manifest of \(definition.name) has no background mode \(mode.rawValue)")
        }
        let event = wake.map { PostedEvent($0) } ?? given.wakingEvent
        let options = LaunchOptions(
            inBackground: given.inBackground || request.message["background"] == "1", wakingEvent: event, info: info)
        guard PostedEvent(wake ?? "", info).fitsOneLine(as: .lifecycle(.didFinishLaunching)) else {
            throw LaunchRefusal("invalid", "the options don't fit a line of \(LineReader.maximumLineBytes) bytes")
        }
        return options
    }

    // MARK: Ends

    private func noteEnd(of request: ControlRequest, _ end: EndRequest) {
        guard let name = request.message["app"] else { return }
        let app = app(named: name)
        desk.forgetPressed(of: app.map(self.name(of:)) ?? name)
        guard let app else { return }
        // Who is being removed stays so.
        if apps[app]?.request != .remove { apps[app]?.request = end }
    }

    private func remove(_ request: ControlRequest) {
        guard let name = request.message["app"] else { return refuse(request, "invalid", "remove needs app=NAME") }
        if let app = app(named: name) {
            desk.forgetPressed(of: self.name(of: app))
            apps[app]?.request = .remove
            quit([app], for: request, removing: self.name(of: app))
        } else if apps.list.contains(name) {
            desk.forgetPressed(of: name)
            keepRemoval(of: name, request)
        } else {
            refuse(request, "no-app", "there is no app \(name) in the list; `curfew apps` shows what is")
        }
    }

    private func quitAll(_ request: ControlRequest) {
        desk.forgetPressed(of: nil)
        for app in apps.running where apps[app]?.request == nil { apps[app]?.request = .quit }
        quit(apps.running, for: request)
    }

    /// Answered once they have ended.
    private func quit(_ ending: [AppID], for request: ControlRequest, removing name: String? = nil) {
        if ending.isEmpty { return accept(request) }
        owe(request)
        waiting.append(EndWait(request: request, apps: Set(ending), removed: name))
        for app in ending { feed(.app(app, .quit(request: nil))) }
    }

    // MARK: Answers

    func accept(_ request: ControlRequest, _ fields: [Field] = []) { control?.accept(request, fields) }

    func refuse(_ request: ControlRequest, _ code: String, _ why: String) {
        control?.refuse(request, code, why)
    }
}
