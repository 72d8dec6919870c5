/// What an app uses, looked at once.
struct Measures: Equatable {
    /// In bytes.
    var footprint: UInt64
    /// Of its whole tree since its start.
    var cpuMicroseconds: UInt64
}
