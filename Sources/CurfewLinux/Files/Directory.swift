import CCurfew
import Glibc

/// Listing a directory by raw getdents64; opendir(3) would allocate 32 KiB for each.
public enum Directory {
    /// Calls `body` with each name, or the first `most`; false if the directory can't be read.
    @discardableResult
    public static func forEachName(
        in descriptor: Int32, upTo most: Int = .max, _ body: (UnsafePointer<CChar>) -> Void
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let base = buffer.baseAddress else { return false }
            var offset: Int64 = 0
            var left = most
            while offset >= 0, left > 0 {
                let used = curfew_list_directory(descriptor, base, 4096, &offset)
                if used < 0 { return false }
                var position = 0
                while position < Int(used), left > 0 {
                    left -= 1
                    let name = UnsafePointer(base + position)
                    body(name)
                    position += strlen(name) + 1
                }
            }
            return true
        }
    }

    /// How many names there are; nil for more than `most`, and where it can't be read. No more than some hundred beyond that
    /// are listed.
    static func nameCount(in descriptor: Int32, upTo most: Int) -> Int? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var (count, offset) = (0, Int64(0))
            while offset >= 0, count <= most {
                let used = curfew_list_directory(descriptor, base, 4096, &offset)
                if used < 0 { return nil }
                count += buffer[..<Int(used)].count { $0 == 0 }
            }
            return count > most ? nil : count
        }
    }

    public static func names(of path: String, at directory: Int32 = AT_FDCWD) -> [String]? {
        var descriptor = Descriptor(curfew_open_at(directory, path, O_RDONLY | O_DIRECTORY, 0))
        guard descriptor.isOpen else { return nil }
        defer { descriptor.close() }
        var names: [String] = []
        return forEachName(in: descriptor.number) { names.append(String(cString: $0)) } ? names : nil
    }
}
