import Glibc
import Synchronization

@testable import CurfewStore

/// A folder of a test's own, with a database in `state/curfew`.
final class Folder: Sendable {
    let path: String
    let time = HeldTime()

    init() {
        var template = Array("/tmp/curfew-store-XXXXXX".utf8CString)
        path =
            mkdtemp(&template) == nil
            ? "" : String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var directory: String { path + "/state/curfew" }
    /// Where a worker's tracer writes.
    var trace: String { path + "/trace" }
    var files: DatabaseFiles { DatabaseFiles(directory: directory) }

    func writer() throws(StoreRefusal) -> StoreWriter {
        let writer = StoreWriter(files, clock: time.clock)
        try writer.begin()
        return writer
    }

    /// The names in the database's directory.
    var names: [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    func remove() {
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("rm"), strdup("-rf"), strdup(path), nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        guard path.hasPrefix("/tmp/"), posix_spawnp(&pid, "rm", nil, nil, &words, environ) == 0 else { return }
        while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    }
}

/// Time that stands still but where it is told to pass, and where SQLite waits.
final class HeldTime: Sendable {
    private let nanoseconds = Mutex<Int64>(0)

    var milliseconds: Int64 { nanoseconds.withLock { $0 / 1_000_000 } }

    func pass(milliseconds: Int64) { nanoseconds.withLock { $0 += milliseconds * 1_000_000 } }

    var clock: StoreClock {
        StoreClock(
            monotonic: { self.nanoseconds.withLock { $0 } }, calendar: { 1_000_000_000 },
            pause: { self.pass(milliseconds: $0) })
    }
}

func readFile(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
}

func writeFile(_ path: String, _ bytes: [UInt8]) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}
