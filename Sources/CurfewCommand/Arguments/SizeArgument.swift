import CurfewWire

/// Sizes on the command line.
public enum SizeArgument {
    /// What is accepted, for messages about a bad value.
    public static let accepted = ByteSize.accepted

    /// Bytes, 1 or more; `UInt64.max` for "inf". Nil for what is no size; see `ByteSize`.
    public static func parse(_ text: String) -> UInt64? { ByteSize.parse(text) }
}
