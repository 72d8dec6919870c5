/// Where a suspended app's memory is after it was moved, in bytes.
public struct PageOutResult: Sendable, Hashable {
    public var resident: UInt64
    public var swapped: UInt64

    public init(resident: UInt64, swapped: UInt64) {
        self.resident = resident
        self.swapped = swapped
    }
}
