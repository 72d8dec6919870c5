/// Text from elsewhere, made fit for one line of a person's terminal.
enum Printable {
    /// Control characters are shown as `\n`, `\t` or `\x1b`: a command or a task's name can't draw on the terminal.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// C0, DEL and C1; and what ends a line in Unicode.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
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
