import CurfewWire

/// Cuts what a source writes into lines. One that is too long is passed over whole, and what comes after it is read as usual.
struct SourceLines {
    enum Next: Equatable {
        /// Without its end.
        case line([UInt8])
        /// Told once of each.
        case tooLong
        /// No whole line is left.
        case none
    }

    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var isPassingOver = false

    /// Whether a line has begun whose end hasn't come.
    var hasPart: Bool { start < buffer.count || isPassingOver }

    mutating func append(_ bytes: some Collection<UInt8>) {
        buffer.removeSubrange(..<start)
        scanned -= start
        start = 0
        buffer.append(contentsOf: bytes)
    }

    mutating func next() -> Next {
        while let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = buffer[start..<end]
            scanned = end + 1
            start = scanned
            if isPassingOver {
                isPassingOver = false
            } else {
                return line.count < LineReader.maximumLineBytes ? .line(Array(line)) : .tooLong
            }
        }
        scanned = buffer.count
        if isPassingOver || scanned - start >= LineReader.maximumLineBytes {
            start = scanned
            defer { isPassingOver = true }
            return isPassingOver ? .none : .tooLong
        }
        return .none
    }
}
