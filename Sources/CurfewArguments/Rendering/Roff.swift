/// The text of a manual page, in the man macros. Source: groff_man(7), man(7) of mandoc.
struct Roff {
    private(set) var text = ""

    mutating func comment(_ text: String) { self.text += ".\\\" \(text)\n" }

    /// What comes first: words are neither broken nor spread, so that names of options can be read and searched for.
    mutating func title(_ name: String, date: String, source: String, manual: String) {
        let ends = [source, manual].map { "\"\(Self.escape($0))\"" }.joined(separator: " ")
        // The date as it is: mandoc reads it.
        text += ".TH \"\(Self.escape(name))\" \"1\" \"\(date)\" \(ends)\n.nh\n.ad l\n"
    }

    /// A macro; what its arguments say is no roff yet.
    mutating func macro(_ name: String, _ arguments: String...) {
        text += "." + ([name] + arguments.map { "\"\(Self.escape($0))\"" }).joined(separator: " ") + "\n"
    }

    /// A line of text that is roff already.
    mutating func line(_ roff: String) { text += Self.guarded(roff) + "\n" }

    /// Text as it is, with fonts for what help marks: code, options and the names of values.
    static func styled(_ text: String, values: Set<String> = []) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            // One without its fellow marks nothing.
            if index % 2 == 1 {
                return index < parts.count - 1 ? bold(String(part)) : escape("`") + words(part, values)
            }
            return words(part, values)
        }.joined()
    }

    private static func words(_ text: Substring, _ values: Set<String>) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let start = word.prefix { $0 == "(" }
            let core = word.dropFirst(start.count).prefix { !".,;:)".contains($0) }
            let end = word.dropFirst(start.count + core.count)
            return escape(String(start)) + term(String(core), values) + escape(String(end))
        }.joined(separator: " ")
    }

    private static func term(_ word: String, _ values: Set<String>) -> String {
        let isOption = word.hasPrefix("-") && word.dropFirst().contains { $0.isLetter || $0 == "-" }
        return isOption ? bold(word) : values.contains(word) ? italic(word) : escape(word)
    }

    static func bold(_ text: String) -> String { text.isEmpty ? "" : "\\fB\(escape(text))\\fR" }

    static func italic(_ text: String) -> String { text.isEmpty ? "" : "\\fI\(escape(text))\\fR" }

    /// So that text is printed as it is: ASCII's own signs, as they are typed in a shell.
    static func escape(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\(rs"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\"": "\\(dq"
            // Not every terminal has it.
            case "…": "..."
            default: scalar.isASCII ? String(scalar) : "\\[u\(hexadecimal(scalar))]"
            }
        }.joined()
    }

    /// Four digits at least. Source: groff_char(7), "Unicode code point".
    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// A line that begins as a request would be one.
    private static func guarded(_ roff: String) -> String {
        roff.hasPrefix(".") || roff.hasPrefix("'") ? "\\&" + roff : roff
    }
}
