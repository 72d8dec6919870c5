/// The lifecycle's states, in the order in which apps are listed: whoever may do most comes first.
public enum AppState: String, Sendable, CaseIterable {
    case active, inactive, background, suspended, notRunning

    /// Whether it can use the processor, so that what it uses is worth asking for.
    public var isRunning: Bool {
        switch self {
        case .active, .inactive, .background: true
        case .suspended, .notRunning: false
        }
    }

    public var isForeground: Bool {
        switch self {
        case .active, .inactive: true
        case .background, .suspended, .notRunning: false
        }
    }
}
