import CurfewEngine

/// What of an app's log is wanted.
struct LogSelection: Equatable {
    /// Nil: of every run.
    var run: Int?
    /// In seconds since 1970; nil: from the beginning.
    var since: Int64?

    /// What follows a mark was written so soon after it at most: then there is another. Source: docs/logs.md.
    static let markInterval: Int64 = 60

    /// Whether what follows that mark is; what follows none was there before there were marks.
    func takes(behind mark: LogMark?) -> Bool {
        if let run, mark?.run != run { return false }
        guard let since else { return true }
        return mark.map { $0.seconds + Self.markInterval > since } ?? false
    }
}
