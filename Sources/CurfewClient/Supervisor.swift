import CurfewWire
import Glibc

/// The way to the supervisor: a channel for requests and one for events, each made when it is first needed.
///
/// Two, so that the app can be plain again when nobody listens: a connection that said `hello` stays aware until it
/// closes, and a task's warning comes on the one it was begun on. The control pipe, which others hold too, is both.
final class Supervisor: Sendable {
    private struct State {
        var requests: Channel?
        var events: Channel?
        /// Set while events are listened to.
        var listening: Listening?
    }

    /// One time of listening to the events.
    private final class Listening: Sendable {
        let sink: EventSink
        /// Where the app is; nil before it was told.
        let applicationState = Monitor<ApplicationState?>(nil)

        init(_ sink: EventSink) { self.sink = sink }
    }

    private let address: SupervisorAddress
    /// Where the app keeps its state; nil where nobody said.
    let stateDirectory: String?
    /// How many seconds of running a reply may take.
    let patience: Int
    private let expirations: ExpirationHandlers
    private let state = Monitor(State())
    /// A child that is forked without executing anything has no thread to read with; the library does nothing there.
    private let process = getpid()

    init(
        at address: SupervisorAddress, stateDirectory: String?, patience: Int, expirations: ExpirationHandlers
    ) {
        self.address = address
        self.stateDirectory = stateDirectory
        self.patience = patience
        self.expirations = expirations
    }

    deinit {
        let (requests, events) = state.withLock { ($0.requests, $0.events) }
        requests?.close()
        events?.close()
    }

    /// To be asked before any lock is taken: in a forked child, another thread may have left it locked for ever.
    private var isForkedChild: Bool { getpid() != process }

    // MARK: Requests

    /// The channel for requests, made anew if it has ended; nil when nobody is there.
    func channel() -> Channel? {
        if isForkedChild { return nil }
        return state.withLock { state in
            if let channel = state.requests, channel.isOpen { return channel }
            state.requests = open(address.connect())
            return state.requests
        }
    }

    /// Asks; `.gone` when nobody is there.
    func ask(_ message: Message) -> Channel.Answer { channel()?.ask(message, patience: patience) ?? .gone }

    /// As `ask`, for a reply that is longer than a line; nil where it isn't `ok`.
    func askAtLength(_ message: Message) -> Channel.LongAnswer? {
        channel()?.askAtLength(message, patience: patience)
    }

    /// Where the app is, as the events have told; nil while they aren't listened to.
    var knownApplicationState: ApplicationState? {
        guard !isForkedChild, let listening = state.withLock({ $0.listening }) else { return nil }
        return listening.applicationState.withLock { $0 }
    }

    // MARK: Hearing

    /// `listening`: what a channel for events only is for; nil for one whose use is to be looked up.
    private func open(_ connection: Connection?, for listening: Listening? = nil) -> Channel? {
        Channel(
            connection,
            onEvent: { [weak self] message in self?.receive(message, listening) },
            onEnd: { [weak self] in self?.end(listening) })
    }

    private func receive(_ message: Message, _ listening: Listening?) {
        guard let event = LifecycleEvent(message, stateDirectory: stateDirectory) else { return }
        // On whichever channel the warning is heard first.
        if event.kind == .backgroundTaskWillExpire, let task = event.task { expirations.expire(task) }
        guard let listening = listening ?? listeningOnRequests else { return }
        if let entered = event.kind.enteredState { listening.applicationState.withLock { $0 = entered } }
        listening.sink.publish(event)
    }

    private func end(_ listening: Listening?) {
        guard let listening = listening ?? listeningOnRequests else { return }
        state.withLock { if $0.listening === listening { $0.listening = nil } }
        listening.sink.finish()
    }

    /// What is listened to on the channel for requests.
    private var listeningOnRequests: Listening? {
        state.withLock { state in state.events === state.requests ? state.listening : nil }
    }
}

// MARK: Events

extension Supervisor: EventFeed {
    var isAvailable: Bool { !isForkedChild }

    func start(_ sink: EventSink) -> Bool {
        let listening = Listening(sink)
        return state.withLock { state in
            state.listening = listening
            openEvents(&state, listening)
            if let channel = state.events, sayHello(on: channel, listening) { return true }
            close(&state)
            return false
        }
    }

    /// The control pipe is read by one channel, which then does for both.
    private func openEvents(_ state: inout State, _ listening: Listening) {
        if state.requests?.isShared != true || state.requests?.isOpen != true {
            guard let connection = address.connect() else { return }
            guard connection.isShared else {
                state.events = open(connection, for: listening)
                return
            }
            state.requests = open(connection)
        }
        state.events = state.requests
    }

    private func sayHello(on channel: Channel, _ listening: Listening) -> Bool {
        let hello = Message("hello", [Field("version", "1"), Field("client", Supervisor.clientName)])
        return channel.request(hello) { reply in
            guard let reply, reply.verb == "ok" else { return listening.sink.finish() }
            listening.applicationState.withLock { $0 = ApplicationState(wireName: reply["state"]) }
        }
    }

    /// The program's name, as the supervisor's history shows it.
    private static var clientName: String {
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? ""
        return program.isEmpty ? "swift" : TaskName.cut(String(program))
    }

    func acknowledge(_ sequence: Int, _ outcome: EventOutcome?) {
        if isForkedChild { return }
        let channel = state.withLock { $0.events }
        let number = Field("seq", String(sequence))
        switch outcome {
        case .fetch(let result)?: channel?.send(Message("completed", [number, Field("result", result.rawValue)]))
        case .task(let success)?:
            channel?.send(Message("completed", [number, Field("success", success ? "true" : "false")]))
        case nil: channel?.send(Message("ack", [number]))
        }
    }

    func stop() -> Bool {
        state.withLock { state in
            if let events = state.events, events.isShared, events.isOpen { return false }
            close(&state)
            return true
        }
    }

    private func close(_ state: inout State) {
        if state.events !== state.requests { state.events?.close() }
        state.events = nil
        state.listening = nil
    }
}

extension LifecycleEvent.Kind {
    /// Where the app is from this event on; nil when it stays where it was.
    fileprivate var enteredState: ApplicationState? {
        switch self {
        case .didBecomeActive: .active
        case .willResignActive, .willEnterForeground: .inactive
        case .didEnterBackground: .background
        case .didFinishLaunching, .backgroundTaskWillExpire, .willTerminate, .didReceiveMemoryWarning, .change, .wake,
            .other:
            nil
        }
    }
}
