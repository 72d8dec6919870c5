import CurfewLinux

/// Environments as they were last given: what is launched from one place has one in memory, however many apps that are.
struct RecentEnvironments {
    private var kept: [[ByteString]] = []

    /// Each is some KiB, and held though no app may have it any more.
    static let most = 4

    /// The same environment, as it is in memory already where it was among the last.
    mutating func shared(_ environment: [ByteString]) -> [ByteString] {
        if let known = kept.first(where: { $0 == environment }) { return known }
        if kept.count == Self.most { kept.removeFirst() }
        kept.append(environment)
        return environment
    }
}
