import CurfewLinux
import Glibc
import Testing

/// A directory of its own, removed with this object; in each target that has a link to this file.
final class Scratch {
    let path: String

    init() throws {
        var template = Array("/tmp/curfew-test-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        path = String(cString: made)
    }

    deinit { Self.removeAll(path) }

    /// With all that is in it; links aren't followed.
    private static func removeAll(_ path: String) {
        for name in Directory.names(of: path) ?? [] {
            if unlink(path + "/" + name) != 0 { removeAll(path + "/" + name) }
        }
        rmdir(path)
    }

    /// With the directories that it is in, all of them for their owner alone to write to.
    func write(_ name: String, _ text: String) throws {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
        let file = try #require(fopen(path + "/" + name, "w"))
        fputs(text, file)
        fclose(file)
        chmod(path + "/" + name, 0o644)
    }

    /// As if it had been written a minute ago.
    func age(_ name: String) {
        var times = [timespec(tv_sec: time(nil) - 60, tv_nsec: 0), timespec(tv_sec: time(nil) - 60, tv_nsec: 0)]
        utimensat(AT_FDCWD, path + "/" + name, &times, 0)
    }
}
