/// The logs whose files are open: those that were written to last.
///
/// One descriptor each would be too many for thousands of apps, and opening anew for each line too slow for one that writes much.
final class OpenLogs {
    private let most: Int
    /// The last used is the last.
    private var logs: [AppLog] = []

    init(most: Int) { self.most = most }

    /// Its file has been opened, or is still open: it is the last that will be closed.
    func use(_ log: AppLog) {
        if logs.last === log { return }
        forget(log)
        if logs.count == most { logs.removeFirst().close() }
        logs.append(log)
    }

    func forget(_ log: AppLog) { logs.removeAll { $0 === log } }

    var count: Int { logs.count }
}
