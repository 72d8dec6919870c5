/// How one run of a server's app was over, as far as what comes next depends on it.
public struct RunEnd: Sendable, Hashable {
    public var reason: EndReason
    /// What it had been asked to end by; nil where it ended by itself, or was killed for what it did.
    public var request: EndRequest?
    /// Whether something went wrong: a policy killed it, it ended with another status than 0 or of a signal that nobody here
    /// sent, or nobody saw it end. What was asked for is no failure, and neither is `idle-exit`.
    public var isFailure: Bool
    public var wasInFront: Bool
    /// From its launch to its end, by lifecycle time.
    public var life: Span

    public init(
        _ reason: EndReason, request: EndRequest? = nil, isFailure: Bool = false, wasInFront: Bool = false, life: Span
    ) {
        self.reason = reason
        self.request = request
        self.isFailure = isFailure
        self.wasInFront = wasInFront
        self.life = life
    }

    /// One whose end the core has told of.
    public init(_ ending: Ending, request: EndRequest?, life: Span) {
        self.init(
            EndReason(ending, request: request), request: request, isFailure: request == nil && ending.isFailure,
            wasInFront: ending.state.isForeground, life: life)
    }

    /// One that the next server finds without an end: the machine, or the server alone, went down with it.
    public static func unseen(isReboot: Bool, life: Span) -> RunEnd {
        RunEnd(isReboot ? .reboot : .kill(.supervisorExit), isFailure: true, life: life)
    }
}

/// What may have an app end that would have gone on.
public enum EndRequest: Sendable, Hashable, CaseIterable {
    /// `curfew quit`.
    case quit
    /// `curfew remove`.
    case remove
    /// The server ends properly, and its apps with it.
    case serverEnd
}

/// Why a run was over, in one word: for the task list, the history, and the app that is restored.
public enum EndReason: Sendable, Hashable {
    /// By itself, whatever its status.
    case exit
    /// By policy; `user-quit` where it was asked to, `supervisor-exit` where its server has ended.
    case kill(KillReason)
    /// The machine went down.
    case reboot

    init(_ ending: Ending, request: EndRequest?) {
        switch request {
        case .serverEnd: self = .kill(.supervisorExit)
        case .quit, .remove: self = .kill(ending.kill?.reason ?? .userQuit)
        case nil: self = ending.policyReason.map { .kill($0) } ?? .exit
        }
    }

    /// As it is shown, sent and stored.
    public var word: String {
        switch self {
        case .exit: "exit"
        case .kill(let reason): reason.rawValue
        case .reboot: "reboot"
        }
    }

    /// Nil where no reason has that word.
    public init?(word: String) {
        let reasons = [.exit, .reboot] + KillReason.allCases.map { EndReason.kill($0) }
        guard let reason = reasons.first(where: { $0.word == word }) else { return nil }
        self = reason
    }
}

extension Ending {
    /// A time limit that is kept as timeout(1) keeps it doesn't always kill.
    fileprivate var policyReason: KillReason? { kill?.reason ?? (timeout?.isExpired == true ? .timeLimit : nil) }

    /// Of one that nobody has asked to end.
    fileprivate var isFailure: Bool {
        if let policyReason { return policyReason != .idleExit && policyReason != .userQuit }
        switch leader {
        case .exited(let code): return code != 0 && terminateSignal == nil
        case .signaled(let signal, _): return signal != terminateSignal
        case nil: return true
        }
    }
}
