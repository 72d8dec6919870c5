/// Names one background task of this app, as UIKit's `UIBackgroundTaskIdentifier` does.
///
/// Numbers are the supervisor's and are not used again while the app lives.
public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The answer of a begin that was refused; ending it does nothing.
    public static let invalid = BackgroundTaskIdentifier(rawValue: 0)

    public var description: String { self == .invalid ? "no task" : "task \(rawValue)" }
}
