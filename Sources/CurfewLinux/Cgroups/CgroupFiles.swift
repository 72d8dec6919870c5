import CCurfew
import Glibc

/// The files of a cgroup that Curfew made, of either version.
public protocol CgroupFiles: Sendable {
    var path: String { get }
    /// None where it is opened each time.
    var directory: Descriptor { get }
}

extension CgroupFiles {
    public func write(_ text: String, to file: String) throws(KernelError) {
        try check(withFile(file) { curfew_write_file_at($0, $1, text) }, "write \(text) to", path + "/" + file)
    }

    public func number(in file: String, after key: StaticString? = nil) -> UInt64? {
        let value = withFile(file) { directory, name in
            SmallFile.withContents(of: name, at: directory) { text -> UInt64? in
                if let key { return text.number(after: key) }
                var index = 0
                return text.number(at: &index)
            }
        }
        return value ?? nil
    }

    /// Where one of its files is, for a system call that takes a directory and a name.
    ///
    /// By its whole path where the directory isn't kept: to open that first is as dear as the file.
    func withFile<Result>(_ file: String, _ body: (Int32, String) -> Result) -> Result {
        directory.isOpen ? body(directory.number, file) : body(AT_FDCWD, path + "/" + file)
    }

    /// Below 0 where it can't be opened: then nothing in it can be, either.
    func withDirectory<Result>(_ body: (Int32) -> Result) -> Result {
        if directory.isOpen { return body(directory.number) }
        var opened = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
        defer { opened.close() }
        return body(opened.number)
    }
}
