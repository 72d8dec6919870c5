import Glibc

/// What `ps` calls a supervisor, by which others know it for one.
public enum SupervisorName {
    /// An ancestor of this name holds a process in an app; see `Ancestry`.
    public static let ofApp: StaticString = "curfew-sup"
    /// Of one whose processes aren't an app: they may speak for an outer one, and drive others.
    public static let withoutApp: StaticString = "curfew-timeout"
}

extension StaticString {
    func equals(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
        return memcmp(start, utf8Start, bytes.count) == 0
    }
}
