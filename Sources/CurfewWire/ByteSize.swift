/// Sizes as people type them, in powers of 1024.
public enum ByteSize {
    /// What is accepted, for messages about a bad value.
    public static let accepted = "a size such as 200M (200 MiB), 1.5G, 64KiB, a number of bytes or inf"

    /// Bytes, 1 or more; `UInt64.max` for "inf" and "infinity".
    ///
    /// The suffixes are B, K, M, G, T, P in either case, each but B also as Ki and KiB. KB is not taken: for some it is
    /// 1000. A fraction of a byte is cut off. Nil if empty, zero, negative, too large or anything else.
    /// Source: systemd.resource-control(5), "MemoryMax="; IEC 80000-13 for the prefixes.
    public static func parse(_ text: String) -> UInt64? {
        let lower = text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        let word = String(decoding: lower, as: UTF8.self)
        if word == "inf" || word == "infinity" { return .max }
        var rest = Substring(word).utf8
        guard let number = DecimalNumber(from: &rest, allowsExponent: false) else { return nil }
        // One space, so that what `HumanText.size` prints can be pasted back; a bare one at the end is a slip.
        if rest.first == UInt8(ascii: " "), rest.count > 1 { rest.removeFirst() }
        guard let unit = bytes(ofUnit: String(Substring(rest))), let size = number.times(unit) else { return nil }
        return size == 0 ? nil : size
    }

    private static func bytes(ofUnit word: String) -> UInt64? {
        switch word {
        case "", "b": 1
        case "k", "ki", "kib": 1 << 10
        case "m", "mi", "mib": 1 << 20
        case "g", "gi", "gib": 1 << 30
        case "t", "ti", "tib": 1 << 40
        case "p", "pi", "pib": 1 << 50
        default: nil
        }
    }
}
