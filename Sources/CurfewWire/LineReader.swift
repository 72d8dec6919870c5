/// Cuts the bytes of one connection into messages and bounds how long a line may be.
///
/// Call `next()` until it answers `.none` before each `append`: then at most one line and one chunk are held. Every
/// byte is looked at and copied a bounded number of times, however the lines are split.
public struct LineReader: Sendable {
    /// The longest line in bytes, its LF included.
    ///
    /// Source: docs/protocol.md, "at most 4096 bytes".
    public static let maximumLineBytes = 4096

    /// What came of the bytes so far.
    public enum Next: Equatable, Sendable {
        case message(Message)
        /// A line that is no message; the lines after it are read as usual.
        case malformed(MalformedLine)
        /// A line over the maximum; the answer stays this one and the connection is to be closed.
        case tooLong
        /// No whole line is left.
        case none
    }

    /// A buffer above this many bytes is given back once it is empty: thousands of idle connections each hold one.
    private static let keptBytes = 512

    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var isTooLong = false

    public init() {}

    /// Bytes of a line whose end has not come yet.
    ///
    /// What is left when the other end closes; zero after `.tooLong`.
    public var pendingBytes: Int { buffer.count - start }

    /// Takes the bytes of one read; ignored after `.tooLong`.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isTooLong else { return }
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// Takes bytes held in an array, as the form for raw buffers does.
    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// The next message or mistake; blank lines are passed over.
    public mutating func next() -> Next {
        while !isTooLong {
            guard let lineFeed = findLineFeed() else { return waiting() }
            let line = start..<lineFeed
            start = lineFeed + 1
            if line.count >= LineReader.maximumLineBytes { return refuse() }
            if let result = parse(line) { return result }
        }
        return .tooLong
    }

    private mutating func findLineFeed() -> Int? {
        let from = scanned
        let found = buffer.withUnsafeBytes { bytes -> Int? in
            var index = from
            while index < bytes.count {
                if bytes[index] == ASCII.lineFeed { return index }
                index += 1
            }
            return nil
        }
        scanned = found.map { $0 + 1 } ?? buffer.count
        return found
    }

    private func parse(_ line: Range<Int>) -> Next? {
        buffer.withUnsafeBytes { bytes in
            do throws(MalformedLine) {
                return try Message.parse(UnsafeRawBufferPointer(rebasing: bytes[line])).map(Next.message)
            } catch {
                return .malformed(error)
            }
        }
    }

    /// No LF is there; a line that already fills the maximum can't get one in time.
    private mutating func waiting() -> Next {
        if pendingBytes >= LineReader.maximumLineBytes { return refuse() }
        if pendingBytes == 0 { compact() }
        return .none
    }

    private mutating func refuse() -> Next {
        isTooLong = true
        buffer = []
        start = 0
        scanned = 0
        return .tooLong
    }

    /// Forgets what was read; moves at most the part of a line that came with the last chunk.
    private mutating func compact() {
        guard start > 0 else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= LineReader.keptBytes)
        } else {
            buffer.removeSubrange(..<start)
        }
        scanned -= start
        start = 0
    }
}
