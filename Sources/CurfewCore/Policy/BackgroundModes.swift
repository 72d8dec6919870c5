/// What an app may do in background, as iOS's UIBackgroundModes have it.
public enum BackgroundMode: String, Sendable, CaseIterable {
    /// Connections wake it, keep-alive is for it, and it is launched at the server's start and after a failure.
    ///
    /// Source: Apple, "Tips for developing a VoIP app": data on its sockets wakes it, it is relaunched at boot and after a crash.
    case voip
    /// It is woken to fetch.
    ///
    /// Source: Apple, UIBackgroundModes: without `fetch` `setMinimumBackgroundFetchInterval` has no effect.
    case fetch
    /// Notifications wake it.
    case remoteNotification = "remote-notification"
    /// It may ask to work while the machine is idle.
    case processing
    /// Never suspended, its budget stands still, and it is limited all the same.
    ///
    /// Source: Apple, UIBackgroundModes `audio`: it runs as long as it plays, and the time that remains doesn't move meanwhile.
    case continuous

    /// The waking events that are for apps of this mode alone.
    ///
    /// Source: Apple, UIBackgroundModes: an app refresh task needs `fetch`, a processing task `processing`.
    public var wakingEvents: [String] {
        switch self {
        case .voip: [App.keepAliveEvent]
        case .fetch: [rawValue, TaskRequest.Kind.refresh.event]
        case .processing: [TaskRequest.Kind.processing.event]
        case .remoteNotification: [rawValue]
        case .continuous: []
        }
    }

    fileprivate var bit: UInt8 {
        switch self {
        case .voip: 1
        case .fetch: 2
        case .remoteNotification: 4
        case .processing: 8
        case .continuous: 16
        }
    }
}

/// The background modes that an app has.
public struct BackgroundModes: Sendable, Hashable {
    private var bits: UInt8 = 0

    public init(_ modes: some Sequence<BackgroundMode>) { for mode in modes { bits |= mode.bit } }

    public func contains(_ mode: BackgroundMode) -> Bool { bits & mode.bit != 0 }

    /// In the order of their declaration.
    public var list: [BackgroundMode] { BackgroundMode.allCases.filter(contains) }
}

extension Policy {
    /// Whether the app runs in background without end.
    public var isContinuous: Bool { backgroundModes?.contains(.continuous) == true }

    /// The mode that an app must have for a waking event, and this one hasn't; nil where nothing is missing.
    ///
    /// Nothing is where nobody has said which modes it has.
    public func missingMode(forWakingEvent name: String) -> BackgroundMode? {
        guard let backgroundModes else { return nil }
        return BackgroundMode.allCases.first { $0.wakingEvents.contains(name) && !backgroundModes.contains($0) }
    }

    /// Whether it ends where others are suspended: one that is never suspended doesn't.
    var exitsAtHome: Bool { exitsOnSuspend && !isContinuous }
}
