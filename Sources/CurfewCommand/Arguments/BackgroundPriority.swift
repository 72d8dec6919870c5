/// What comes first while an app is in background.
public enum BackgroundPriority: String, Sendable, Hashable, CaseIterable {
    case normal
    /// Others' CPU time and disk access do.
    case low
}
