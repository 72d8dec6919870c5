/// How many times faster lifecycle time goes, as people type it.
public enum TimeScale {
    /// What is accepted, for messages about a bad value.
    public static let accepted = "a number from 0.001 to 1000000, such as 60"

    /// Nil for what is no number, and for one outside the range.
    public static func parse(_ text: String) -> Double? {
        guard let number = Double(text), (0.001...1_000_000).contains(number) else { return nil }
        return number
    }
}
