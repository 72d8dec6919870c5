extension JSON {
    /// Appends this value as UTF-8, on one line, or with `indent` spaces a level and a line for each member.
    ///
    /// No line feed follows the value. Numbers take the fewest digits that read back as the same value.
    /// Source: RFC 8259, sections 6 and 7.
    public func write(into buffer: inout [UInt8], indent: Int? = nil) {
        var writer = JSONWriter(buffer: buffer, indent: indent)
        // One owner at a time: two would make the first append copy everything written before.
        buffer = []
        writer.write(self)
        buffer = writer.buffer
    }

    /// The value on one line.
    public var text: String {
        var buffer: [UInt8] = []
        write(into: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }
}

private struct JSONWriter {
    var buffer: [UInt8]
    let indent: Int?
    private var level = 0

    init(buffer: [UInt8], indent: Int?) {
        self.buffer = buffer
        self.indent = indent
    }

    mutating func write(_ value: JSON) {
        switch value {
        case .null: write(literal: "null")
        case .bool(let value): write(literal: value ? "true" : "false")
        case .integer(let value): write(literal: String(value))
        case .number(let value): write(literal: value.isFinite ? value.description : "null")
        case .string(let value): write(string: value)
        case .array(let elements): write(array: elements)
        case .object(let members): write(object: members)
        }
    }

    private mutating func write(literal: String) { buffer.append(contentsOf: literal.utf8) }

    private mutating func write(array elements: [JSON]) {
        write(ASCII.openBracket, ASCII.closeBracket, elements) { $0.write($1) }
    }

    private mutating func write(object members: [(key: String, value: JSON)]) {
        write(ASCII.openBrace, ASCII.closeBrace, members) { writer, member in
            writer.write(string: member.key)
            writer.buffer.append(ASCII.colon)
            if writer.indent != nil { writer.buffer.append(ASCII.space) }
            writer.write(member.value)
        }
    }

    private mutating func write<Item>(
        _ open: UInt8, _ close: UInt8, _ items: [Item], _ write: (inout JSONWriter, Item) -> Void
    ) {
        buffer.append(open)
        level += 1
        for (index, item) in items.enumerated() {
            if index > 0 { buffer.append(ASCII.comma) }
            breakLine()
            write(&self, item)
        }
        level -= 1
        if !items.isEmpty { breakLine() }
        buffer.append(close)
    }

    private mutating func breakLine() {
        guard let indent else { return }
        buffer.append(ASCII.lineFeed)
        buffer.append(contentsOf: repeatElement(ASCII.space, count: max(0, indent) * level))
    }

    private mutating func write(string: String) {
        buffer.append(ASCII.quote)
        for scalar in string.unicodeScalars {
            if Printable.isUnfit(scalar) || scalar == "\"" || scalar == "\\" {
                write(escaped: scalar)
            } else {
                buffer.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        buffer.append(ASCII.quote)
    }

    /// Also what needn't be, but would draw on the terminal of who looks at it. All of that is below U+10000.
    private mutating func write(escaped scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": write(literal: "\\\"")
        case "\\": write(literal: "\\\\")
        case "\u{08}": write(literal: "\\b")
        case "\t": write(literal: "\\t")
        case "\n": write(literal: "\\n")
        case "\u{0c}": write(literal: "\\f")
        case "\r": write(literal: "\\r")
        default:
            write(literal: "\\u")
            for shift: UInt32 in [12, 8, 4, 0] {
                buffer.append(ASCII.hexDigit(UInt8(truncatingIfNeeded: scalar.value >> shift & 15)))
            }
        }
    }
}
