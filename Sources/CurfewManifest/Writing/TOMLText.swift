/// Values as TOML 1.0.0 writes them.
enum TOMLText {
    /// Nothing: true. A number is one where it would be read back as the same text.
    static func value(_ values: [String], isArray: Bool) -> String {
        if isArray { return array(values) }
        guard let value = values.first else { return "true" }
        return Int64(value).map(String.init) == value ? value : string(value)
    }

    static func array(_ values: [String]) -> String { "[" + values.map(string).joined(separator: ", ") + "]" }

    /// A basic string; in one line, and without what could draw on a terminal.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value): result += escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Bare where it can be.
    static func key(_ text: String) -> String {
        let isBare = text.utf8.allSatisfy {
            $0 == 45 || $0 == 95 || (48...57).contains($0) || (97...122).contains($0 | 0x20)
        }
        return isBare && !text.isEmpty ? text : string(text)
    }
}
