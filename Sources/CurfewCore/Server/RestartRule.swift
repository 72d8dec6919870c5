/// When an app that has ended is launched again: the key `restart` of its manifest.
public enum RestartCondition: String, Sendable, Hashable, CaseIterable {
    case never
    case onFailure = "on-failure"
    case always
}

/// Whether a server's app is launched again when it has ended, and after which pause; one for each app.
///
/// The pause grows from launch to launch, so that an app that can't run takes little from the others; one that has lived for
/// a while has its past forgotten. Nothing is launched again that somebody has ended, or that the server has ended with.
public struct RestartRule: Sendable, Hashable {
    public let condition: RestartCondition
    private let shortest: Span
    private let longest: Span
    private let forgottenAfter: Span
    private var nextPause: Span

    /// The first pause; each is twice the one before.
    public static let shortestPause = Span.seconds(1)
    public static let longestPause = Span.seconds(300)
    /// What a run must have lived for the next pause to be the first again.
    public static let forgivingLife = Span.seconds(600)

    /// `timeScale`: divides all three; above 0. `pause`: the next one, where it has grown before; nil: the shortest.
    public init(_ condition: RestartCondition, timeScale: Double = 1, next pause: Span? = nil) {
        self.condition = condition
        shortest = Self.shortestPause.scaled(by: timeScale)
        longest = Self.longestPause.scaled(by: timeScale)
        forgottenAfter = Self.forgivingLife.scaled(by: timeScale)
        nextPause = min(max(pause ?? .zero, shortest), longest)
    }

    /// What follows the end of a run; nil: it stays ended.
    public mutating func restart(after end: RunEnd) -> Restart? {
        if end.request != nil || end.life >= forgottenAfter { nextPause = shortest }
        guard end.request == nil, isWanted(after: end) else { return nil }
        return restart(wasInFront: end.wasInFront)
    }

    /// What follows a launch that has failed, of an app that is to be launched again: the next try, later each time.
    public mutating func retry(wasInFront: Bool) -> Restart { restart(wasInFront: wasInFront) }

    private mutating func restart(wasInFront: Bool) -> Restart {
        let pause = nextPause
        nextPause = min(pause + pause, longest)
        return Restart(pause: pause, wasInFront: wasInFront)
    }

    private func isWanted(after end: RunEnd) -> Bool {
        switch condition {
        case .never: false
        case .onFailure: end.isFailure
        case .always: true
        }
    }
}

/// A launch to come.
public struct Restart: Sendable, Hashable {
    /// From the end of the last run, or the last try, by lifecycle time.
    public var pause: Span
    public var wasInFront: Bool

    public init(pause: Span, wasInFront: Bool) {
        self.pause = pause
        self.wasInFront = wasInFront
    }

    /// Whether it is launched into background: nobody leaves the front for an app that comes back by itself.
    public func isIntoBackground(isFrontFull: Bool) -> Bool { !wasInFront || isFrontFull }
}
