import CCurfew
import Glibc

/// What only reports ask of a process.
extension Procfs {
    /// The first 4,096 bytes of its arguments; nil if they can't be read, [] if it has none, as a kernel thread.
    ///
    /// Empty ones at the end can't be told from what a program left of its own that wrote a shorter title over them.
    static func commandLine(_ pid: Int32) -> [String]? {
        let arguments = withPath(pid, "/cmdline") { path in
            SmallFile.withContents(of: String(cString: path)) { words(in: $0) }
        }
        return arguments ?? nil
    }

    /// Parts at each NUL; those at the end are dropped.
    static func words(in text: UnsafeRawBufferPointer) -> [String] {
        guard let last = text.lastIndex(where: { $0 != 0 }) else { return [] }
        return text[...last].split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a zombie was ended by SIGKILL; false where that isn't told.
    ///
    /// The last field of /proc/PID/stat, for who may trace it: its status as wait(2) gives it. Source: proc_pid_stat(5).
    static func wasKilled(_ pid: Int32) -> Bool {
        let status = withPath(pid, "/stat") { path in
            SmallFile.withContents(of: String(cString: path)) { text -> UInt64? in
                let line = text.last == 10 ? UnsafeRawBufferPointer(rebasing: text.dropLast()) : text
                guard let blank = line.lastIndex(of: 32) else { return nil }
                var index = blank + 1
                return line.number(at: &index)
            }
        }
        return ((status ?? nil) ?? nil).map { $0 & 0x7f == UInt64(SIGKILL) } ?? false
    }

    /// Anonymous, shared and swapped memory in bytes, pages shared with others in full.
    static func footprint(_ pid: Int32) -> UInt64? { fullFootprint(pid)?.total }

    static func fullFootprint(_ pid: Int32) -> Footprint? {
        let bytes = withPath(pid, "/status") { path in
            SmallFile.withContents(of: String(cString: path)) { footprint(inStatus: $0) }
        }
        return (bytes ?? nil) ?? nil
    }

    /// From the text of /proc/PID/status; nil for what has no memory of its own, as a kernel thread.
    static func footprint(inStatus text: UnsafeRawBufferPointer) -> Footprint? {
        guard let anonymous = text.number(after: "RssAnon:"), let shared = text.number(after: "RssShmem:"),
            let swapped = text.number(after: "VmSwap:")
        else {
            return nil
        }
        return Footprint(anonymous: (anonymous &+ swapped) &* 1024, shared: shared &* 1024)
    }

    /// How many descriptors it has open; nil if that isn't told.
    ///
    /// Since Linux 6.2 that is the directory's size; before, and for none at all, they are counted.
    /// Source: kernel, fs/proc/fd.c, proc_fd_getattr.
    static func descriptorCount(_ pid: Int32) -> Int? {
        withPath(pid, "/fd") { path in
            var status = curfew_file_status()
            guard curfew_stat_at(AT_FDCWD, path, true, &status) == 0 else { return nil }
            if status.size > 0 { return Int(status.size) }
            var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
            guard directory.isOpen else { return nil }
            defer { directory.close() }
            var count = 0
            return Directory.forEachName(in: directory.number) { _ in count += 1 } ? count : nil
        }
    }

    /// What one of its descriptors is open on, as the kernel names it.
    static func path(of descriptor: Int32, in pid: Int32) -> String? {
        withPath(pid, "/fd/") { link in
            appendNumber(descriptor, to: link)
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer -> String? in
                let count = curfew_read_link_at(AT_FDCWD, link, buffer.baseAddress, buffer.count)
                guard count > 0 else { return nil }
                return String(
                    decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<Int(count)]),
                    as: UTF8.self)
            }
        }
    }
}
