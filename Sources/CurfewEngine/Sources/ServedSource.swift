import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire

/// One source of a server: where it is with its runs, what of its output is still to be read, and what it has asked for.
final class ServedSource {
    enum Phase: Equatable {
        /// Until it is started.
        case waiting(until: Instant)
        case starting
        case running(pid: Int32)
        /// Its process is gone, or is heeded no more.
        case over
    }

    /// What it has asked for.
    struct Wish {
        let request: SourceRequest
        /// Whom it is about.
        let app: String
    }

    let plan: SourcePlan
    let runner: SourceRunner
    private(set) var phase: Phase
    /// How often it was started.
    private(set) var starts = 0
    private var startedAt = Instant(nanoseconds: 0)
    private var rule = RestartRule(.always)
    var lines = SourceLines()
    /// When its output is read again; nil: it is read as it comes.
    var restsUntil: Instant?
    var turn = SourceTurn()
    /// Bytes that it has written since the server's end.
    var lastBytes = 0

    /// Our end of its connection to the server's own channel; made when it first asks for something.
    private(set) var channel = Descriptor.none
    private var answers = LineReader()
    /// What hasn't been answered yet.
    private var asked: [(id: Int, wish: Wish)] = []
    private var lastAsked = 0
    /// What there was no room for, to be asked for again.
    private var unkept: [Wish] = []
    /// Whether there was none for the last one of which anything is known.
    private(set) var lacksRoom = false

    /// What was last told of it.
    private(set) var complaint: String?
    private var pace = OnceASecond()
    private var untold = 0

    init(_ plan: SourcePlan, _ runner: SourceRunner, at now: Instant) {
        self.plan = plan
        self.runner = runner
        phase = .waiting(until: now)
    }

    deinit {
        runner.close()
        channel.close()
    }

    // MARK: Its runs

    func willStart() {
        starts += 1
        phase = .starting
    }

    func started(pid: Int32, at now: Instant) {
        startedAt = now
        phase = .running(pid: pid)
    }

    /// Returns after which pause it is started again, longer each time but after a long run; and whether it has ended within a line.
    func ended(at now: Instant) -> (pause: Span, leftPart: Bool) {
        var life = Span.zero
        if case .running = phase { life = now - startedAt }
        let pause = rule.restart(after: RunEnd(.exit, life: life))?.pause ?? RestartRule.longestPause
        phase = .waiting(until: now + pause)
        defer { lines = SourceLines() }
        return (pause, lines.hasPart)
    }

    /// What it may have lacked is there: the pauses begin anew.
    func forgetPauses(at now: Instant) {
        guard case .waiting = phase else { return }
        rule = RestartRule(.always)
        phase = .waiting(until: now)
    }

    /// Nothing more comes from it. What it has asked for is answered all the same.
    func giveUp() {
        phase = .over
        restsUntil = nil
        runner.close()
        closeIfDone()
    }

    /// Whatever it has asked for.
    func letGo() {
        unkept = []
        disconnect()
        giveUp()
    }

    /// Whether nothing more comes from it, and all is answered.
    var isDone: Bool { phase == .over && askedCount == 0 }

    /// When something is to be done for it.
    var nextDue: Instant? {
        if let restsUntil { return restsUntil }
        if case .waiting(let instant) = phase { return instant }
        return nil
    }

    // MARK: What it asks for

    /// What waits for an answer, or to be asked for again.
    var askedCount: Int { asked.count + unkept.count }

    func connect(_ descriptor: Descriptor) { channel = descriptor }

    /// Nothing will be answered any more.
    func disconnect() {
        channel.close()
        answers = LineReader()
        asked = []
    }

    func ask(_ wish: Wish) -> AskResult {
        lastAsked += 1
        var bytes: [UInt8] = []
        wish.request.message(for: wish.app, id: lastAsked).encodeWhole(into: &bytes)
        guard bytes.count <= LineReader.maximumLineBytes else { return .tooLong }
        guard curfewSend(bytes) else { return .unsent }
        asked.append((lastAsked, wish))
        return .asked
    }

    enum AskResult { case asked, unsent, tooLong }

    private func curfewSend(_ bytes: [UInt8]) -> Bool {
        channel.isOpen && curfew_send(channel.number, bytes, bytes.count) == bytes.count
    }

    /// There was no room for it; false where that is known.
    func keepForLater(_ wish: Wish) -> Bool {
        unkept.append(wish)
        defer { lacksRoom = true }
        return !lacksRoom
    }

    func takeUnkept() -> [Wish] {
        defer { unkept = [] }
        return unkept
    }

    func closeIfDone() { if isDone { disconnect() } }

    /// Takes what has been answered: what it was about, and the answer. Nil once the connection is closed.
    func takeAnswers() -> [(wish: Wish, answer: Message)]? {
        var buffer = [UInt8](repeating: 0, count: LineReader.maximumLineBytes)
        let count = curfew_read(channel.number, &buffer, buffer.count)
        guard count > 0 else { return nil }
        answers.append(Array(buffer[..<Int(count)]))
        var taken: [(Wish, Message)] = []
        while case .message(let answer) = answers.next() {
            guard let id = answer["id"].flatMap({ Int($0) }), let index = asked.firstIndex(where: { $0.id == id })
            else {
                continue
            }
            if answer.verb != "error" { lacksRoom = false }
            taken.append((asked.remove(at: index).wish, answer))
        }
        return taken
    }

    // MARK: What is told of it

    /// What is to be said now; nil: too much was said in this second. `isPaced`: of what it can bring about as often as it likes.
    func complaint(_ problem: String, isPaced: Bool = true, at now: Instant) -> String? {
        complaint = problem
        if isPaced, !pace.isTold(at: now) {
            untold += 1
            return nil
        }
        defer { untold = 0 }
        let more = untold == 0 ? "" : " (and \(untold) more since the last that was told)"
        return "source \(plan.name): \(problem)\(more)"
    }

    /// A line of `server`.
    func message(at now: Instant) -> Message {
        var fields = [Field("name", plan.name)]
        switch phase {
        case .waiting(let instant):
            fields += [
                Field("state", "waiting"),
                Field("restart-in", Seconds.text(nanoseconds: max(.zero, instant - now).nanoseconds)),
            ]
        case .starting: fields.append(Field("state", "starting"))
        case .running(let pid): fields += [Field("state", "running"), Field("pid", String(pid))]
        case .over: fields.append(Field("state", "over"))
        }
        fields.append(Field("restarts", String(max(0, starts - 1))))
        if let apps = plan.apps { fields.append(Field("apps", apps.sorted().joined(separator: ","))) }
        if let complaint { fields.append(Field("problem", complaint)) }
        fields.append(Field("command", plan.command))
        return Message("source", fields)
    }
}
