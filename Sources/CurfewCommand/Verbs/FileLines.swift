import CCurfew
import CurfewLinux
import Glibc

/// A file's lines, read piece by piece; what isn't UTF-8 comes as U+FFFD.
struct FileLines {
    private var descriptor: Descriptor
    private var buffer: [UInt8] = []
    private var position = 0
    private var hasEnded = false
    /// What opening or reading failed with; 0 while it hasn't.
    private(set) var error: Int32 = 0
    /// Whether the last line had no line feed; it isn't given out.
    private(set) var hasHalfLine = false

    /// A longer line is an error: nothing here is that long, and /dev/zero has no end.
    private static let maximumLineBytes = 1 << 20

    init(_ path: String) {
        let number = curfew_open_at(AT_FDCWD, path, O_RDONLY, 0)
        descriptor = Descriptor(number)
        if number < 0 { error = -number }
    }

    var isOpen: Bool { descriptor.isOpen }

    /// The next whole line without its line feed; nil at the end.
    mutating func next() -> String? {
        while true {
            if let end = buffer[position...].firstIndex(of: 10) {
                defer { position = end + 1 }
                return String(decoding: buffer[position..<end], as: UTF8.self)
            }
            guard buffer.count - position <= Self.maximumLineBytes else {
                error = EMSGSIZE
                return nil
            }
            guard fill() else { return nil }
        }
    }

    private mutating func fill() -> Bool {
        if hasEnded { return false }
        buffer.removeFirst(position)
        position = 0
        let piece = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { bytes, count in
            let got = Glibc.read(descriptor.number, bytes.baseAddress, bytes.count)
            if got < 0 { error = errno }
            count = max(0, got)
        }
        buffer += piece
        if piece.isEmpty {
            hasEnded = true
            hasHalfLine = !buffer.isEmpty
            descriptor.close()
        }
        return !piece.isEmpty
    }
}
