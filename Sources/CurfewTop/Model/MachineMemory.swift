/// The machine's memory, as the first lines tell of it.
public struct MachineMemory: Sendable, Equatable {
    /// Bytes.
    public let total: UInt64
    public let available: UInt64
    /// In how much of the last ten seconds some program had to wait for memory, hundredths of a percent; nil where the kernel
    /// doesn't tell.
    public let stalled: Int?

    public init(total: UInt64, available: UInt64, stalled: Int?) {
        self.total = total
        self.available = available
        self.stalled = stalled
    }

    /// `some`'s `avg10` of /proc/pressure/memory, hundredths of a percent.
    ///
    /// Source: kernel, Documentation/accounting/psi.rst: two decimals.
    public static func stalled(in text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
            let word = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") })
        else { return nil }
        let parts = word.dropFirst("avg10=".count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 2, let whole = Int(parts[0]), let rest = Int(parts[1]) else {
            return nil
        }
        return whole * 100 + rest
    }
}
