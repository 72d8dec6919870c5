import CurfewEngine
import CurfewWire

/// A size, or a share of what there is, as people type it.
public enum AmountArgument {
    public static let accepted = "a size such as 500M, or a share such as 10%"

    /// A percentage is above 0 and at most 100. Nil if it is neither.
    public static func parse(_ text: String) -> Amount? {
        guard text.utf8.last == UInt8(ascii: "%") else {
            guard let bytes = SizeArgument.parse(text), bytes != .max else { return nil }
            return .bytes(bytes)
        }
        guard let percent = PercentArgument.parse(text), percent <= 100 else { return nil }
        return .percent(percent)
    }
}

/// `80%`, `12.5%`.
public enum PercentArgument {
    /// Above 0 and up to 100,000; nil for anything else.
    public static func parse(_ text: String) -> Double? {
        var rest = Substring(text).utf8
        guard let number = DecimalNumber(from: &rest, allowsExponent: false), Array(rest) == [UInt8(ascii: "%")],
            let thousandths = number.times(1000)
        else { return nil }
        return thousandths > 0 && thousandths <= 100_000_000 ? Double(thousandths) / 1000 : nil
    }
}
