import Glibc

/// A small disk that only this process's mount namespace has.
enum Disk {
    static func mount(on directory: String, bytes: Int) {
        guard Glibc.mount("tmpfs", directory, "tmpfs", 0, "size=\(bytes),mode=700") == 0 else {
            cannot("no disk of its own")
        }
    }

    static func setReadOnly(_ isReadOnly: Bool, _ directory: String) {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard Glibc.mount(nil, directory, nil, flags, nil) == 0 else { cannot("remount") }
    }

    static func fill(_ path: String, bytes: Int) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        let zeros = [UInt8](repeating: 0, count: bytes)
        guard write(file, zeros, bytes) == bytes else { cannot("fill") }
        close(file)
    }

    private static func cannot(_ what: String) -> Never {
        say("cannot: \(what): \(String(cString: strerror(errno)))")
        exit(2)
    }
}
