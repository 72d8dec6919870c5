/// The machine's memory, in bytes.
///
/// Source: proc_meminfo(5).
public struct SystemMemory: Sendable, Hashable {
    public var total: UInt64
    /// What could be given to new programs without swapping: free memory, and what the kernel can drop.
    public var available: UInt64
    /// 0 where there is no swap.
    public var swapTotal: UInt64
    public var swapFree: UInt64

    public init(total: UInt64, available: UInt64, swapTotal: UInt64, swapFree: UInt64) {
        self.total = total
        self.available = available
        self.swapTotal = swapTotal
        self.swapFree = swapFree
    }

    /// Nil where /proc isn't to be read, or before Linux 3.14, which doesn't tell what is available.
    public static func read() -> SystemMemory? { read("/proc/meminfo") }

    static func read(_ path: String) -> SystemMemory? {
        SmallFile.withContents(of: path) { SystemMemory($0) } ?? nil
    }

    /// Its lines are `KEY: NUMBER kB`, and its kB are 1,024 bytes.
    private init?(_ text: UnsafeRawBufferPointer) {
        guard let total = text.number(after: "MemTotal:"), let available = text.number(after: "MemAvailable:") else {
            return nil
        }
        self.init(
            total: total * 1024, available: available * 1024,
            swapTotal: (text.number(after: "SwapTotal:") ?? 0) * 1024,
            swapFree: (text.number(after: "SwapFree:") ?? 0) * 1024)
    }
}
