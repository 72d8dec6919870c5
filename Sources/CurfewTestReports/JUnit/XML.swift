/// Text as XML 1.0 can hold it.
///
/// Source: Extensible Markup Language (XML) 1.0, fifth edition, 2.2, "Characters", and 2.4, "Character Data and Markup".
enum XML {
    /// Between tags. `>` is escaped too, since `]]>` can't stand there.
    static func text(_ text: String) -> String { escaped(text) { $0 == "\t" || $0 == "\n" } }

    /// Between double quotes, where readers make blanks of tabs and ends of lines that aren't escaped.
    static func attribute(_ text: String) -> String { escaped(text) { _ in false } }

    private static func escaped(_ text: String, isPlain: (Unicode.Scalar) -> Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r":
                if isPlain(scalar) { result.unicodeScalars.append(scalar) } else { result += "&#\(scalar.value);" }
            case _ where isAllowed(scalar): result.unicodeScalars.append(scalar)
            default: result.unicodeScalars.append("\u{fffd}")
            }
        }
        return result
    }

    /// Whether XML 1.0 lets it stand in a document, escaped or not.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xa, 0xd, 0x20...0xfffd, 0x10000...: true
        default: false
        }
    }
}
