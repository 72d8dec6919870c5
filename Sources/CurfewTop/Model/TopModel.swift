import CurfewWire

/// All that the screen shows: the apps, what was typed, and which of them the keys are for.
///
/// A value: what its supervisors tell and which keys are pressed go in, with their moments; when to ask whom comes out.
/// Moments are nanoseconds of any one clock that only goes forward.
public struct TopModel: Sendable {
    /// What keys mean now.
    public enum Mode: Sendable, Equatable {
        case list
        case filtering
        case confirming(TopRequest)
        /// Its first line on the screen.
        case help(Int)
    }

    private var apps: [String: TopApp] = [:]
    public private(set) var sort = SortKey.state
    public internal(set) var filter = ""
    public internal(set) var mode = Mode.list
    /// What is told in the last line until the next key.
    public internal(set) var message: String?
    public internal(set) var selected: String?
    public var machine: MachineMemory?
    /// The names of the servers that there are, in order; those without an app, too.
    public var servers: [String] = []

    /// In the order of the list, those that match the filter: as of the last `settle`.
    public private(set) var listed: [TopApp] = []
    /// The index of the first that is on the screen, and how many there is room for.
    public private(set) var firstRow = 0
    public private(set) var rows = 1
    private var selectedIndex = 0

    public init() {}

    public var count: Int { apps.count }
    public var all: some Collection<TopApp> { apps.values }
    public subscript(name: String) -> TopApp? { apps[name] }

    // MARK: What is told

    /// One that may have nothing to tell yet.
    public mutating func add(_ name: String) {
        if apps[name] == nil { apps[name] = TopApp(name) }
    }

    /// `tasks`: the lines that came before the answer.
    public mutating func take(status: Message, tasks: [Message], of name: String, at now: Int64) {
        guard var app = apps.removeValue(forKey: name) else { return }
        app.take(status: status, tasks: tasks, at: now)
        app.isAwaited = false
        apps[name] = app
    }

    /// What a server's `apps` tells of one; the rest is asked for where it runs.
    public mutating func take(listing: Message, of name: String, at now: Int64) {
        guard var app = apps.removeValue(forKey: name) else { return }
        app.ended = listing["ended"].map { ": \($0)" } ?? ""
        if let state = AppState(rawValue: listing["state"] ?? ""), state != app.state || state == .notRunning {
            app.state = state
            app.stateBegan = now - (Seconds.parse(listing["since"] ?? "") ?? 0)
            app.isStale = state != .notRunning
        }
        apps[name] = app
    }

    /// Nothing is told of one that isn't known.
    public mutating func take(event: Message, of name: String, at now: Int64) {
        guard var app = apps.removeValue(forKey: name) else { return }
        app.take(event: event, at: now)
        apps[name] = app
    }

    /// Its supervisor doesn't tell of it: why, in words. It is asked again once something has happened to it.
    public mutating func cannotAsk(_ name: String, _ problem: String) {
        apps[name]?.problem = problem
        apps[name]?.isAwaited = false
    }

    /// Its supervisor was asked long ago, and may yet answer.
    public mutating func doesNotAnswer(_ name: String) { apps[name]?.problem = "its supervisor doesn't answer" }

    /// Its supervisor is gone, or has forgotten it.
    public mutating func remove(_ name: String) {
        guard let app = apps.removeValue(forKey: name) else { return }
        if mode == .confirming(TopRequest(.quit, name)) { mode = .list }
        message = "\(name) has ended\(app.ended)"
    }

    // MARK: Answers

    public mutating func answer(to request: TopRequest, _ answer: Message) {
        message =
            answer.verb == "ok"
            ? request.done(state: answer["state"] ?? "")
            : request.refused(answer["code"] ?? "", answer["message"] ?? "no reason was given")
    }

    public mutating func noAnswer(to request: TopRequest) { message = request.unanswered }

    mutating func sortByNext() {
        sort = sort.next
        message = "sorted by \(sort.words)"
    }

    // MARK: Whom to ask

    /// How often what runs is asked for what it uses: on the screen, and beyond it.
    static let interval: Int64 = 1_000_000_000
    static let intervalBeyond: Int64 = 5_000_000_000
    /// At least so long after one question comes the next, whatever happens meanwhile.
    static let pause: Int64 = 100_000_000

    /// The names of those whose status is to be asked for now; they count as asked.
    public mutating func due(at now: Int64) -> [String] {
        let seen = Set(onScreen.map(\.name))
        let names = apps.values.filter { app in (dueMoment(of: app, seen) ?? .max) <= now }.map(\.name).sorted()
        for name in names {
            apps[name]?.asked = now
            apps[name]?.isAwaited = true
            apps[name]?.isStale = false
        }
        return names
    }

    /// When the next is to be asked; nil: nobody, before something happens.
    public func nextDue() -> Int64? {
        let seen = Set(onScreen.map(\.name))
        return apps.values.compactMap { dueMoment(of: $0, seen) }.min()
    }

    /// What is stopped or doesn't run has nothing new to tell until it is told that something has happened.
    private func dueMoment(of app: TopApp, _ seen: Set<String>) -> Int64? {
        if app.isAwaited { return nil }
        if app.isStale { return app.asked.map { $0 + Self.pause } ?? .min }
        guard let asked = app.asked, app.problem == nil, app.state?.isRunning == true else { return nil }
        return asked + (seen.contains(app.name) ? Self.interval : Self.intervalBeyond)
    }

    // MARK: The list

    public var onScreen: ArraySlice<TopApp> { listed.dropFirst(firstRow).prefix(rows) }

    public var selectedApp: TopApp? { selected.flatMap { name in listed.first { $0.name == name } } }

    /// Puts the list in order, for a screen with room for so many apps, and keeps the selection in sight.
    ///
    /// Where the selected one is gone, whoever took its place is selected.
    public mutating func settle(rows: Int, at now: Int64) {
        self.rows = max(1, rows)
        listed = sort.sorted(apps.values.filter(matches), at: now)
        if let index = listed.firstIndex(where: { $0.name == selected }) {
            selectedIndex = index
        } else {
            selectedIndex = max(0, min(selectedIndex, listed.count - 1))
            selected = listed.isEmpty ? nil : listed[selectedIndex].name
        }
        scroll()
    }

    /// No further than the selection needs, and without an empty row below the last app.
    private mutating func scroll() {
        firstRow = min(firstRow, selectedIndex)
        firstRow = max(firstRow, selectedIndex - rows + 1)
        firstRow = max(0, min(firstRow, listed.count - rows))
    }

    mutating func move(by count: Int) {
        guard !listed.isEmpty else { return }
        selectedIndex = max(0, min(listed.count - 1, selectedIndex + count))
        selected = listed[selectedIndex].name
        scroll()
    }

    /// In its name, its state or its command, in capitals or not.
    private func matches(_ app: TopApp) -> Bool {
        if filter.isEmpty { return true }
        let wanted = filter.lowercased()
        return [app.name, app.stateWord, app["command"]].contains { $0.lowercased().holds(wanted) }
    }
}

extension String {
    fileprivate func holds(_ part: String) -> Bool {
        let (text, part) = (Array(utf8), Array(part.utf8))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
