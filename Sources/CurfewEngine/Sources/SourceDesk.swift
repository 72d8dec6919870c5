import CurfewCore
import CurfewLinux
import CurfewWire

/// What sources are the sources of: a server. One in the tests holds apps of a fake machine.
protocol SourceHost: AnyObject {
    /// Real time.
    var now: Instant { get }
    /// Of an app that runs, by its name or the pid of any process of it; a name is taken as it stands. Nil: no app has that process.
    func sourcesApp(_ told: String) -> String?
    /// The names of those in front.
    var namesInFront: [String] { get }
    /// Our end of a connection whose requests are an operator's.
    func connectSource() -> Descriptor
    func complain(_ problem: String)
}

/// The sources of a server: starts them, again and again, reads what they write, and asks the server for it on their behalf.
///
/// What they ask goes by a connection each, as any client's does, so that it is held to the same bounds and waits for its turn; what a
/// source may not ask doesn't come so far. One that writes without end is read a little at a time.
final class SourceDesk {
    unowned let host: any SourceHost
    private let sources: [ServedSource]
    private var loop = EventLoop.none
    /// Besides the server's environment, at each start.
    private var variables: [Field] = []
    /// Until when they are heeded, since the server ends; nil while it doesn't.
    private var endsAt: Instant?
    private var isEnding: Bool { endsAt != nil }

    /// More of one isn't asked before some of it is answered.
    static let mostAsked = 16
    /// How long they are heeded at the server's end: a source has three seconds to end, two are for what it leaves behind, and
    /// the rest for what it has left in its pipe.
    static let lastTime = Span.seconds(10)
    /// So much of one is heeded then, in bytes: twice what is on its way through its pipe and its process.
    static let mostLastBytes = 256 << 10
    /// Between two turns of one then, for that is soon over.
    static let lastRest = Span.milliseconds(2)

    init(_ sources: [(plan: SourcePlan, runner: SourceRunner)], host: any SourceHost) {
        self.host = host
        let now = host.now
        self.sources = sources.map { ServedSource($0.plan, $0.runner, at: now) }
    }

    // MARK: Their runs

    func begin(in loop: EventLoop) {
        self.loop = loop
        for index in sources.indices { listen(to: index) }
        timePassed()
    }

    /// When `timePassed` has to be called; nil: not at all.
    var nextDue: Instant? {
        guard let endsAt else { return sources.compactMap(\.nextDue).min() }
        return isOver ? nil : sources.compactMap(\.restsUntil).reduce(endsAt, min)
    }

    func timePassed() {
        let now = host.now
        if let endsAt, endsAt <= now { return letGo() }
        for (index, source) in sources.enumerated() {
            if let instant = source.restsUntil {
                guard instant <= now else { continue }
                source.restsUntil = nil
                if isEnding { source.turn = SourceTurn() }
                listen(to: index)
                read(source, index)
            } else if !isEnding, case .waiting(let instant) = source.phase, instant <= now {
                source.willStart()
                source.runner.start(variables)
            }
        }
    }

    /// A variable of the desktop's is another from now on: at the next start, which is now for those that wait for one.
    func setVariables(_ changes: [Field]) {
        guard !changes.isEmpty else { return }
        variables = variables.filter { variable in !changes.contains { $0.key == variable.key } } + changes
        let now = host.now
        for source in sources { source.forgetPauses(at: now) }
        timePassed()
    }

    /// They are asked to end. What they push meanwhile is kept; it is over once all that is answered, or their time is up.
    func end() {
        guard !isEnding else { return }
        endsAt = host.now + Self.lastTime
        for source in sources where source.phase != .over { source.runner.end() }
    }

    /// Whether nothing more comes of them.
    var isOver: Bool { sources.allSatisfy(\.isDone) }

    private func letGo() {
        for source in sources where !source.isDone {
            loop.remove(source.runner.descriptor)
            complain(source, "the server ends before all that it has written is done", isPaced: false)
            source.letGo()
        }
    }

    // MARK: What they write

    /// By the number of a token: of what a source writes, or of what it is answered.
    func told(_ number: Int) {
        guard sources.indices.contains(number / 2) else { return }
        let source = sources[number / 2]
        if number % 2 == 1 { return readAnswers(of: source) }
        // What has come at once with an answer may have been left for later by that.
        if source.restsUntil == nil { read(source, number / 2) }
    }

    private func listen(to index: Int) {
        guard sources[index].phase != .over else { return }
        loop.add(sources[index].runner.descriptor, EventLoop.Kind.source.token(2 * index))
    }

    private func read(_ source: ServedSource, _ index: Int) {
        var now = host.now
        source.turn.begin(at: now)
        askAgain(source, index)
        if source.lacksRoom, source.askedCount > 0 { return rest(source, for: SourceTurn.rest) }
        while source.phase != .over {
            if source.turn.isOver || source.askedCount >= Self.mostAsked { return rest(source) }
            switch source.lines.next() {
            case .line(let line): handle(line, of: source, index)
            case .tooLong: complain(source, "a line is longer than \(LineReader.maximumLineBytes) bytes")
            case .none: if !takeNews(of: source) { return }
            }
            let before = now
            now = host.now
            source.turn.note((now - before).nanoseconds)
        }
    }

    private func rest(_ source: ServedSource, for span: Span? = nil) {
        loop.remove(source.runner.descriptor)
        source.restsUntil = host.now + (span ?? (isEnding ? Self.lastRest : SourceTurn.rest))
    }

    /// False where there is none now.
    private func takeNews(of source: ServedSource) -> Bool {
        switch source.runner.next() {
        case .none: return false
        case .news(.output(let bytes)): take(bytes, of: source)
        case .news(.started(let pid)): source.started(pid: pid, at: host.now)
        case .news(.ended(let end)):
            let (pause, leftPart) = source.ended(at: host.now)
            if isEnding { return true }
            let part = leftPart ? "; its last line had no end, and was left out" : ""
            let next = HumanText.duration(nanoseconds: pause.nanoseconds)
            complain(source, "it \(end.text)\(part); started again in \(next)", isPaced: false)
        case .gone:
            loop.remove(source.runner.descriptor)
            source.giveUp()
            if isEnding { return true }
            complain(
                source, "the process that ran it was killed, so the server's next start is the next of it",
                isPaced: false)
        }
        return true
    }

    private func take(_ bytes: [UInt8], of source: ServedSource) {
        guard isEnding else { return source.lines.append(bytes) }
        let before = source.lastBytes
        source.lastBytes += bytes.count
        if source.lastBytes <= Self.mostLastBytes { return source.lines.append(bytes) }
        guard before <= Self.mostLastBytes else { return }
        complain(source, "it writes on at the server's end, and is heeded no more", isPaced: false)
    }

    // MARK: What they ask

    private func handle(_ line: [UInt8], of source: ServedSource, _ index: Int) {
        do throws(SourceRequest.Problem) {
            guard let request = try SourceRequest.parse(line) else { return }
            // All else is for apps that end, too.
            if isEnding, request.verb != .push { return }
            for app in try names(of: request, source) { try ask(.init(request: request, app: app), source, index) }
        } catch {
            complain(source, "\"\(Self.shown(line))\": \(error.text)")
        }
    }

    /// Whom it is about; several where it means whoever is in front.
    private func names(of request: SourceRequest, _ source: ServedSource) throws(SourceRequest.Problem) -> [String] {
        guard let told = request.app else {
            return host.namesInFront.filter { source.plan.apps?.contains($0) != false }
        }
        guard let name = host.sourcesApp(told) else { throw .init("no app has the process \(told)") }
        if let apps = source.plan.apps, !apps.contains(name) {
            throw .init(
                "\(name) isn't among those that it may name (--source-apps \(apps.sorted().joined(separator: ",")))")
        }
        return [name]
    }

    private func ask(
        _ wish: ServedSource.Wish, _ source: ServedSource, _ index: Int
    ) throws(SourceRequest.Problem) {
        if !source.channel.isOpen {
            source.connect(host.connectSource())
            loop.add(source.channel, EventLoop.Kind.source.token(2 * index + 1))
        }
        switch source.ask(wish) {
        case .asked: break
        case .tooLong: throw .init("with what is added to it, it is longer than \(LineReader.maximumLineBytes) bytes")
        case .unsent:
            source.disconnect()
            throw .init("it can't be asked for just now")
        }
    }

    private func askAgain(_ source: ServedSource, _ index: Int) {
        for wish in source.takeUnkept() {
            do throws(SourceRequest.Problem) {
                try ask(wish, source, index)
            } catch {
                complain(source, wish, error.text)
            }
        }
    }

    private func readAnswers(of source: ServedSource) {
        guard let answers = source.takeAnswers() else { return source.disconnect() }
        for (wish, answer) in answers where answer.verb == "error" { refused(wish, of: source, answer) }
        source.closeIfDone()
    }

    /// What there is no room for just now waits, and with it what comes after it.
    private func refused(_ wish: ServedSource.Wish, of source: ServedSource, _ answer: Message) {
        guard wish.request.verb == .push, answer["code"] == "busy" else {
            return complain(source, wish, answer["message"] ?? "it was refused")
        }
        if source.keepForLater(wish) {
            complain(
                source, wish, "there is no room for it just now; it is asked for again, and nothing is read meanwhile")
        }
        rest(source, for: SourceTurn.rest)
    }

    // MARK: Telling

    private func complain(_ source: ServedSource, _ problem: String, isPaced: Bool = true) {
        if let told = source.complaint(problem, isPaced: isPaced, at: host.now) { host.complain(told) }
    }

    private func complain(_ source: ServedSource, _ wish: ServedSource.Wish, _ problem: String) {
        complain(source, "\"\(Self.shown(Array(wish.request.description.utf8)))\": \(problem)")
    }

    private static func shown(_ line: [UInt8]) -> String {
        let most = 80
        let text = String(decoding: line.prefix(most), as: UTF8.self)
        return line.count > most ? text + "…" : text
    }

    /// A line each, for `server`.
    var messages: [Message] {
        let now = host.now
        return sources.map { $0.message(at: now) }
    }
}
