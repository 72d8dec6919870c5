import CCurfew
import Glibc

/// Memory that processes hold by what they have open, mapped or not: memfds and files without a name, and files of tmpfs that
/// are open for writing.
///
/// What nobody has open any more is a file like any other: whose it was can't be told.
struct MemoryFiles {
    struct File: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    /// How many descriptors are looked at, in all: some 3 µs each.
    static let mostDescriptors = 32_768

    /// The bytes of each that are there, in memory or in swap.
    private(set) var sizes: [File: UInt64] = [:]
    private(set) var fileSystems: MemoryFileSystems
    private var left = Self.mostDescriptors

    init(_ fileSystems: MemoryFileSystems = MemoryFileSystems(), sizes: [File: UInt64] = [:]) {
        self.fileSystems = fileSystems
        self.sizes = sizes
    }

    var bytes: UInt64 { sizes.values.reduce(0, +) }

    /// Adds what the process has open; nothing if it is gone, or may not be looked at.
    mutating func look(at pid: Int32) {
        Self.withDescriptors(of: pid) { directory in
            Directory.forEachName(in: directory.number, upTo: left) { name in
                left -= 1
                look(at: name, in: directory, of: pid)
            }
        }
    }

    /// Adds what these of our own have open.
    mutating func look(atOwn numbers: [Int32]) {
        guard !numbers.isEmpty else { return }
        Self.withDescriptors(of: getpid()) { directory in
            for number in numbers {
                String(number).withCString { look(at: $0, in: directory, of: getpid()) }
            }
        }
    }

    static func withDescriptors(of pid: Int32, _ body: (Descriptor) -> Void) {
        _ = Procfs.withPath(pid, "/fd") { path -> Void? in
            var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
            guard directory.isOpen else { return nil }
            defer { directory.close() }
            body(directory)
            return ()
        }
    }

    /// Followed is only a link to a file in memory: to look at another's can mean to wait for its server.
    ///
    /// The link's own mode tells how it is open. Source: proc_pid_fd(5).
    private mutating func look(at name: UnsafePointer<CChar>, in directory: Descriptor, of pid: Int32) {
        guard Self.hasPath(name, in: directory), let mount = Self.mount(of: name, in: pid),
            fileSystems.mayHold(mount, of: pid)
        else { return }
        var status = curfew_file_status()
        guard curfew_stat_locally_at(directory.number, name, &status) == 0, status.mode & S_IFMT == S_IFREG,
            status.blocks > 0, fileSystems.hold(device: status.device)
        else { return }
        var link = curfew_file_status()
        guard curfew_stat_at(directory.number, name, false, &link) == 0,
            // What has no name is nobody else's, however it is open.
            link.mode & S_IWUSR != 0 || status.link_count == 0
        else { return }
        sizes[File(device: status.device, inode: status.inode)] = UInt64(status.blocks) * 512
    }

    /// Pipes, sockets and the like have none.
    private static func hasPath(_ name: UnsafePointer<CChar>, in directory: Descriptor) -> Bool {
        var first: CChar = 0
        // Too long a path is one.
        return curfew_read_link_at(directory.number, name, &first, 1) != 1 || first == 47
    }

    /// The number of the mount by which that descriptor was opened.
    static func mount(of name: UnsafePointer<CChar>, in pid: Int32) -> UInt64? {
        Procfs.withPath(pid, "/fdinfo/") { path -> UInt64? in
            strcat(path, name)
            return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
                let count = curfew_read_file_at(AT_FDCWD, path, buffer.baseAddress, buffer.count)
                guard count > 0 else { return nil }
                return UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]).number(after: "mnt_id:")
            }
        }
    }

    /// Less what each had when it was handed down; it isn't the app's.
    mutating func subtract(_ handedDown: [File: UInt64]) {
        for (file, bytes) in handedDown {
            guard let size = sizes[file] else { continue }
            sizes[file] = size - min(size, bytes)
        }
    }

    /// How much of them these processes have mapped, shared pages in their proportion, in bytes.
    func mapped(by pids: [Int32]) -> UInt64 {
        var mapped: [File: UInt64] = [:]
        for pid in pids {
            _ = Procfs.withPath(pid, "/smaps") { path -> Void? in
                var map = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY, 0))
                guard map.isOpen else { return nil }
                defer { map.close() }
                addMapped(in: map, to: &mapped)
                return ()
            }
        }
        return mapped.reduce(0) { $0 + min($1.value, sizes[$1.key] ?? 0) }
    }

    /// The text of /proc/PID/smaps: each mapping's line, as that of maps, is followed by its figures.
    func addMapped(in map: Descriptor, to mapped: inout [File: UInt64]) {
        var file: File?
        SmallFile.forEachLine(of: map) { line in
            if let next = Self.file(ofMapping: line) {
                file = sizes[next] == nil ? nil : next
            } else if let file {
                mapped[file, default: 0] += (line.number(after: "Pss:") ?? 0) * 1024
                // What a private mapping has copied is its own.
                let copied = (line.number(after: "Anonymous:") ?? 0) * 1024
                mapped[file, default: 0] -= min(copied, mapped[file] ?? 0)
            }
            return true
        }
    }

    /// From `START-END PERMISSIONS OFFSET MAJOR:MINOR INODE NAME`; nil of any other line.
    static func file(ofMapping line: UnsafeRawBufferPointer) -> File? {
        var index = 0
        guard line.hexadecimal(at: &index) != nil, line.take(45, at: &index), line.hexadecimal(at: &index) != nil,
            line.take(32, at: &index)
        else { return nil }
        index += 5
        guard line.hexadecimal(at: &index) != nil, line.take(32, at: &index),
            let major = line.hexadecimal(at: &index), line.take(58, at: &index),
            let minor = line.hexadecimal(at: &index), line.take(32, at: &index), let inode = line.number(at: &index)
        else { return nil }
        return File(device: device(major, minor), inode: inode)
    }

    /// As stat(2) has it. Source: makedev(3); glibc, bits/sysmacros.h.
    static func device(_ major: UInt64, _ minor: UInt64) -> UInt64 {
        (major & 0xfff) << 8 | (major & ~0xfff) << 32 | minor & 0xff | (minor & ~0xff) << 12
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func take(_ byte: UInt8, at index: inout Int) -> Bool {
        guard index < count, self[index] == byte else { return false }
        index += 1
        return true
    }
}
