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
    private var isEnding = false

    /// More of one isn't asked before some of it is answered.
    static let mostAsked = 16
    /// What a source's process takes at most to end it, in nanoseconds, with a second to spare.
    private static let endLimit: Int64 = 4_000_000_000

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
    var nextDue: Instant? { isEnding ? nil : sources.compactMap(\.nextDue).min() }

    func timePassed() {
        guard !isEnding else { return }
        let now = host.now
        for (index, source) in sources.enumerated() {
            if let instant = source.restsUntil {
                guard instant <= now else { continue }
                source.restsUntil = nil
                listen(to: index)
                read(source, index)
            } else if case .waiting(let instant) = source.phase, instant <= now {
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

    /// They are asked to end; what they still write is heeded no more.
    func end() {
        guard !isEnding else { return }
        isEnding = true
        for source in sources where source.phase != .over {
            loop.remove(source.runner.descriptor)
            source.disconnect()
            source.runner.end()
        }
    }

    /// Returns once nothing is left of them, or their time is up.
    func finish(now: Int64) {
        end()
        for source in sources where source.phase != .over {
            _ = source.runner.waitForEnd(until: now + Self.endLimit)
            source.giveUp()
        }
    }

    // MARK: What they write

    /// By the number of a token: of what a source writes, or of what it is answered.
    func told(_ number: Int) {
        guard !isEnding, sources.indices.contains(number / 2) else { return }
        let source = sources[number / 2]
        if number % 2 == 0 { read(source, number / 2) } else { readAnswers(of: source) }
    }

    private func listen(to index: Int) {
        loop.add(sources[index].runner.descriptor, EventLoop.Source.source.token(2 * index))
    }

    private func read(_ source: ServedSource, _ index: Int) {
        var now = host.now
        source.turn.begin(at: now)
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

    private func rest(_ source: ServedSource) {
        loop.remove(source.runner.descriptor)
        source.restsUntil = host.now + SourceTurn.rest
    }

    /// False where there is none now.
    private func takeNews(of source: ServedSource) -> Bool {
        switch source.runner.next() {
        case .none: return false
        case .news(.output(let bytes)): source.lines.append(bytes)
        case .news(.started(let pid)): source.started(pid: pid, at: host.now)
        case .news(.ended(let end)):
            let (pause, leftPart) = source.ended(at: host.now)
            let part = leftPart ? "; its last line had no end, and was left out" : ""
            let next = HumanText.duration(nanoseconds: pause.nanoseconds)
            complain(source, "it \(end.text)\(part); started again in \(next)", isPaced: false)
        case .gone:
            loop.remove(source.runner.descriptor)
            source.giveUp()
            complain(
                source, "the process that ran it was killed, so the server's next start is the next of it",
                isPaced: false)
        }
        return true
    }

    // MARK: What they ask

    private func handle(_ line: [UInt8], of source: ServedSource, _ index: Int) {
        do throws(SourceRequest.Problem) {
            guard let request = try SourceRequest.parse(line) else { return }
            for name in try names(of: request, source) { try ask(request, for: name, source, index) }
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
        _ request: SourceRequest, for name: String, _ source: ServedSource, _ index: Int
    ) throws(SourceRequest.Problem) {
        if !source.channel.isOpen {
            source.connect(host.connectSource())
            loop.add(source.channel, EventLoop.Source.source.token(2 * index + 1))
        }
        switch source.ask(request.description, { request.message(for: name, id: $0) }) {
        case .asked: break
        case .tooLong: throw .init("with what is added to it, it is longer than \(LineReader.maximumLineBytes) bytes")
        case .unsent:
            source.disconnect()
            throw .init("it can't be asked for just now")
        }
    }

    private func readAnswers(of source: ServedSource) {
        guard let answers = source.takeAnswers() else { return source.disconnect() }
        for (line, answer) in answers where answer.verb == "error" {
            complain(source, "\"\(Self.shown(Array(line.utf8)))\": \(answer["message"] ?? "it was refused")")
        }
    }

    // MARK: Telling

    private func complain(_ source: ServedSource, _ problem: String, isPaced: Bool = true) {
        if let told = source.complaint(problem, isPaced: isPaced, at: host.now) { host.complain(told) }
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
