import Glibc

/// Where this program itself lies.
enum OwnExecutable {
    /// The folder of its real path, without a slash at the end; "." when it can't be found out.
    static func folder() -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let base = buffer.baseAddress, case let length = readlink("/proc/self/exe", base, 4095), length > 0
            else { return "." }
            let bytes = buffer[..<length].map { UInt8(bitPattern: $0) }
            let end = bytes.lastIndex(of: 47) ?? 0
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }
}
