import Glibc

/// A word as Linux has it: any bytes but NUL. Arguments, environments and paths are such; most are UTF-8, and none has to be.
///
/// Source: execve(2), path_resolution(7).
public struct ByteString: Sendable, Hashable, ExpressibleByStringInterpolation {
    public let bytes: [UInt8]

    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    public init(_ text: String) { bytes = Array(text.utf8) }

    public init(stringLiteral text: String) { self.init(text) }

    /// All up to the NUL.
    public init(cString: UnsafePointer<CChar>) {
        bytes = cString.withMemoryRebound(to: UInt8.self, capacity: 1) { start in
            var count = 0
            while start[count] != 0 { count += 1 }
            return Array(UnsafeBufferPointer(start: start, count: count))
        }
    }

    /// For people, and for what reads words: what isn't UTF-8 is U+FFFD.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Nil where it isn't UTF-8.
    public var exactText: String? {
        let text = text
        return text.utf8.elementsEqual(bytes) ? text : nil
    }
}

extension ByteString {
    /// This process's directory, as an absolute path; nil where it is gone.
    public static var currentDirectory: ByteString? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return ByteString(cString: path)
    }
}
