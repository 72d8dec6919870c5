import CCurfew
import CurfewLinux
import Glibc

/// A file that defines an app, read whole.
enum DefinitionFile {
    /// A mebibyte is more than anybody writes.
    static let maximumBytes = 1 << 20

    static func read(_ path: String) -> Result<[UInt8], DefinitionProblem> {
        // A FIFO that nobody writes to would hold up the server.
        var descriptor = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0))
        defer { descriptor.close() }
        return read(descriptor.number)
    }

    /// Of an open descriptor, or what opening it failed with.
    static func read(_ descriptor: Int32) -> Result<[UInt8], DefinitionProblem> {
        guard descriptor >= 0 else { return .failure(failed(-descriptor)) }
        var bytes: [UInt8] = []
        while bytes.count <= maximumBytes {
            var error: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 16 * 1024) { buffer, count in
                let got = curfew_read(descriptor, buffer.baseAddress, buffer.count)
                error = got < 0 ? Int32(-got) : 0
                count = max(0, Int(got))
            }
            if error == EINTR { continue }
            if error != 0 { return .failure(failed(error)) }
            if piece.isEmpty { return .success(bytes) }
            bytes += piece
        }
        return .failure(DefinitionProblem("is longer than 1 MiB, which no definition of an app is"))
    }

    static func failed(_ error: Int32) -> DefinitionProblem {
        DefinitionProblem("can't be read: \(String(cString: strerror(error)))")
    }
}
