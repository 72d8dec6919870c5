import CCurfew

/// The room on the file system that a path is on.
public enum DiskSpace {
    /// In bytes: what an ordinary user may still take, and all there is; nil if the path isn't there or can't be asked.
    ///
    /// What is kept back for root isn't available. Source: statfs(2), f_bavail.
    public static func available(at path: String) -> (available: UInt64, total: UInt64)? {
        var space = curfew_disk_space()
        guard curfew_disk_space(path, &space) == 0 else { return nil }
        return (space.available, space.total)
    }
}
