enum TaskName {
    /// The longest name the supervisor keeps, in bytes of UTF-8.
    ///
    /// Source: docs/protocol.md, "a task's name is longer than 128 bytes".
    static let maximumBytes = 128

    /// The longest beginning of whole characters that the supervisor would keep of this name.
    static func cut(_ name: String) -> String {
        var bytes = 0
        let kept = name.prefix { character in
            bytes += character.utf8.count
            return bytes <= maximumBytes
        }
        return String(kept)
    }
}
