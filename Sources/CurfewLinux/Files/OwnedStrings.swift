import Glibc

/// C strings in an array that a NULL ends, as execve(2) wants them; freed with this object.
public final class OwnedStrings {
    public let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    public let count: Int

    public convenience init(_ strings: [String]) { self.init(strings.map { ByteString($0) }) }

    /// A string ends at its first NUL.
    public init(_ strings: [ByteString]) {
        count = strings.count
        pointer = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() {
            pointer[index] = string.bytes.withUnsafeBytes { bytes in
                strndup(bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.empty, bytes.count)
            }
        }
        pointer[count] = nil
    }

    private static var empty: UnsafePointer<CChar> {
        let empty: StaticString = ""
        return UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    deinit {
        for index in 0..<count { free(pointer[index]) }
        pointer.deallocate()
    }
}
