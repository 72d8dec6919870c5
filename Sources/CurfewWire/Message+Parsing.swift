extension Message {
    /// Reads one line, with or without its LF or CR LF; a blank line, only spaces, is nil.
    ///
    /// Spaces may stand before, after and in runs between the tokens. No byte is read twice except those of values with
    /// escapes; strings up to 15 bytes are not allocated.
    /// - Throws: `MalformedLine` with the first offset that can't be right, invalid UTF-8 included.
    public static func parse(_ line: UnsafeRawBufferPointer) throws(MalformedLine) -> Message? {
        var scanner = MessageScanner(line)
        guard scanner.skipSpaces() else { return nil }
        var message = Message(try scanner.verb())
        while scanner.skipSpaces() {
            // Four fields hold nearly every message in one allocation.
            if message.fields.isEmpty { message.fields.reserveCapacity(4) }
            message.fields.append(Field(try scanner.key(), try scanner.value()))
        }
        return message
    }

    /// Reads one line of bytes, as the form for raw buffers does.
    public static func parse(_ line: [UInt8]) throws(MalformedLine) -> Message? {
        try line.withUnsafeBytes { bytes in
            Result { () throws(MalformedLine) in try parse(bytes) }
        }.get()
    }

    /// Reads one line of text, as the form for raw buffers does; offsets count UTF-8 bytes.
    public static func parse(_ line: String) throws(MalformedLine) -> Message? {
        try parse(Array(line.utf8))
    }
}

/// Walks one line token by token; every index is checked here, since raw buffers check none in release builds.
private struct MessageScanner {
    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    private var position = 0

    init(_ line: UnsafeRawBufferPointer) {
        var end = line.count
        if end > 0, line[end - 1] == ASCII.lineFeed { end -= 1 }
        if end > 0, line[end - 1] == ASCII.carriageReturn { end -= 1 }
        // A sequence cut off by the end must not be completed by the bytes after it.
        bytes = UnsafeRawBufferPointer(rebasing: line[..<end])
        self.end = end
    }

    /// Moves to the next token; false at the end of the line.
    mutating func skipSpaces() -> Bool {
        while position < end, bytes[position] == ASCII.space { position += 1 }
        return position < end
    }

    mutating func verb() throws(MalformedLine) -> String {
        let name = name()
        guard position == end || bytes[position] == ASCII.space else {
            throw malformed("a verb has only letters, digits, '_', '.' and '-'")
        }
        return name
    }

    /// Reads a key and the `=` after it.
    mutating func key() throws(MalformedLine) -> String {
        let name = name()
        guard position < end, bytes[position] != ASCII.space else { throw malformed("a key has no '=' and value") }
        guard bytes[position] == ASCII.equals else {
            throw malformed("a key has only letters, digits, '_', '.' and '-'")
        }
        guard !name.isEmpty else { throw malformed("a value has no key") }
        position += 1
        return name
    }

    private mutating func name() -> String {
        let start = position
        while position < end, ASCII.isName(bytes[position]) { position += 1 }
        return String(checked: bytes, start..<position)
    }

    mutating func value() throws(MalformedLine) -> String {
        guard position < end, bytes[position] != ASCII.space else {
            throw malformed("a value is missing; the empty one is written \"\"")
        }
        if bytes[position] == ASCII.quote { return try quotedValue() }
        let start = position
        while position < end, bytes[position] != ASCII.space {
            if bytes[position] == ASCII.quote { throw malformed("a quote stands inside a bare value") }
            if bytes[position] == ASCII.backslash { throw malformed("a backslash stands outside quotes") }
            try skipCharacter()
        }
        return String(checked: bytes, start..<position)
    }

    private mutating func quotedValue() throws(MalformedLine) -> String {
        let open = position
        var hasEscapes = false
        position += 1
        while position < end, bytes[position] != ASCII.quote {
            if bytes[position] == ASCII.backslash {
                guard let escape = escape(at: position) else { throw malformed("an unknown escape") }
                hasEscapes = true
                position += escape.length
            } else {
                try skipCharacter()
            }
        }
        guard position < end else { throw MalformedLine(offset: open, problem: "a quote is not closed") }
        return try closeQuote(open + 1..<position, hasEscapes)
    }

    private mutating func closeQuote(_ inside: Range<Int>, _ hasEscapes: Bool) throws(MalformedLine) -> String {
        position += 1
        guard position == end || bytes[position] == ASCII.space else {
            throw malformed("a space is missing after a closing quote")
        }
        return hasEscapes ? unescaped(inside) : String(checked: bytes, inside)
    }

    /// Passes one character that stands for itself.
    @inline(__always)
    private mutating func skipCharacter() throws(MalformedLine) {
        let byte = bytes[position]
        if byte >= 0x20 && byte < 0x7f {
            position += 1
        } else {
            try skipUnusualCharacter()
        }
    }

    private mutating func skipUnusualCharacter() throws(MalformedLine) {
        guard !ASCII.isControl(bytes[position]) else { throw malformed("a control character is not escaped") }
        guard let length = UTF8Sequence.length(in: bytes, at: position) else { throw malformed("invalid UTF-8") }
        position += length
    }

    /// What the escape at this backslash stands for and how many bytes it takes; nil for one that is not known.
    private func escape(at offset: Int) -> (byte: UInt8, length: Int)? {
        guard offset + 1 < end else { return nil }
        switch bytes[offset + 1] {
        case ASCII.quote: return (ASCII.quote, 2)
        case ASCII.backslash: return (ASCII.backslash, 2)
        case ASCII.n: return (ASCII.lineFeed, 2)
        case ASCII.t: return (ASCII.tab, 2)
        case ASCII.r: return (ASCII.carriageReturn, 2)
        case ASCII.x: return hexEscape(at: offset)
        default: return nil
        }
    }

    /// Only 00 to 7f: a higher byte alone could not be UTF-8.
    private func hexEscape(at offset: Int) -> (byte: UInt8, length: Int)? {
        guard offset + 3 < end, let high = ASCII.hexValue(bytes[offset + 2]),
            let low = ASCII.hexValue(bytes[offset + 3]), high < 8
        else { return nil }
        return (high << 4 | low, 4)
    }

    private func unescaped(_ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { output in
            var count = 0
            var index = range.lowerBound
            while index < range.upperBound {
                let escape = bytes[index] == ASCII.backslash ? escape(at: index) : nil
                output.initializeElement(at: count, to: escape?.byte ?? bytes[index])
                index += escape?.length ?? 1
                count += 1
            }
            return count
        }
    }

    private func malformed(_ problem: String) -> MalformedLine {
        MalformedLine(offset: position, problem: problem)
    }
}
