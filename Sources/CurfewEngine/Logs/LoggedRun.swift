/// A run whose output is kept: which app's, and what its mark in the log says.
struct LoggedRun: Hashable, Sendable {
    let app: String
    let number: Int
    let pid: Int32
    /// When it was started, since 1970.
    let seconds: Int64
    /// Whether a mark has told of it already.
    var hasBegun = false

    /// What it writes next stands behind this.
    func mark(seconds now: Int64) -> LogMark {
        hasBegun
            ? LogMark(.continued, run: number, seconds: now) : LogMark(.began(pid: pid), run: number, seconds: seconds)
    }
}
