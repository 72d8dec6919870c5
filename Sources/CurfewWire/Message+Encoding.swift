extension Message {
    /// Appends this message as one line with its LF, never more than `LineReader.maximumLineBytes`.
    ///
    /// A line that would be longer has its longest value cut at a UTF-8 boundary, then the next longest, and last of
    /// all loses fields from its end. A byte that a verb or key can't hold is written `_`: a mistake in a name never
    /// makes two messages of one.
    public func encode(into buffer: inout [UInt8]) {
        let start = buffer.count
        append(to: &buffer)
        if buffer.count - start > LineReader.maximumLineBytes {
            buffer.removeSubrange(start...)
            fitted().append(to: &buffer)
        }
    }

    /// As `encode(into:)`, but nothing is cut: for a file, not for a connection.
    public func encodeWhole(into buffer: inout [UInt8]) { append(to: &buffer) }

    /// The line as text without its LF, cut as `encode(into:)` cuts it.
    public var line: String {
        var buffer: [UInt8] = []
        encode(into: &buffer)
        return String(decoding: buffer.dropLast(), as: UTF8.self)
    }

    private func append(to buffer: inout [UInt8]) {
        Message.append(name: verb, to: &buffer)
        for field in fields {
            buffer.append(ASCII.space)
            Message.append(name: field.key, to: &buffer)
            buffer.append(ASCII.equals)
            Message.append(value: field.value, to: &buffer)
        }
        buffer.append(ASCII.lineFeed)
    }

    private static func append(name: String, to buffer: inout [UInt8]) {
        if name.isEmpty { buffer.append(ASCII.underscore) }
        for byte in name.utf8 { buffer.append(ASCII.isName(byte) ? byte : ASCII.underscore) }
    }

    private static func append(value: String, to buffer: inout [UInt8]) {
        guard needsQuotes(value) else {
            buffer.append(contentsOf: value.utf8)
            return
        }
        buffer.append(ASCII.quote)
        for byte in value.utf8 { append(quoted: byte, to: &buffer) }
        buffer.append(ASCII.quote)
    }

    private static func append(quoted byte: UInt8, to buffer: inout [UInt8]) {
        switch byte {
        case ASCII.quote, ASCII.backslash: buffer.append(contentsOf: [ASCII.backslash, byte])
        case ASCII.lineFeed: buffer.append(contentsOf: [ASCII.backslash, ASCII.n])
        case ASCII.tab: buffer.append(contentsOf: [ASCII.backslash, ASCII.t])
        case ASCII.carriageReturn: buffer.append(contentsOf: [ASCII.backslash, ASCII.r])
        case _ where ASCII.isControl(byte):
            buffer.append(contentsOf: [ASCII.backslash, ASCII.x, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)])
        default: buffer.append(byte)
        }
    }

    private static func needsQuotes(_ value: String) -> Bool {
        for byte in value.utf8
        where byte <= ASCII.space || byte == ASCII.quote || byte == ASCII.backslash || byte == 0x7f {
            return true
        }
        return value.isEmpty
    }
}

// The rare path: a message that is too long for one line.
extension Message {
    /// What a field costs at least: a space, a key of one byte, `=`, a value of one byte.
    private static let leastFieldBytes = 4

    private func fitted() -> Message {
        let most = LineReader.maximumLineBytes
        var message = Message(verb, Array(fields.prefix(most / Message.leastFieldBytes)))
        while message.lineBytes > most, !message.fields.isEmpty {
            message.shorten(by: message.lineBytes - most)
        }
        // Only a verb of thousands of bytes is left to cut; its bytes are written one for one.
        if message.lineBytes > most { message.verb = String(decoding: verb.utf8.prefix(most - 1), as: UTF8.self) }
        return message
    }

    /// Cuts the longest value, or drops the last field when no value is worth cutting; always makes the line shorter.
    private mutating func shorten(by excess: Int) {
        let sizes = fields.map { Message.encodedBytes($0.value) }
        guard let longest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }), sizes[longest] > 2 else {
            fields.removeLast()
            return
        }
        fields[longest].value = Message.prefix(of: fields[longest].value, within: sizes[longest] - excess)
    }

    /// The longest beginning whose encoding takes at most `most` bytes; the empty text, two quotes, if none does.
    private static func prefix(of value: String, within most: Int) -> String {
        // Quotes are counted if the whole value needs them: a beginning that does not is only shorter.
        var bytes = needsQuotes(value) ? 2 : 0
        var end = value.startIndex
        for index in value.unicodeScalars.indices {
            bytes += encodedBytes(value.unicodeScalars[index])
            if bytes > most { break }
            end = value.unicodeScalars.index(after: index)
        }
        return String(value.unicodeScalars[..<end])
    }

    private var lineBytes: Int {
        var buffer: [UInt8] = []
        append(to: &buffer)
        return buffer.count
    }

    private static func encodedBytes(_ value: String) -> Int {
        var buffer: [UInt8] = []
        append(value: value, to: &buffer)
        return buffer.count
    }

    private static func encodedBytes(_ scalar: Unicode.Scalar) -> Int {
        var buffer: [UInt8] = []
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(quoted: byte, to: &buffer) }
        return buffer.count
    }
}
