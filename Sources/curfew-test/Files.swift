import CurfewLinux
import Glibc

/// Files and folders, as little as is needed; problems are sentences.
enum Files {
    static func reason(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }

    /// Nil where it can't be read, or isn't UTF-8.
    static func text(_ path: String) -> String? {
        if case .success(let text) = read(path) { return text }
        return nil
    }

    /// Why something couldn't be done, in one sentence.
    struct Problem: Error { var message: String }

    static func read(_ path: String) -> Result<String, Problem> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(Problem(message: "can't read \(path): \(reason())")) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0 { return .failure(Problem(message: "can't read \(path): \(reason())")) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .failure(Problem(message: "\(path) isn't UTF-8"))
        }
        return .success(text)
    }

    /// Of a file that is there for others to read as well, and again: not a pipe, not a device.
    static func readRegular(_ path: String) -> Result<String, Problem> {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            return .failure(Problem(message: "\(path) isn't a regular file: scenarios are read more than once"))
        }
        return read(path)
    }

    /// Nil when all went well.
    static func write(_ text: String, to path: String) -> String? {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return "can't write \(path): \(reason())" }
        let isWritten = writeAll(Array(text.utf8), to: descriptor)
        let problem = "can't write \(path): \(reason())"
        return close(descriptor) == 0 && isWritten ? nil : problem
    }

    @discardableResult
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        let result = SmallFile.write(bytes, to: descriptor)
        errno = -result
        return result == 0
    }

    // MARK: Folders

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// A file with contents of its own, not a device, a link or a pipe.
    static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Where it stands, absolute.
    static func folder(of path: String) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard let real = realpath(folder.isEmpty ? "/" : folder, nil) else { return folder }
        defer { free(real) }
        return String(cString: real)
    }

    /// Its one path; as it was given, where it isn't there.
    static func real(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Those above it as well; for its owner alone. Nil when it is there.
    static func makeFolder(_ path: String) -> String? {
        if mkdir(path, 0o700) == 0 || errno == EEXIST && isFolder(path) { return nil }
        if errno == ENOENT, let cut = path.lastIndex(of: "/"), cut > path.startIndex {
            if let problem = makeFolder(String(path[..<cut])) { return problem }
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return nil }
        }
        return "can't make the folder \(path): \(reason())"
    }

    /// The names in it, sorted.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// With all that is in it; links are removed, not followed.
    static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // One that its owner has locked himself out of.
        if status.st_mode & 0o700 != 0o700 { chmod(path, 0o700) }
        for name in names(in: path) { remove(path + "/" + name) }
        rmdir(path)
    }
}
