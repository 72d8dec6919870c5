/// Finds the line of each key in a file of TOML, and what its parser couldn't bear.
///
/// Of a file that is right all keys are found but those within inline tables; of any other, some.
struct TOMLScan {
    private(set) var lines: [[String]: Int] = [:]
    /// What was found first of what mustn't come to the parser.
    private(set) var problem: DefinitionProblem?

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var table: [String] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // The parser would see nothing behind it.
        if let nul = bytes.firstIndex(of: 0) {
            problem = Self.nul(1 + bytes[..<nul].count { $0 == UInt8(ascii: "\n") })
        }
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    }

    /// Each round begins where a line does, and takes it whole, with the lines that its value goes on over.
    mutating func run() {
        while position < bytes.count, problem == nil {
            skipBlanks()
            switch byte {
            case UInt8(ascii: "["): header()
            case UInt8(ascii: "#"), UInt8(ascii: "\n"), nil: break
            default: keyAndValue()
            }
            skipValue()
        }
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func skipBlanks() {
        while let byte, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { position += 1 }
    }

    // MARK: Keys

    /// `[table]` or `[[array]]`.
    private mutating func header() {
        position += 1
        skipBlanks()
        if byte == UInt8(ascii: "[") { position += 1 }
        skipBlanks()
        guard let byte, Self.beginsKey(byte) || byte == UInt8(ascii: "]") else {
            problem = DefinitionProblem(line: line, "isn't TOML: a table's name is missing behind [")
            return
        }
        table = key()
        note(table)
        skipBlanks()
        // What closes it mustn't look as if a value ended.
        while self.byte == UInt8(ascii: "]") { position += 1 }
    }

    private mutating func keyAndValue() {
        let path = table + key()
        if path.count > table.count { note(path) }
        skipBlanks()
        if byte == UInt8(ascii: "=") { position += 1 }
    }

    private mutating func note(_ path: [String]) {
        for count in 1..<max(path.count + 1, 1) where lines[Array(path[..<count])] == nil {
            lines[Array(path[..<count])] = line
        }
    }

    /// `a.b."c d"`, without what escapes in it mean.
    private mutating func key() -> [String] {
        var path: [String] = []
        while let first = byte, Self.beginsKey(first) {
            let start = position
            if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                skipString(first)
                path.append(String(decoding: bytes[start..<position].dropFirst().dropLast(), as: UTF8.self))
            } else {
                while let byte, Self.isBare(byte) { position += 1 }
                path.append(String(decoding: bytes[start..<position], as: UTF8.self))
            }
            skipBlanks()
            guard byte == UInt8(ascii: ".") else { break }
            position += 1
            skipBlanks()
        }
        return path
    }

    private static func beginsKey(_ byte: UInt8) -> Bool {
        isBare(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    // MARK: Values

    /// Up to behind the end of the line in which no bracket is open.
    private mutating func skipValue() {
        var open: [UInt8] = []
        while let byte, problem == nil {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString(byte)
                continue
            case UInt8(ascii: "#"):
                while let byte = self.byte, byte != UInt8(ascii: "\n") { position += 1 }
                continue
            case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
            case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if open.popLast() != byte { problem = closesNothing(byte) }
            case UInt8(ascii: "\n"): line += 1
            case 0x80...: problem = unquoted()
            case let byte where Self.isOfNumber(byte):
                skipNumber()
                continue
            default: break
            }
            position += 1
            if byte == UInt8(ascii: "\n"), open.isEmpty { return }
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        isBare(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
    }

    /// A number, or whatever else stands in no quotes. No key takes dates and times; of those the parser asserts that they are whole.
    private mutating func skipNumber() {
        let start = position
        while let byte, Self.isOfNumber(byte) { position += 1 }
        let text = bytes[start..<position]
        let isDate = zip(text, text.dropFirst()).contains { (48...57).contains($0) && $1 == UInt8(ascii: "-") }
        guard isDate || text.contains(UInt8(ascii: ":")) else { return }
        let shown = String(decoding: text, as: UTF8.self)
        problem = DefinitionProblem(
            line: line, "\(shown) looks like a date or a time, which no key takes; text is in quotes")
    }

    private func closesNothing(_ byte: UInt8) -> DefinitionProblem {
        DefinitionProblem(line: line, "isn't TOML: \(Character(Unicode.Scalar(byte))) closes nothing")
    }

    /// Source: TOML 1.0.0: what isn't ASCII stands in strings and comments alone.
    private func unquoted() -> DefinitionProblem {
        let character = String(decoding: bytes[position...].prefix(32), as: UTF8.self).prefix(1)
        return DefinitionProblem(line: line, "isn't TOML: \"\(character)\" stands in no quotes")
    }

    /// Of either kind, over one line or more; one that doesn't end in its line ends with it.
    private mutating func skipString(_ quote: UInt8) {
        let isBasic = quote == UInt8(ascii: "\"")
        let isLong = isBasic ? isNext("\"\"\"") : isNext("'''")
        position += isLong ? 3 : 1
        while let byte, problem == nil {
            if byte == UInt8(ascii: "\n") {
                if !isLong { return }
                line += 1
            }
            if byte == UInt8(ascii: "\\"), isBasic {
                if isNext("\\u0000") || isNext("\\U00000000") { problem = Self.nul(line) }
                // The line feed that may stand here is counted.
                position += position + 1 < bytes.count && bytes[position + 1] != UInt8(ascii: "\n") ? 2 : 1
                continue
            }
            position += 1
            guard byte == quote else { continue }
            if !isLong { return }
            if closesLong(quote) { return }
        }
    }

    /// One quote has been taken; three end it, and up to two before those are its own.
    private mutating func closesLong(_ quote: UInt8) -> Bool {
        var count = 1
        while byte == quote, count < 5 {
            count += 1
            position += 1
        }
        return count >= 3
    }

    private static func nul(_ line: Int) -> DefinitionProblem {
        DefinitionProblem(line: line, "has a NUL, which no word of a command or of an environment can have")
    }
}
