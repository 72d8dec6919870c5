import CCurfew
import CurfewLinux
import Glibc

/// Reads a whole file, or all that a pipe gives.
struct FileReader {
    private var descriptor: Descriptor
    /// What opening or reading failed with; 0 while it hasn't.
    private(set) var error: Int32 = 0

    init(_ path: String) {
        let number = curfew_open_at(AT_FDCWD, path, O_RDONLY, 0)
        descriptor = Descriptor(number)
        if number < 0 { error = -number }
    }

    /// Nil where it can't be read; EFBIG: there is more, as /dev/zero has no end.
    mutating func all(atMost most: Int) -> [UInt8]? {
        guard descriptor.isOpen else { return nil }
        defer { descriptor.close() }
        var bytes: [UInt8] = []
        while bytes.count <= most {
            let piece = [UInt8](unsafeUninitializedCapacity: 256 * 1024) { buffer, count in
                let got = curfew_read(descriptor.number, buffer.baseAddress, buffer.count)
                if got < 0 { error = Int32(clamping: -got) }
                count = max(0, Int(got))
            }
            if error == EINTR {
                error = 0
                continue
            }
            if error != 0 { return nil }
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        error = EFBIG
        return nil
    }
}
