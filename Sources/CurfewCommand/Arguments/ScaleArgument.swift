import CurfewWire

/// The divisor of `--time-scale`.
public enum ScaleArgument {
    /// What is accepted, for messages about a bad value.
    public static let accepted = TimeScale.accepted

    /// Nil for what is no number, and for one outside the range.
    public static func parse(_ text: String) -> Double? { TimeScale.parse(text) }
}
