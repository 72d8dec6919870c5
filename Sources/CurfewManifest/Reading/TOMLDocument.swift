import TOMLKit

/// A file of TOML, with the lines that its keys stand in.
struct TOMLDocument: Equatable {
    /// By key, in no order that means anything.
    let entries: [ManifestValue.Entry]
    private let lines: [[String]: Int]

    /// The line of a key, or of the nearest table around it that has one; nil for what isn't there.
    func line(of path: [String]) -> Int? {
        var path = path[...]
        while !path.isEmpty {
            if let line = lines[Array(path)] { return line }
            path.removeLast()
        }
        return nil
    }

    /// Reads a file's bytes; throws what is wrong first, since the library goes no further.
    ///
    /// The library tells no lines of what it has read, ends strings at a NUL, and ends the process by an assertion where something can't
    /// begin a table's name or a value. So the source is scanned first, for what is wrong there by rules that are simpler and stricter:
    /// each bracket that closes has one that opens, what isn't ASCII is in quotes, and there are no dates. Source: TOMLKit 0.6.0, toml++ 3.4.0.
    init(_ bytes: [UInt8]) throws(DefinitionProblem) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DefinitionProblem(line: Self.lineOfBadUTF8(bytes), "this line isn't UTF-8")
        }
        var scan = TOMLScan(bytes)
        scan.run()
        do {
            if let problem = scan.problem { throw problem }
            entries = try Self.entries(of: text)
        } catch let error as TOMLParseError {
            throw DefinitionProblem(line: error.source.begin.line, Self.text(of: error, bytes))
        } catch let problem as DefinitionProblem {
            throw problem
        } catch {
            throw DefinitionProblem("can't be read: \(error)")
        }
        lines = scan.lines
    }

    /// The library never frees a table; emptied, it leaves little behind.
    private static func entries(of text: String) throws -> [ManifestValue.Entry] {
        let table = try TOMLTable(string: text)
        defer { table.clear() }
        return entries(of: table)
    }

    private static func entries(of table: TOMLTable) -> [ManifestValue.Entry] {
        table.keys.compactMap { key in table[key].map { .init(key: key, value: value($0)) } }
    }

    private static func value(_ value: any TOMLValueConvertible) -> ManifestValue {
        switch value.type {
        case .string: .string(value.string ?? "")
        case .int: .integer(Int64(value.int ?? 0))
        case .double: .number(value.double ?? 0)
        case .bool: .boolean(value.bool ?? false)
        case .date, .time, .dateTime: .date
        case .array: .array(value.array?.map { Self.value($0) } ?? [])
        case .table: .table(value.table.map { entries(of: $0) } ?? [])
        }
    }

    // MARK: What is wrong

    private static func text(of error: TOMLParseError, _ bytes: [UInt8]) -> String {
        var text = error.description[...]
        let context = "Error while parsing "
        if text.hasPrefix(context), let colon = text.firstRange(of: ": ") { text = text[colon.upperBound...] }
        let line = line(error.source.begin.line, of: bytes)
        return "isn't TOML: \(text), at column \(error.source.begin.column)" + (unquoted(line) ?? "")
    }

    /// The commonest slip: a word without its quotes.
    private static func unquoted(_ line: String) -> String? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let key = trimmed(line[..<equals])
        let value = trimmed(line[line.index(after: equals)...].prefix { $0 != "#" })
        guard let first = value.first, !"\"'[{".contains(first), !value.contains("\"") else { return nil }
        return "; text is in quotes: \(key) = \"\(value)\""
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func line(_ number: Int, of bytes: [UInt8]) -> String {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.indices.contains(number - 1) ? String(decoding: lines[number - 1], as: UTF8.self) : ""
    }

    private static func lineOfBadUTF8(_ bytes: [UInt8]) -> Int? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    }
}
