/// An era of iOS's multitasking rules; each number can be overridden on its own.
public enum Profile: String, Sendable, Hashable, CaseIterable {
    case ios4, ios5, ios7, ios13

    /// Source: iOS 4 to 6 permitted 600 s (assertiond's permittedBackgroundDuration), iOS 7 to 12 180 s,
    /// iOS 13 and later about 30 s (Apple DTS, "UIApplication Background Task Notes").
    public var backgroundBudget: Span {
        switch self {
        case .ios4, .ios5: .seconds(600)
        case .ios7: .seconds(180)
        case .ios13: .seconds(30)
        }
    }

    /// Source: 5 to 10 s before the end in the iOS 5 era; on iOS 13 a 30 s task was warned at 26 s (measured in the field).
    public var expirationLead: Span {
        switch self {
        case .ios4, .ios7: .seconds(5)
        case .ios5: .seconds(10)
        case .ios13: .seconds(4)
        }
    }

    /// Source: about 5 s in Apple's `applicationDidEnterBackground` page; 10 s in iOS 5 era guides and in the
    /// scene-update watchdog of that time.
    public var enterBackgroundLimit: Span {
        switch self {
        case .ios4, .ios7, .ios13: .seconds(5)
        case .ios5: .seconds(10)
        }
    }

    /// Source: Apple, `applicationWillTerminate`: about 5 s; the process-exit watchdog says 5 s.
    public var terminateLimit: Span { .seconds(5) }

    /// Source: Apple, "Addressing watchdog terminations"; scene-create reports show about 20 s.
    public var launchLimit: Span { .seconds(20) }

    /// Source: Apple, `setKeepAliveTimeout(_:handler:)`: 600 s or more; for iOS 7 and earlier, later ones have VoIP pushes.
    public var keepAliveMinimum: Span? {
        switch self {
        case .ios4, .ios5, .ios7: .seconds(600)
        case .ios13: nil
        }
    }

    /// Source: Apple, background fetch and remote notification handlers: 30 s. The same of keep-alive's in Pro MonoTouch,
    /// ch. 11; Apple's later reference has 10 s of that.
    public var wakeLimit: Span { .seconds(30) }

    /// Source: Apple, `BGProcessingTask`: it can take minutes to complete; how many isn't said.
    public var processingLimit: Span { .seconds(600) }
}
