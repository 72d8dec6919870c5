import CCurfew
import CurfewCommand
import CurfewLinux
import CurfewTop
import CurfewWire

/// Every supervisor of this user that answers, and which app is whose.
struct Supervisors {
    private(set) var links: [SocketFolder.Entry: SupervisorLink] = [:]
    private var owners: [String: SocketFolder.Entry] = [:]
    private var folder = SocketFolder()
    /// When to look for sockets again.
    private(set) var lookDue: Int64?

    private static let interval: Int64 = 1_000_000_000
    /// A channel that was closed on us while its app runs on is opened again after this long.
    private static let pause: Int64 = 500_000_000

    init() { folder.sweep() }

    /// What to wait for: readable.
    var descriptors: [Int32] {
        links.values.map(\.descriptor.number) + (folder.isBlind ? [] : [folder.descriptor.number])
    }

    var nextDue: Int64? { (links.values.compactMap(\.deadline) + [lookDue].compactMap { $0 }).min() }

    // MARK: Who is there

    /// Looks for sockets, and connects to those that are new.
    mutating func look(_ model: inout TopModel, at now: Int64) {
        let entries = folder.entries()
        // That can have made it blind.
        lookDue = folder.isBlind ? now + Self.interval : nil
        for entry in entries {
            if links[entry] != nil {
                // A name that leads to a server is an app that it has, perhaps a new one.
                links[entry]?.askForApps(at: now)
                continue
            }
            // Whoever doesn't listen yet, or not to us, may do so when something has changed here.
            guard let link = try? SupervisorLink(path: entry.path, app: entry.app, at: now) else { continue }
            links[entry] = link
            if let app = entry.app { add(app, of: entry, &model) }
        }
        model.servers = servers
    }

    private var servers: [String] { links.keys.compactMap(\.server).sorted() }

    private mutating func add(_ app: String, of entry: SocketFolder.Entry, _ model: inout TopModel) {
        owners[app] = entry
        model.add(app)
    }

    private mutating func end(_ entry: SocketFolder.Entry, _ model: inout TopModel, at now: Int64) {
        links.removeValue(forKey: entry)?.close()
        for app in owners.filter({ $0.value == entry }).keys.sorted() { forget(app, &model) }
        model.servers = servers
        lookDue = min(lookDue ?? .max, now + Self.pause)
    }

    private mutating func forget(_ app: String, _ model: inout TopModel) {
        owners[app] = nil
        model.remove(app)
    }

    // MARK: Asking

    mutating func askForStatus(of apps: [String], at now: Int64) {
        for app in apps {
            if let entry = owners[app] { links[entry]?.askForStatus(of: app, at: now) }
        }
    }

    mutating func ask(_ request: TopRequest, at now: Int64) {
        if let entry = owners[request.app] { links[entry]?.ask(request, at: now) }
    }

    // MARK: What comes

    /// Takes what has come on these descriptors, and what is overdue.
    mutating func take(_ ready: Set<Int32>, _ model: inout TopModel, at now: Int64) {
        if ready.contains(folder.descriptor.number) || (lookDue ?? .max) <= now { look(&model, at: now) }
        for entry in Array(links.keys) {
            guard let link = links[entry] else { continue }
            var news: [SupervisorLink.News] = []
            if ready.contains(link.descriptor.number) { news = links[entry]?.read(at: now) ?? [] }
            news += links[entry]?.overdue(at: now) ?? []
            for one in news { take(one, of: entry, &model, at: now) }
            if links[entry]?.isOver == true { end(entry, &model, at: now) }
        }
    }

    private mutating func take(
        _ news: SupervisorLink.News, of entry: SocketFolder.Entry, _ model: inout TopModel, at now: Int64
    ) {
        switch news {
        case .event(let app, let message):
            // A server's that isn't in the list yet.
            if owners[app] == nil { links[entry]?.askForApps(at: now) }
            if owners[app] == entry { model.take(event: message, of: app, at: now) }
        case .status(let app, let answer, let tasks): model.take(status: answer, tasks: tasks, of: app, at: now)
        case .apps(let listed): take(listed, of: entry, &model, at: now)
        case .answer(let request, let answer): model.answer(to: request, answer)
        case .refusal(let app, let why): model.cannotAsk(app, why)
        case .silence(let app): model.doesNotAnswer(app)
        case .unanswered(let request): model.noAnswer(to: request)
        }
    }

    private mutating func take(
        _ listed: [Message], of entry: SocketFolder.Entry, _ model: inout TopModel, at now: Int64
    ) {
        // What has joined has a supervisor of its own, and a socket.
        let present = listed.filter { $0["removed"] != "1" && $0["joined"] != "1" }
        let names = Set(present.compactMap { $0["name"] })
        for (app, owner) in owners where owner == entry && !names.contains(app) { forget(app, &model) }
        for one in present {
            guard let app = one["name"], owners[app] == nil || owners[app] == entry else { continue }
            add(app, of: entry, &model)
            model.take(listing: one, of: app, at: now)
        }
    }
}
