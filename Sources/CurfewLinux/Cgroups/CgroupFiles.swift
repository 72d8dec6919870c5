import CCurfew

/// The files of a cgroup that Curfew made, of either version.
public protocol CgroupFiles: Sendable {
    var path: String { get }
    var directory: Descriptor { get }
}

extension CgroupFiles {
    public func write(_ text: String, to file: String) throws(KernelError) {
        try check(curfew_write_file_at(directory.number, file, text), "write \(text) to", path + "/" + file)
    }

    public func number(in file: String, after key: StaticString? = nil) -> UInt64? {
        let value = SmallFile.withContents(of: file, at: directory.number) { text -> UInt64? in
            if let key { return text.number(after: key) }
            var index = 0
            return text.number(at: &index)
        }
        return value ?? nil
    }
}
