extension JSON {
    /// How deep arrays and objects may be nested; a limit, since the reader calls itself for each level.
    public static let maximumDepth = 64

    /// Reads one value and nothing after it but white space, strictly as RFC 8259 has it.
    ///
    /// No comments, no commas at an end, no byte order mark, no half of a surrogate pair. A repeated key is kept.
    /// - Throws: `JSONError` with an offset; also past `maximumDepth`, and for a number no `Double` can hold.
    public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSON {
        var reader = JSONReader(bytes)
        return try reader.document()
    }

    /// Reads one value from an array, as the form for raw buffers does.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try parse(bytes) }
        }.get()
    }

    /// Reads one value from text; offsets count UTF-8 bytes.
    public static func parse(_ text: String) throws(JSONError) -> JSON {
        try parse(Array(text.utf8))
    }
}

private struct JSONReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var depth = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSON {
        let value = try value()
        guard peek() == nil else { throw error("something follows the value") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSON {
        switch peek() {
        case ASCII.openBrace: return try nested { reader throws(JSONError) in try reader.object() }
        case ASCII.openBracket: return try nested { reader throws(JSONError) in try reader.array() }
        case ASCII.quote: return .string(try string())
        case ASCII.t: return try literal("true", .bool(true))
        case ASCII.f: return try literal("false", .bool(false))
        case ASCII.n: return try literal("null", .null)
        case .some(let byte) where byte == ASCII.minus || ASCII.isDigit(byte): return try number()
        default: throw error("a value is missing")
        }
    }

    /// The next byte that is no white space, not yet taken.
    private mutating func peek() -> UInt8? {
        while let byte = byte {
            switch byte {
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn: position += 1
            default: return byte
            }
        }
        return nil
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        position += 1
        return true
    }

    private mutating func literal(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
        for byte in word.utf8 {
            guard take(byte) else { throw error("a value is missing") }
        }
        return value
    }

    private func error(_ problem: String) -> JSONError { JSONError(offset: position, problem: problem) }
}

// Arrays and objects.
extension JSONReader {
    private mutating func nested(_ read: (inout JSONReader) throws(JSONError) -> JSON) throws(JSONError) -> JSON {
        guard depth < JSON.maximumDepth else { throw error("nested too deep") }
        position += 1
        depth += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func array() throws(JSONError) -> JSON {
        var elements: [JSON] = []
        if peek() == ASCII.closeBracket { position += 1; return .array([]) }
        repeat { elements.append(try value()) } while try another(before: ASCII.closeBracket)
        return .array(elements)
    }

    private mutating func object() throws(JSONError) -> JSON {
        var members: [(key: String, value: JSON)] = []
        if peek() == ASCII.closeBrace { position += 1; return .object([]) }
        repeat { members.append(try member()) } while try another(before: ASCII.closeBrace)
        return .object(members)
    }

    private mutating func member() throws(JSONError) -> (key: String, value: JSON) {
        guard peek() == ASCII.quote else { throw error("a key is missing") }
        let key = try string()
        guard peek() == ASCII.colon else { throw error("a ':' is missing") }
        position += 1
        return (key, try value())
    }

    /// Takes the comma or the closing bracket after an element; true for a comma.
    private mutating func another(before close: UInt8) throws(JSONError) -> Bool {
        let next = peek()
        guard next == ASCII.comma || next == close else { throw error("a ',' or a closing bracket is missing") }
        position += 1
        return next == ASCII.comma
    }
}

// Strings.
extension JSONReader {
    private mutating func string() throws(JSONError) -> String {
        let open = position
        position += 1
        var text: [UInt8] = []
        while let byte = byte, byte != ASCII.quote {
            if byte == ASCII.backslash {
                try escape(into: &text)
            } else {
                try character(into: &text)
            }
        }
        guard take(ASCII.quote) else { throw JSONError(offset: open, problem: "a string is not closed") }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func character(into text: inout [UInt8]) throws(JSONError) {
        guard bytes[position] >= 0x20 else { throw error("a control character is not escaped") }
        guard let length = UTF8Sequence.length(in: bytes, at: position) else { throw error("invalid UTF-8") }
        text.append(contentsOf: bytes[position..<position + length])
        position += length
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard position + 1 < bytes.count else { throw error("an unknown escape") }
        switch bytes[position + 1] {
        case ASCII.quote, ASCII.backslash, ASCII.slash: text.append(bytes[position + 1])
        case ASCII.b: text.append(0x08)
        case ASCII.f: text.append(0x0c)
        case ASCII.n: text.append(ASCII.lineFeed)
        case ASCII.r: text.append(ASCII.carriageReturn)
        case ASCII.t: text.append(ASCII.tab)
        case ASCII.u: return text.append(contentsOf: String(try unicodeEscape()).utf8)
        default: throw error("an unknown escape")
        }
        position += 2
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        guard let first = codeUnit(at: position) else { throw error("an unknown escape") }
        if let scalar = Unicode.Scalar(first) {
            position += 6
            return scalar
        }
        guard first < 0xdc00, let second = codeUnit(at: position + 6), (0xdc00...0xdfff).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00))
        else { throw error("half of a surrogate pair") }
        position += 12
        return scalar
    }

    /// The UTF-16 code unit of the `\uXXXX` at this offset, or nil.
    private func codeUnit(at offset: Int) -> UInt16? {
        guard offset + 6 <= bytes.count, bytes[offset] == ASCII.backslash, bytes[offset + 1] == ASCII.u else {
            return nil
        }
        var unit: UInt16 = 0
        for index in offset + 2..<offset + 6 {
            guard let digit = ASCII.hexValue(bytes[index]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

// Numbers.
extension JSONReader {
    private mutating func number() throws(JSONError) -> JSON {
        let start = position
        _ = take(ASCII.minus)
        if !take(ASCII.zero) { try digits() }
        let hasFraction = try fraction()
        let hasExponent = try exponent()
        let text = String(checked: bytes, start..<position)
        // "-0" is no integer: it would lose its sign.
        if !hasFraction, !hasExponent, text != "-0", let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw JSONError(offset: start, problem: "a number is out of range")
        }
        return .number(number)
    }

    private mutating func fraction() throws(JSONError) -> Bool {
        guard take(ASCII.point) else { return false }
        try digits()
        return true
    }

    private mutating func exponent() throws(JSONError) -> Bool {
        guard byte == 0x65 || byte == 0x45 else { return false }
        position += 1
        if !take(0x2b) { _ = take(ASCII.minus) }
        try digits()
        return true
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = byte, ASCII.isDigit(byte) { position += 1 }
        guard position > start else { throw error("a digit is missing") }
    }
}
