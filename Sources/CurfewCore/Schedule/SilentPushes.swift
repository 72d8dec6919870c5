/// How often an app is woken for remote notifications that show nothing.
///
/// Source: Apple, "Pushing background updates to your App": silent ones are throttled, and more than two or three an hour
/// aren't to be counted on; of those that are kept back only the latest is delivered.
public struct SilentPushes: Sendable, Hashable {
    /// Of those that were delivered within the last hour.
    private var delivered: [WallTime] = []
    /// The number of the one that waits.
    public private(set) var kept: Int?

    public static let maximumPerHour = 3
    private static let hour = Span.seconds(3600)

    public init(delivered: [WallTime] = [], kept: Int? = nil) {
        self.delivered = Array(delivered.sorted().suffix(Self.maximumPerHour))
        self.kept = kept
    }

    /// Whether it is delivered now; else it is kept, in place of another, until `nextDelivery`.
    public mutating func admit(_ number: Int, at now: WallTime) -> Bool {
        forget(before: now)
        guard delivered.count < Self.maximumPerHour else {
            kept = number
            return false
        }
        kept = nil
        delivered.append(now)
        return true
    }

    /// The one that waits, where it may be delivered by now.
    public mutating func takeKept(at now: WallTime) -> Int? {
        guard let number = kept else { return nil }
        return admit(number, at: now) ? number : nil
    }

    /// When the one that waits may be delivered; nil where none does.
    public func nextDelivery(at now: WallTime) -> WallTime? {
        guard kept != nil else { return nil }
        var rule = self
        rule.forget(before: now)
        return rule.delivered.count < Self.maximumPerHour ? now : rule.delivered[0] + Self.hour
    }

    /// What comes from a future that the clock has been put back from counts for nothing.
    private mutating func forget(before now: WallTime) {
        delivered.removeAll { $0 + Self.hour <= now || $0 > now }
    }
}
