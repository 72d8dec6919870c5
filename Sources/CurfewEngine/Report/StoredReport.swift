/// A report's file, as `ReportStore` lists it.
public struct StoredReport: Sendable, Hashable {
    public let id: ReportID
    public let path: String
    /// In bytes.
    public let size: Int64
    /// When it was written, in nanoseconds since 1970.
    public let modified: Int64
}
