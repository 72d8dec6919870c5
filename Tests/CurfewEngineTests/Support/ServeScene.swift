import CCurfew
import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

/// A server in this process, asked over a real socket: its apps are programs that only it believes to run, on a machine that is a
/// fake; what it is told of apps, and what it keeps, a test says.
final class ServeScene {
    let kernel = FakeKernel(Journal())
    let programs = FakePrograms()
    let zones = FakeZones()
    let definitions: FakeDefinitions
    let records: FakeRecords?
    let folder = ScratchFolder()
    let host: ServeHost
    private let page = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 4096)
    private var clients: [ControlClient] = []
    /// What people were told, so far.
    var told: [String] { words.lines }
    /// Called with each line as it is told.
    var whenTold: (String) -> Void {
        get { words.whenTold }
        set { words.whenTold = newValue }
    }
    /// How often nobody takes a line, before somebody does.
    var unreadTries: Int {
        get { words.unreadTries }
        set { words.unreadTries = newValue }
    }
    private let words = Words()
    /// What the machine is said to be like; idle, where a test says nothing.
    var reading: MachineReading {
        get { words.reading }
        set { words.reading = newValue }
    }

    private final class Words {
        var lines: [String] = []
        var whenTold: (String) -> Void = { _ in }
        var unreadTries = 0
        var reading = MachineReading()

        func take(_ line: String) -> Bool {
            unreadTries -= 1
            guard unreadTries < 0 else { return false }
            lines.append(line)
            whenTold(line)
            return true
        }
    }

    /// `keeps`: whether there are records.
    init(keeps: Bool = true, foregroundPlaces: Int = 1, records: FakeRecords = FakeRecords()) {
        self.records = keeps ? records : nil
        definitions = FakeDefinitions(folder.path)
        page.initializeMemory(as: UInt8.self, repeating: 0, count: 1 << 16)
        let options = SupervisorOptions()
        options.foregroundPlaces = foregroundPlaces
        let words = words
        host = ServeHost(
            ServerPlan(name: "home", containment: .tree, options: options), page: SharedPage(page), proxy: getppid(),
            callersMask: 0, definitions: definitions, zones: zones,
            machine: ServerMachine(
                kernel: kernel, launches: programs, reading: { words.reading },
                tell: { words.take($0) }),
            records: { keeps ? records : nil })
        prepare()
    }

    private func prepare() {
        host.directory = RuntimeDirectory(path: folder.path)
        _ = mkdir(host.directory.serverFolder.path, 0o700)
        host.loop = EventLoop.make()
        host.control = ControlServer(
            listening: Descriptor(curfew_unix_listen(host.directory.serverSocketPath("home"), 16)), loop: host.loop,
            host: host, isShared: true)
        do throws(LaunchError) { try host.takeRecords() } catch { Issue.record("\(error.problem)") }
        host.loadRecords()
    }

    deinit {
        for client in clients { client.close() }
        host.control?.closeAll()
        var epoll = host.epoll
        epoll.close()
        folder.remove()
        page.deallocate()
    }

    // MARK: Asking

    func client() -> ControlClient {
        let client = ControlClient(Descriptor(curfew_unix_connect(host.directory.serverSocketPath("home"), 0)))
        clients.append(client)
        run()
        return client
    }

    /// The app's own.
    func pipe(of app: AppID) -> ControlClient {
        var pair: [Int32] = [-1, -1]
        _ = pair.withUnsafeMutableBufferPointer { curfew_socketpair($0.baseAddress) }
        host.control?.addPipe(Descriptor(pair[0]), childsEnd: .none, of: app)
        let client = ControlClient(Descriptor(pair[1]))
        clients.append(client)
        return client
    }

    private lazy var usual = client()

    /// What comes back at once.
    @discardableResult
    func ask(_ request: String) -> [String] { ask(request, by: usual) }

    @discardableResult
    func ask(_ request: String, by client: ControlClient) -> [String] {
        client.send([request])
        run()
        return client.read()
    }

    /// What has come since, to who asks by `ask`.
    func read() -> [String] {
        run()
        return usual.read()
    }

    /// Nil where it isn't refused.
    func code(_ request: String) -> String? {
        let answer = ask(request).last ?? ""
        guard answer.hasPrefix("error ") else { return nil }
        return answer.split(separator: " ").first { $0.hasPrefix("code=") }.map { String($0.dropFirst(5)) }
    }

    private func run() {
        for _ in 0..<1_000 {
            let ready = host.loop.ready(within: 0)
            if ready.isEmpty { return }
            for each in ready { host.handle(each) }
        }
        Issue.record("something is always ready")
    }

    /// As the loop goes on by itself: a source's turn is as long as it really takes, and what is left comes after a rest.
    func goOn(until isSo: () -> Bool) {
        let end = curfew_monotonic_nanoseconds() + 60_000_000_000
        while !isSo() {
            guard curfew_monotonic_nanoseconds() < end else {
                Issue.record("it doesn't come")
                return
            }
            for each in host.loop.ready(within: 2) { host.handle(each) }
            host.hostsTimeCame()
        }
    }

    /// As a client does; returns its path.
    func leaveOrder(_ name: String, _ fields: String...) -> String {
        let path = host.directory.serverFolder.path + "/" + name
        var file = Descriptor(curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT, 0o600))
        defer { file.close() }
        let bytes: [UInt8] = fields.flatMap { Array($0.utf8) + [0] }
        #expect(bytes.withUnsafeBytes { curfew_write(file.number, $0.baseAddress, $0.count) } == bytes.count)
        return path
    }

    // MARK: What happens

    /// A signal to the server itself.
    func hears(_ signal: Int32, from sender: SignalSender = .kernel) {
        var info = curfew_signal_info()
        info.signal = signal
        info.code = sender == .kernel ? Int32(SI_KERNEL) : Int32(SI_USER)
        info.pid = sender.pid ?? 0
        host.heard(info)
    }

    /// The proxy has something to tell, and rings.
    func isTold(_ signal: Int32, from sender: SignalSender = .kernel) {
        let code = sender == .kernel ? Int32(SI_KERNEL) : Int32(SI_USER)
        _ = curfew_news_put(page, curfew_news(signal: signal, code: code, pid: sender.pid ?? 0, number: 0))
        hears(Int32(CURFEW_DOORBELL))
    }

    func pass(_ span: Span) {
        kernel.clock = kernel.clock + span
        host.engine.wake()
        host.hostsTimeCame()
    }

    /// To the next moment that the server waits for; how long that was. Nil where it waits for none.
    @discardableResult
    func passUntilRestart() -> Span? {
        guard let due = host.hostsDeadline else { return nil }
        let span = due - kernel.clock
        pass(span)
        return span
    }

    /// Its program ends.
    func end(_ name: String, _ outcome: ExitOutcome = .exited(code: 0)) {
        guard let app = host.app(called: name) else {
            Issue.record("\(name) doesn't run")
            return
        }
        kernel[app].isAlive = false
        host.engine.feed(.app(app, .leaderExited(outcome)))
        host.engine.childrenChanged()
    }

    /// A line of `launch` has it launched.
    @discardableResult
    func launch(_ name: String, _ more: String = "", restart: RestartCondition = .never) -> AppID? {
        definitions.define(name, restart: restart)
        let answer = ask("launch id=1 app=\(name)\(more.isEmpty ? "" : " " + more)")
        #expect(answer.first?.hasPrefix("ok id=1 app=\(name) ") == true, "\(answer)")
        return host.app(called: name)
    }

    // MARK: What is so

    var front: [String] { host.engine.core.foregroundApps.map { host.name(of: $0) } }
    /// The most recently used first.
    var listed: [String] { host.apps.list.names }
    func state(_ name: String) -> LifecycleState? { host.app(called: name).flatMap { host.engine.core.app($0)?.state } }
    func entry(_ name: String) -> ServedApps.Entry? { host.apps[name] }
    /// Of those that run.
    var linked: [String] { host.directory.names().filter { host.directory.server(of: $0) == "home" } }
}

/// Programs that are started, and of which nothing is true.
final class FakePrograms: LaunchSystem {
    /// What the next starts fail by.
    var error: SpawnError?
    private(set) var started = 0
    /// Their ends of the control pipes, in the order in which they were started.
    private(set) var pipes: [ControlClient] = []

    deinit { for pipe in pipes { pipe.close() } }

    var isAwaited: Bool { true }

    func makeChannel() throws(KernelError) -> (ours: Int32, childs: Int32) {
        var ends: [Int32] = [-1, -1]
        guard ends.withUnsafeMutableBufferPointer({ curfew_socketpair($0.baseAddress) }) == 0 else {
            throw KernelError("make", "the control pipe", errno: errno)
        }
        return (ends[0], ends[1])
    }

    func spawn(_ request: SpawnRequest) throws(SpawnError) -> (pid: Int32, pidfd: Descriptor, reaper: Int32) {
        if let error { throw error }
        started += 1
        // A program has its end of the control pipe, and closes it when it ends.
        pipes.append(ControlClient(Descriptor(fcntl(request.channel, F_DUPFD_CLOEXEC, 0))))
        // Nobody has such numbers.
        return (Int32.max - 1_000 - Int32(started), .none, 0)
    }
}

/// What apps are, as a test says.
final class FakeDefinitions: AppDefinitions {
    private var defined: [String: ServedDefinition] = [:]
    private var installed: [String: ServedDefinition] = [:]
    private let folder: String
    /// What is found at the next reading.
    var reloaded = ReloadedDefinitions()
    private(set) var readings = 0
    /// Whose manifests can't be read.
    var broken: Set<String> = []
    /// Why all that was named for it to read can't be.
    var unreadable: String?
    /// How often a desktop entry was looked for.
    private(set) var entriesLookedFor = 0

    init(_ folder: String) { self.folder = folder }

    @discardableResult
    func define(
        _ name: String, restart: RestartCondition = .never, _ change: (SupervisorOptions) -> Void = { _ in },
        manifest: (Manifest) -> Void = { _ in }
    ) -> ServedDefinition {
        let definition = make(name, change, manifest)
        definition.source = .manifest
        definition.restart = restart
        defined[name] = definition
        return definition
    }

    func forget(_ name: String) { defined[name] = nil }

    /// A desktop entry.
    @discardableResult
    func install(_ name: String) -> ServedDefinition {
        let definition = make(name)
        definition.source = .desktop
        installed[name] = definition
        return definition
    }

    func uninstall(_ name: String) { installed[name] = nil }

    private func make(
        _ name: String, _ change: (SupervisorOptions) -> Void = { _ in },
        _ changeManifest: (Manifest) -> Void = { _ in }
    ) -> ServedDefinition {
        let words = OwnedStrings(["program"])
        let manifest = Manifest(
            arguments: UnsafePointer(words.pointer), argumentCount: words.count, policy: Policy(profile: .ios4))
        manifest.stateDirectory = folder + "/state"
        changeManifest(manifest)
        let options = SupervisorOptions()
        change(options)
        return ServedDefinition(name: name, plan: RunPlan(manifest, options), owner: words)
    }

    func load() throws(DefinitionRefusal) -> ReloadedDefinitions {
        if let unreadable { throw DefinitionRefusal(unreadable) }
        return reload()
    }

    func reload() -> ReloadedDefinitions {
        readings += 1
        return reloaded
    }

    /// Another object under its name is another definition.
    func differs(from definition: ServedDefinition) -> Bool {
        defined[definition.name].map { $0 !== definition } ?? false
    }

    func manifestDefinition(of name: String) throws(DefinitionRefusal) -> ServedDefinition? {
        if broken.contains(name) { throw DefinitionRefusal("\(name).toml:1: nonsense") }
        return defined[name]
    }

    func desktopDefinition(of name: String) throws(DefinitionRefusal) -> ServedDefinition? {
        entriesLookedFor += 1
        return installed[name]
    }

    func definition(of order: LaunchOrder) throws(DefinitionRefusal) -> ServedDefinition {
        make(order.name ?? order.command[0].text)
    }
}

/// What a server keeps, as a test reads it; it answers when it is told to.
final class FakeRecords: ServerRecords {
    let descriptor: Int32 = -1
    var trouble: String?
    var word: String { trouble ?? "ok" }
    var kept = KeptServer()
    /// What was noted, a line each.
    private(set) var noted: [String] = []
    /// Whether too much waits for more to be asked.
    var isFull = false
    private var asked: [Int] = []
    private var lastNumber = 0
    private var answers: [(number: Int, answer: RecordAnswer)] = []

    func load() -> KeptServer { kept }

    func noteLaunch(of app: AppRecord, _ run: RunRecord, toFront: Bool) {
        noted.append("launch \(app.name) \(run.number)" + (toFront ? " to front" : ""))
    }

    func noteEnd(
        of app: String, run number: Int, _ end: RunRecord.End, _ restart: RestartRecord?, restoredEnds: Int
    ) {
        let more = [restart.map { _ in "again" }, restoredEnds == 0 ? nil : "restored ends \(restoredEnds)"]
            .compactMap(\.self)
        noted.append((["end \(app) \(number) \(end.reason.word)"] + more).joined(separator: ", "))
    }

    func noteRestart(of app: String, _ restart: RestartRecord?) {
        noted.append("restart \(app) " + (restart.map { "in \($0.pause / 1_000_000) s" } ?? "never"))
    }

    func noteOpening(of app: String) { noted.append("open \(app)") }

    private func ask(_ what: String) -> Int? {
        if isFull { return nil }
        noted.append(what)
        lastNumber += 1
        asked.append(lastNumber)
        return lastNumber
    }

    func noteNotification(_ id: String, of app: String, passed: Int64?) {
        noted.append("notification \(app) \(id) " + (passed.map { "passed \($0)" } ?? "over"))
    }

    func noteBadge(_ badge: Int, of app: String) { noted.append("badge \(app) \(badge)") }

    func keep(_ notification: NotificationRecord) -> Int? {
        ask("keep \(notification.app) \(notification.notification.id) \(notification.passed)")
    }

    func noteFetch(_ fetch: FetchRecord) { noted.append("fetch \(fetch.app) \(fetch.fruitless)") }

    func noteOpening(_ opening: UseHabits.Opening, of app: String) { noted.append("opened \(app)") }

    func keep(_ fetch: FetchRecord) -> Int? { ask("keep fetch \(fetch.app)") }

    func notePush(_ number: Int, of app: String, delivered: WallTime) {
        noted.append("push \(app) \(number) " + (delivered == .never ? "never" : "delivered"))
    }

    func keep(_ push: PushRecord) -> Int? { ask("keep push \(push.app) \(push.number)") }

    func push(_ number: Int, of app: String) -> Int? { ask("payload \(app) \(number)") }

    func dropNotifications(_ ids: [String], of app: String) -> Int? {
        ask("drop \(app) \(ids.joined(separator: ","))")
    }

    func noteRequestOver(_ id: String, of app: String) { noted.append("request \(app) \(id) over") }

    func keep(_ request: RequestRecord) -> Int? {
        ask("keep \(request.request.kind.rawValue) \(request.app) \(request.request.id)")
    }

    func dropRequests(_ ids: [String], of app: String) -> Int? {
        ask("drop requests \(app) \(ids.joined(separator: ","))")
    }

    func remove(_ app: String) -> Int? { ask("remove \(app)") }

    func history(of app: String?, limit: Int) -> Int? { ask("history \(app ?? "all") \(limit)") }

    var isAsked: Bool { !asked.isEmpty }

    /// To the first of what was asked.
    func answer(_ answer: RecordAnswer) {
        guard !asked.isEmpty else {
            Issue.record("nothing was asked")
            return
        }
        answers.append((asked.removeFirst(), answer))
    }

    func takeAnswers() -> [(number: Int, answer: RecordAnswer)] {
        defer { answers = [] }
        return answers
    }

    func takeNews() -> [String] { [] }
    func stop() { whenStopped() }
    var whenStopped: () -> Void = {}
}
