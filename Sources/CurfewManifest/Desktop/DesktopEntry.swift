/// The group `[Desktop Entry]` of a file, as it is written.
///
/// Source: Desktop Entry Specification 1.5, "Basic format of the file".
struct DesktopEntry {
    /// A key, with its locale where it has one, as `Name[de]`; escapes are still in the value.
    private var values: [String: (text: String, line: Int)] = [:]

    /// Throws for a file that has no such group, and for a line in it that is neither comment, group nor `KEY=VALUE`.
    init(_ bytes: [UInt8]) throws(DefinitionProblem) {
        var group: Substring?
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw DefinitionProblem(line: index + 1, "this line isn't UTF-8")
            }
            let whole = Self.trimmed(text[...])
            if whole.isEmpty || whole.first == "#" { continue }
            if whole.first == "[", whole.last == "]" {
                if group == Self.group { return }
                group = whole
            } else if group == Self.group {
                guard let equals = whole.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                    throw DefinitionProblem(line: index + 1, "is neither [GROUP] nor KEY=VALUE")
                }
                let key = String(Self.trimmed(whole[..<equals]))
                if values[key] == nil {
                    values[key] = (String(Self.trimmed(whole[whole.utf8.index(after: equals)...])), index + 1)
                }
            }
        }
        if group == nil || values.isEmpty { throw DefinitionProblem("has no group \(Self.group)") }
    }

    private static let group: Substring = "[Desktop Entry]"

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return text
    }

    func line(of key: String) -> Int? { values[key]?.line }

    /// A value of type string; nil where it isn't there. Throws for an escape that there isn't.
    func string(_ key: String) throws(DefinitionProblem) -> String? {
        guard let value = values[key] else { return nil }
        return try Self.unescaped(value.text, key: key, line: value.line)
    }

    /// A value of type boolean; false where it isn't there.
    func boolean(_ key: String) throws(DefinitionProblem) -> Bool {
        guard let value = values[key] else { return false }
        switch value.text {
        case "true": return true
        case "false": return false
        default: throw DefinitionProblem(line: value.line, key: key, "\"\(value.text)\" isn't true or false")
        }
    }

    /// A value of type localestring, in the nearest of the languages that it has.
    ///
    /// `locale`: as setlocale(3) has it, such as `de_AT.UTF-8@euro`.
    /// Source: Desktop Entry Specification 1.5, "Localized values for keys".
    func string(_ key: String, locale: String) throws(DefinitionProblem) -> String? {
        for name in Self.names(of: locale) {
            if let text = try string("\(key)[\(name)]") { return text }
        }
        return try string(key)
    }

    /// `lang_COUNTRY@MODIFIER`, `lang_COUNTRY`, `lang@MODIFIER`, `lang`, as far as the locale has them.
    static func names(of locale: String) -> [String] {
        let modifier = locale.firstIndex(of: "@").map { String(locale[$0...]) }
        let place = locale.prefix { $0 != "@" && $0 != "." }
        let language = String(place.prefix { $0 != "_" })
        let country = place.count > language.count ? String(place) : nil
        guard !language.isEmpty, language != "C", language != "POSIX" else { return [] }
        var names: [String] = []
        if let country, let modifier { names.append(country + modifier) }
        if let country { names.append(country) }
        if let modifier { names.append(language + modifier) }
        return names + [language]
    }

    /// Source: Desktop Entry Specification 1.5, "Possible value types": `\s`, `\n`, `\t`, `\r` and `\\`.
    static func unescaped(_ text: String, key: String, line: Int?) throws(DefinitionProblem) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "s": result.append(" ")
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "r": result.append("\r")
            case "\\": result.append("\\")
            case let other:
                throw DefinitionProblem(
                    line: line, key: key,
                    "there is no escape \\\(other.map { "\($0)" } ?? ""); a \\ itself is written \\\\, and \\\\\\\\ within quotes"
                )
            }
        }
        return String(result)
    }
}
