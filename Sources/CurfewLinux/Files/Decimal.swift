/// A number in decimal, without the generic machinery of `String(describing:)`: that is paged in for nothing else on
/// the way to a launch.
public func decimal(_ number: Int) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
        var start = digits.count
        var rest = number.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(48 + rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            start -= 1
            digits[start] = 45
        }
        return String(decoding: UnsafeBufferPointer(rebasing: digits[start...]), as: UTF8.self)
    }
}
