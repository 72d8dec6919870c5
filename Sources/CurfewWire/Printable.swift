/// Text from elsewhere, made fit for one line of a person's terminal.
public enum Printable {
    /// Control characters are shown as `\n`, `\t` or `\x1b`, those that turn a line's direction about as `\u{202e}`: a
    /// command or a task's name can't draw on the terminal, forge a line, or read other than it is.
    ///
    /// What has been through it stays as it is.
    public static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnfit) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnfit(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// C0, DEL and C1; what ends a line in Unicode; and its bidirectional controls.
    ///
    /// Source: Unicode Standard Annex #9, 2, "Directional Formatting Characters".
    public static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00..<0x20, 0x7f...0x9f, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case _ where scalar.value > 0xff: "\\u{" + String(scalar.value, radix: 16) + "}"
        default: "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        }
    }
}
