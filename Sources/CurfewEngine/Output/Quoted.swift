import CurfewLinux
import CurfewWire
import Glibc

/// Text in quotes as GNU programs print it, in the C locale or in one of UTF-8.
///
/// Source: coreutils 9.1, observed: a backslash before itself and before what ends the quotation; control characters as
/// in C; and what the locale can't print byte by byte. Of our own: what turns a line's direction about too.
public struct Quoted {
    private let isUnicode: Bool

    public static func text(_ text: String) -> String {
        Quoted(isUnicode: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(value).first.map(namesUnicode) ?? false)
            .quote(text)
    }

    init(isUnicode: Bool) { self.isUnicode = isUnicode }

    func quote(_ text: String) -> String {
        var result = isUnicode ? "\u{2018}" : "'"
        for scalar in text.unicodeScalars { result += escaped(scalar) }
        return result + (isUnicode ? "\u{2019}" : "'")
    }

    /// An empty variable counts as none. Source: locale(7).
    private static func value(_ variable: String) -> String? {
        guard let value = getenv(variable), value[0] != 0 else { return nil }
        return String(cString: value)
    }

    private static func namesUnicode(_ locale: String) -> Bool {
        let letters = locale.uppercased().filter { $0 != "-" }
        return letters.hasSuffix(".UTF8") || letters.contains(".UTF8@")
    }

    private func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "'" where !isUnicode, "\u{2019}" where isUnicode, "\\": return "\\" + String(scalar)
        case "\u{07}": return "\\a"
        case "\u{08}": return "\\b"
        case "\t": return "\\t"
        case "\n": return "\\n"
        case "\u{0b}": return "\\v"
        case "\u{0c}": return "\\f"
        case "\r": return "\\r"
        case _ where Printable.isUnfit(scalar) || !isUnicode && !scalar.isASCII:
            return String(scalar).utf8.map(Self.octal).joined()
        default: return String(scalar)
        }
    }

    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
