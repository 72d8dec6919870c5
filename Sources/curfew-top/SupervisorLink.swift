import CCurfew
import CurfewCommand
import CurfewLinux
import CurfewTop
import CurfewWire
import Glibc

/// One supervisor's socket, followed for its events: of one app, or of a server's.
///
/// Nothing here waits: requests go out, and what comes is taken when it is there.
struct SupervisorLink {
    /// What a line, or several, came to.
    enum News {
        case event(app: String, Message)
        case status(app: String, Message, tasks: [Message])
        /// A server's task list.
        case apps([Message])
        case answer(TopRequest, Message)
        /// Nothing is told of it: why.
        case refusal(app: String, String)
        /// It was asked long ago.
        case silence(app: String)
        case unanswered(TopRequest)
    }

    private enum Question {
        case follow
        case status(String)
        case apps
        case request(TopRequest)
    }

    private struct Asked {
        let question: Question
        /// When it is told that no answer came; one that comes later is taken all the same.
        var deadline: Int64
        var items: [Message] = []
    }

    /// The app whose own this is; nil: a server's.
    let app: String?
    let descriptor: Descriptor
    private var reader = LineReader()
    private var asked: [Int: Asked] = [:]
    private var waiting: [String] = []
    private var lastNumber = 0
    private var isFollowing = false
    /// Whether the task list is asked for anew once it has been told.
    private var asksAgain = false
    /// Whether it is known to be gone.
    private(set) var isOver = false

    /// So many questions at once; the others wait for their answers. Source: a server takes 64, docs/protocol.md.
    private static let most = 32
    private static let patience: Int64 = ControlClient.limitSeconds * 1_000_000_000

    /// Throws where nobody listens there, or nobody who can be trusted.
    init(path: String, app: String?, at now: Int64) throws(ControlClient.Failure) {
        self.app = app
        descriptor = try ControlClient(path: path, seconds: 1).descriptor
        ask(.follow, "events", [Field("follow", "1")], at: now)
        if app == nil { askForApps(at: now) }
    }

    func close() { _ = curfew_close(descriptor.number) }

    // MARK: Asking

    /// Once at a time: whatever happens before the answer has come is asked for after that.
    mutating func askForApps(at now: Int64) {
        guard app == nil else { return }
        let isAsked = asked.values.contains { if case .apps = $0.question { true } else { false } }
        if isAsked { asksAgain = true } else { ask(.apps, "apps", [], at: now) }
    }

    mutating func askForStatus(of name: String, at now: Int64) {
        guard asked.count < Self.most else {
            waiting.append(name)
            return
        }
        ask(.status(name), "status", [], of: name, at: now)
    }

    mutating func ask(_ request: TopRequest, at now: Int64) {
        ask(.request(request), request.verb.rawValue, [], of: request.app, at: now)
    }

    private mutating func ask(
        _ question: Question, _ verb: String, _ fields: [Field], of name: String? = nil, at now: Int64
    ) {
        lastNumber += 1
        asked[lastNumber] = Asked(question: question, deadline: now + Self.patience)
        let target = app == nil ? name.map { [Field("app", $0)] } ?? [] : []
        var bytes: [UInt8] = []
        Message(verb, [Field("id", String(lastNumber))] + target + fields).encode(into: &bytes)
        let sent = bytes.withUnsafeBytes { curfew_send(descriptor.number, $0.baseAddress, $0.count) }
        // One that takes no line any more is gone, or has read nothing for very long.
        if sent != bytes.count { isOver = true }
    }

    /// When the next question is overdue; nil: none will be.
    var deadline: Int64? { asked.values.map(\.deadline).filter { $0 != .max }.min() }

    /// What wasn't answered in time.
    mutating func overdue(at now: Int64) -> [News] {
        let late = asked.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        return late.compactMap { number, question in
            asked[number]?.deadline = .max
            switch question.question {
            case .follow, .apps: return nil
            case .status(let name): return .silence(app: name)
            case .request(let request): return .unanswered(request)
            }
        }
    }

    // MARK: What comes

    /// One read, and what its lines say.
    mutating func read(at now: Int64) -> [News] {
        let count = withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            let count = Int(recv(descriptor.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
            if count > 0 { reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { isOver = true }
        var news: [News] = []
        while true {
            switch reader.next() {
            case .message(let message): if let one = take(message, at: now) { news.append(one) }
            case .malformed: continue
            case .tooLong:
                isOver = true
                return news
            case .none: return news
            }
        }
    }

    private mutating func take(_ message: Message, at now: Int64) -> News? {
        if message.verb == "event" {
            // The past, which is told first, is in the statuses already.
            guard isFollowing, let name = app ?? message["app"] else { return nil }
            return .event(app: name, message)
        }
        guard let number = message["id"].flatMap(Int.init), let open = asked[number] else { return nil }
        guard message.verb == "ok" || message.verb == "error" else {
            asked[number]?.items.append(message)
            return nil
        }
        asked[number] = nil
        if case .apps = open.question, asksAgain {
            asksAgain = false
            askForApps(at: now)
        }
        if !waiting.isEmpty { askForStatus(of: waiting.removeFirst(), at: now) }
        return news(of: open, message)
    }

    private mutating func news(of asked: Asked, _ answer: Message) -> News? {
        let isDone = answer.verb == "ok"
        switch asked.question {
        case .follow:
            isFollowing = isDone
            return nil
        case .status(let name):
            if isDone { return .status(app: name, answer, tasks: asked.items.filter { $0.verb == "task" }) }
            return .refusal(
                app: name, "refused (\(answer["code"] ?? "")): \(answer["message"] ?? "no reason was given")")
        case .apps: return isDone ? .apps(asked.items.filter { $0.verb == "app" }) : nil
        case .request(let request): return .answer(request, answer)
        }
    }
}
