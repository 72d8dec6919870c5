/// Well-formed UTF-8, checked one sequence at a time, so that an error has an offset.
enum UTF8Sequence {
    /// The length in bytes, 1 to 4, of the well-formed sequence that begins at `offset`, or nil.
    ///
    /// Refuses overlong forms, surrogates, what is above U+10FFFF, and a sequence cut off by the end.
    /// Source: The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    static func length(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case 0x00...0x7f: return 1
        case 0xc2...0xdf: return length(2, second: 0x80...0xbf, in: bytes, at: offset)
        case 0xe0: return length(3, second: 0xa0...0xbf, in: bytes, at: offset)
        case 0xe1...0xec, 0xee...0xef: return length(3, second: 0x80...0xbf, in: bytes, at: offset)
        case 0xed: return length(3, second: 0x80...0x9f, in: bytes, at: offset)
        case 0xf0: return length(4, second: 0x90...0xbf, in: bytes, at: offset)
        case 0xf1...0xf3: return length(4, second: 0x80...0xbf, in: bytes, at: offset)
        case 0xf4: return length(4, second: 0x80...0x8f, in: bytes, at: offset)
        default: return nil
        }
    }

    private static func length(
        _ count: Int, second: ClosedRange<UInt8>, in bytes: UnsafeRawBufferPointer, at offset: Int
    ) -> Int? {
        guard offset + count <= bytes.count, second.contains(bytes[offset + 1]) else { return nil }
        for index in (offset + 2)..<max(offset + count, offset + 2) where bytes[index] & 0xc0 != 0x80 { return nil }
        return count
    }
}

extension String {
    /// The text of bytes already known to be well-formed UTF-8.
    init(checked bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.init(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
}
