/// How much of a processor an app uses, from one answer to the next.
public struct ProcessorShare: Sendable, Equatable {
    /// Shorter spans tell more of when was asked than of what was used.
    static let shortest: Int64 = 500_000_000

    /// Tenths of a percent of one processor; nil until there were two answers.
    public private(set) var permille: Int?
    private var used: Int64 = 0
    private var at: Int64?

    /// `used`: processor time so far, nanoseconds.
    mutating func take(used: Int64, at now: Int64) {
        guard let at else {
            (self.used, self.at) = (used, now)
            return
        }
        guard now - at >= Self.shortest else { return }
        // What has ended can take its time with it.
        permille = Int(max(0, used - self.used) / ((now - at) / 1000))
        (self.used, self.at) = (used, now)
    }
}
