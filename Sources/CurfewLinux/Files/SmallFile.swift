import CCurfew
import Glibc

/// Reading and writing the kernel's small text files, without Foundation and mostly without allocating.
public enum SmallFile {
    /// Enough for every file of /proc and cgroupfs read here but the lists, which are read in pieces.
    public static let bufferSize = 4096

    /// Calls `body` with the file's first 4,096 bytes; nil if it can't be read.
    public static func withContents<Result>(
        of path: String, at directory: Int32 = AT_FDCWD, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        withUnsafeTemporaryAllocation(byteCount: bufferSize, alignment: 8) { buffer in
            let count = curfew_read_file_at(directory, path, buffer.baseAddress, bufferSize)
            guard count >= 0 else { return nil }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
        }
    }

    /// Writes all of it to an open file; 0, or -errno, -EIO where nothing more is taken.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                curfew_write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if count == -EINTR { continue }
            if count <= 0 { return count < 0 ? count : -EIO }
            written += Int(count)
        }
        return 0
    }

    /// The whole file as bytes, however long; nil if it can't be read.
    public static func bytes(of path: String, at directory: Int32 = AT_FDCWD) -> [UInt8]? {
        var descriptor = Descriptor(curfew_open_at(directory, path, O_RDONLY, 0))
        guard descriptor.isOpen else { return nil }
        defer { descriptor.close() }
        return bytes(of: descriptor)
    }

    /// Everything from an open file's start; nil if it can't be read.
    public static func bytes(of descriptor: Descriptor) -> [UInt8]? {
        var contents: [UInt8] = []
        var isWhole = false
        while !isWhole {
            let read = withUnsafeTemporaryAllocation(byteCount: bufferSize, alignment: 8) { buffer -> Bool in
                let count = curfew_pread(descriptor.number, buffer.baseAddress, bufferSize, Int64(contents.count))
                guard count >= 0 else { return false }
                isWhole = count == 0
                contents.append(contentsOf: buffer[..<Int(count)])
                return true
            }
            if !read { return nil }
        }
        return contents
    }

    public static func write(_ text: String, to path: String, at directory: Int32 = AT_FDCWD) throws(KernelError) {
        try check(curfew_write_file_at(directory, path, text), "write \(text) to", path)
    }
}

extension UnsafeRawBufferPointer {
    /// The unsigned number that starts at `index`, which moves past it; nil if there is none.
    func number(at index: inout Int) -> UInt64? {
        let start = index
        var value: UInt64 = 0
        while index < count, case let digit = self[index] &- 48, digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            index += 1
        }
        return index > start ? value : nil
    }

    func skip(_ byte: UInt8, at index: inout Int) {
        while index < count, self[index] == byte { index += 1 }
    }

    /// The number that follows `key` at a line's start, past blanks; nil if there is no such line.
    func number(after key: StaticString) -> UInt64? {
        guard var index = index(after: key) else { return nil }
        return number(at: &index)
    }

    /// The same of a hexadecimal number.
    func hexadecimal(after key: StaticString) -> UInt64? {
        guard var index = index(after: key) else { return nil }
        return hexadecimal(at: &index)
    }

    /// As `number(at:)`, in small letters.
    func hexadecimal(at index: inout Int) -> UInt64? {
        let start = index
        var value: UInt64 = 0
        while index < count {
            let byte = self[index]
            let digit: UInt8
            if byte &- 48 < 10 { digit = byte - 48 } else if byte &- 97 < 6 { digit = byte - 87 } else { break }
            value = value &* 16 &+ UInt64(digit)
            index += 1
        }
        return index > start ? value : nil
    }

    /// Where what follows `key` at a line's start begins, past blanks; nil if there is no such line.
    private func index(after key: StaticString) -> Int? {
        var line = 0
        while line < count {
            if hasPrefix(key, at: line) {
                var index = line + key.utf8CodeUnitCount
                let end = index
                while index < count, self[index] == 32 || self[index] == 9 { index += 1 }
                // A longer key that begins with this one has no blank here, nor a mark before it.
                if index > end || self[end - 1] == 58 || self[end - 1] == 32 { return index }
            }
            while line < count, self[line] != 10 { line += 1 }
            line += 1
        }
        return nil
    }

    private func hasPrefix(_ key: StaticString, at index: Int) -> Bool {
        guard index + key.utf8CodeUnitCount <= count, let base = baseAddress else { return false }
        return memcmp(base + index, key.utf8Start, key.utf8CodeUnitCount) == 0
    }
}
