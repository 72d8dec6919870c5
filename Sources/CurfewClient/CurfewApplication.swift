import CurfewWire

/// This process as an app that Curfew supervises: UIKit's `UIApplication`, as far as its background goes.
///
/// Not under Curfew it does nothing and says so, `isMultitaskingSupported` is false, so that a program can ship with it.
/// Nothing is connected and no thread started before it is first asked for something. In a child that was forked and has
/// executed nothing, it behaves as without a supervisor.
public final class CurfewApplication: BackgroundTaskScheduling, LifecycleProviding {
    /// The app this process belongs to.
    public static let shared = CurfewApplication(
        at: .fromEnvironment(), stateDirectory: SupervisorAddress.stateDirectoryFromEnvironment())

    private let expirations: ExpirationHandlers
    let supervisor: Supervisor
    private let hub: EventHub
    private let delegateCaller: DelegateCaller
    private let keepAliveCaller: KeepAliveCaller
    let requestCaller: RequestCaller

    /// `patience`: the seconds of running to wait for a reply; confirming a suspension takes a supervisor a fifth of one.
    init(
        at address: SupervisorAddress, stateDirectory: String? = nil, patience: Int = 10,
        startKeepAliveThread: @escaping EventHub.ThreadStart = SystemThread.start
    ) {
        expirations = ExpirationHandlers()
        supervisor = Supervisor(
            at: address, stateDirectory: stateDirectory, patience: patience, expirations: expirations)
        hub = EventHub(supervisor)
        delegateCaller = DelegateCaller(hub)
        keepAliveCaller = KeepAliveCaller(hub, startThread: startKeepAliveThread)
        requestCaller = RequestCaller(hub)
    }

    // MARK: Background tasks

    /// Waits for the supervisor's answer: some tens of microseconds, never more than ten seconds of running.
    ///
    /// The handler is called on a thread of the library's own, one after another; it may begin and end tasks.
    public func beginBackgroundTask(
        withName name: String?, expirationHandler handler: (@Sendable () -> Void)?
    ) -> BackgroundTaskIdentifier {
        guard let channel = supervisor.channel(), handler == nil || expirations.prepare() else { return .invalid }
        let latch = Latch<BackgroundTaskIdentifier>()
        // On the thread that reads, before the warning that may follow at once.
        let isSent = channel.request(beginRequest(name ?? "")) { [expirations, weak channel] reply in
            let task = CurfewApplication.task(in: reply)
            if task != .invalid, let handler { expirations.add(task, handler) }
            if !latch.fulfil(task), task != .invalid {
                // The caller has been told that there is no task, so there mustn't be one.
                expirations.remove(task)
                channel?.send(CurfewApplication.endRequest(task))
            }
        }
        return isSent ? latch.wait(seconds: supervisor.patience) ?? .invalid : .invalid
    }

    private func beginRequest(_ name: String) -> Message { Message("begin", [Field("name", TaskName.cut(name))]) }

    private static func endRequest(_ task: BackgroundTaskIdentifier) -> Message {
        Message("end", [Field("task", String(task.rawValue))])
    }

    /// `.invalid` for a refusal and for no reply.
    private static func task(in reply: Message?) -> BackgroundTaskIdentifier {
        guard let reply, reply.verb == "ok", let number = reply["task"].flatMap({ Int($0) }), number > 0 else {
            return .invalid
        }
        return BackgroundTaskIdentifier(rawValue: number)
    }

    /// Doesn't wait for an answer, for there is nothing to be done about it.
    public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        guard identifier != .invalid, let channel = supervisor.channel() else { return }
        expirations.remove(identifier)
        channel.send(CurfewApplication.endRequest(identifier))
    }

    // MARK: Keep-alive

    /// Waits for the supervisor's answer. The handler is called on a thread of the library's own.
    public func setKeepAliveTimeout(_ timeout: Double, handler: (@Sendable () -> Void)?) -> Bool {
        guard let handler else {
            clearKeepAliveTimeout()
            return true
        }
        guard timeout >= 0.001, timeout < 9e9, case .ok = supervisor.ask(keepAliveRequest(timeout)) else {
            return false
        }
        if keepAliveCaller.set(handler) { return true }
        // It would be woken, and owe an answer that nobody gives.
        clearKeepAliveTimeout()
        return false
    }

    public func clearKeepAliveTimeout() {
        keepAliveCaller.set(nil)
        supervisor.channel()?.send(keepAliveRequest(0))
    }

    private func keepAliveRequest(_ timeout: Double) -> Message {
        let seconds = Seconds.text(nanoseconds: Int64((timeout * 1000).rounded()) * 1_000_000)
        return Message("keep-alive", [Field("seconds", seconds)])
    }

    // MARK: Looking

    /// 0 when the supervisor is there but doesn't answer.
    public var backgroundTimeRemaining: Double {
        switch supervisor.ask(Message("remaining")) {
        case .ok(let reply): LifecycleEvent.seconds(reply["seconds"]) ?? 0
        case .silence: 0
        case .gone, .refused: .greatestFiniteMagnitude
        }
    }

    /// Known from the events where they are listened to; asked for elsewhere.
    public var applicationState: ApplicationState {
        if let known = supervisor.knownApplicationState { return known }
        guard case .ok(let reply) = supervisor.ask(Message("status")) else { return .active }
        return ApplicationState(wireName: reply["state"]) ?? .active
    }

    /// Asks the supervisor each time: it may have ended, or be another app's.
    public var isMultitaskingSupported: Bool {
        switch supervisor.ask(Message("remaining")) {
        case .ok, .silence: true
        case .gone, .refused: false
        }
    }

    public var stateDirectory: String? { supervisor.stateDirectory }

    // MARK: Events

    public var events: LifecycleEvents { LifecycleEvents(hub) }

    public var delegate: (any CurfewApplicationDelegate)? {
        get { delegateCaller.delegate }
        set { delegateCaller.set(newValue, of: self) }
    }
}
