/// A decimal number as a person wrote it, kept digit by digit so that no fraction is rounded on the way.
public struct DecimalNumber {
    /// Larger exponents change nothing: no argument is long enough to bring such a number back into range.
    private static let exponentBound = 100_000_000

    /// Values 0 to 9, without zeros at the front.
    private let digits: [UInt8]

    /// How many digits stand before the point; negative for a fraction with zeros at the front.
    private let point: Int

    public var isZero: Bool { digits.isEmpty }

    /// Takes digits with an optional `+` and point off the front of `text`; nil if there are none.
    ///
    /// With `allowsExponent`, "e" with digits after it belongs to the number, as for strtod(3).
    public init?(from text: inout Substring.UTF8View, allowsExponent: Bool) {
        var rest = text
        if rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let whole = DecimalNumber.takeDigits(&rest)
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = DecimalNumber.takeDigits(&rest)
        }
        if whole.isEmpty && fraction.isEmpty { return nil }
        let exponent = allowsExponent ? DecimalNumber.takeExponent(&rest) : 0
        let all = whole + fraction
        digits = Array(all.drop { $0 == 0 })
        point = whole.count + exponent - (all.count - digits.count)
        text = rest
    }

    /// This number times `unit`, a fraction cut off; nil if that doesn't fit.
    ///
    /// `unit` is at most 10^18, so that ten times it still fits.
    public func times(_ unit: UInt64) -> UInt64? {
        guard let whole = wholePart() else { return nil }
        let (product, overflows) = whole.multipliedReportingOverflow(by: unit)
        let (sum, carries) = product.addingReportingOverflow(fractionalPart(of: unit))
        return overflows || carries ? nil : sum
    }

    private func wholePart() -> UInt64? {
        // UInt64.max has 20 digits, and the first one here is not zero.
        guard point <= 20 || isZero else { return nil }
        var whole: UInt64 = 0
        for index in 0..<max(0, isZero ? 0 : point) {
            let (tenfold, overflows) = whole.multipliedReportingOverflow(by: 10)
            let (sum, carries) = tenfold.addingReportingOverflow(index < digits.count ? UInt64(digits[index]) : 0)
            if overflows || carries { return nil }
            whole = sum
        }
        return whole
    }

    /// The digits after the point times `unit`, from the last to the first: floor((n + x) / 10) is exact at each step.
    private func fractionalPart(of unit: UInt64) -> UInt64 {
        // That many zeros after the point leave nothing of any unit.
        guard point > -20, point < digits.count else { return 0 }
        var carry: UInt64 = 0
        for digit in digits[max(0, point)...].reversed() { carry = (carry + UInt64(digit) * unit) / 10 }
        for _ in 0..<max(0, -point) { carry /= 10 }
        return carry
    }

    private static func takeDigits(_ text: inout Substring.UTF8View) -> [UInt8] {
        let digits = text.prefix { $0 &- UInt8(ascii: "0") < 10 }
        text = text[digits.endIndex...]
        return digits.map { $0 - UInt8(ascii: "0") }
    }

    private static func takeExponent(_ text: inout Substring.UTF8View) -> Int {
        var rest = text
        guard let letter = rest.popFirst(), letter | 0x20 == UInt8(ascii: "e") else { return 0 }
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let digits = takeDigits(&rest)
        guard !digits.isEmpty else { return 0 }
        text = rest
        let exponent = digits.reduce(0) { min($0 * 10 + Int($1), exponentBound) }
        return isNegative ? -exponent : exponent
    }
}
