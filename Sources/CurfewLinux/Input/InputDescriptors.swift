import CCurfew
import Glibc

/// The descriptors of one process, to be looked at one after the other.
struct InputDescriptors {
    let pid: Int32
    private var process: Descriptor
    /// /proc/PID/fd.
    private var directory: Descriptor
    private var numbers: [Int32] = []
    private var next = 0
    /// Why no duplicates are to be had, above zero; 0: they are.
    private(set) var refusal: Int32

    /// What the link of a descriptor tells of it. Source: proc_pid_fd(5).
    enum Link: Hashable {
        case socket(inode: UInt64)
        case pipe(inode: UInt64)
        case timer, inotify, ring, epoll
        case path
        case other
    }

    /// - Throws: why they can't be listed; ESRCH where the process is gone.
    init(of pid: Int32, refusal: Int32 = 0) throws(KernelError) {
        self.pid = pid
        self.refusal = refusal
        process = Descriptor(curfew_pidfd_open(pid))
        directory = .none
        if !process.isOpen { try refuse(-process.number) }
        let opened = Procfs.withPath(pid, "/fd") { curfew_open_at(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY, 0) }
        directory = Descriptor(opened ?? -ESRCH)
        guard directory.isOpen else { throw failed(-directory.number) }
        var numbers: [Int32] = []
        if !Directory.forEachName(in: directory.number, { numbers.append(atoi($0)) }) { throw failed(ESRCH) }
        self.numbers = numbers
    }

    private func error(_ errno: Int32) -> KernelError { KernelError("list descriptors", "of \(pid)", errno: errno) }

    /// Without a pidfd there are no duplicates; but what is gone has none to be missed.
    private mutating func refuse(_ errno: Int32) throws(KernelError) {
        // Before Linux 6.9 the second says that it isn't a process any more.
        if errno == ESRCH || errno == EINVAL { throw error(ESRCH) }
        if !Self.isRefusal(errno) { throw error(errno) }
        refusal = errno
    }

    private mutating func failed(_ errno: Int32) -> KernelError {
        close()
        let isGone = errno == ENOENT || Procfs.stat(pid)?.isGone ?? true
        return error(isGone ? ESRCH : errno)
    }

    mutating func close() {
        process.close()
        directory.close()
    }

    /// How many it has.
    var count: Int { numbers.count }

    mutating func nextNumber() -> Int32? {
        guard next < numbers.count else { return nil }
        next += 1
        return numbers[next - 1]
    }

    /// No more are looked at.
    mutating func end() { next = numbers.count }

    // MARK: One of them

    private func withName<Result>(_ number: Int32, _ body: (UnsafeMutablePointer<CChar>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { room in
            guard let name = room.baseAddress else { preconditionFailure("a buffer without a place") }
            name[0] = 0
            Procfs.appendNumber(number, to: name)
            return body(name)
        }
    }

    func link(_ number: Int32) -> Link {
        withName(number) { name in
            withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { room in
                let length = curfew_read_link_at(directory.number, name, room.baseAddress, room.count)
                return Self.link(UnsafeRawBufferPointer(rebasing: room[..<Int(max(0, length))]))
            }
        }
    }

    static func link(_ text: UnsafeRawBufferPointer) -> Link {
        if text.first == UInt8(ascii: "/") { return .path }
        if let inode = text.inode(after: "socket:[") { return .socket(inode: inode) }
        if let inode = text.inode(after: "pipe:[") { return .pipe(inode: inode) }
        return switch String(decoding: text, as: UTF8.self) {
        case "anon_inode:[timerfd]": .timer
        case "anon_inode:inotify", "anon_inode:[inotify]": .inotify
        case "anon_inode:[io_uring]": .ring
        case "anon_inode:[eventpoll]": .epoll
        default: .other
        }
    }

    /// How it is open, which the mode of the link tells. Neither: O_PATH, or closed by now.
    func access(_ number: Int32) -> (reads: Bool, writes: Bool) {
        var status = curfew_file_status()
        guard withName(number, { curfew_stat_at(directory.number, $0, false, &status) }) == 0 else {
            return (false, false)
        }
        return (status.mode & S_IRUSR != 0, status.mode & S_IWUSR != 0)
    }

    /// The file that it leads to; to be asked of this machine's own only.
    func status(_ number: Int32) -> curfew_file_status? {
        var status = curfew_file_status()
        return withName(number) { curfew_stat_locally_at(directory.number, $0, &status) } == 0 ? status : nil
    }

    func mount(_ number: Int32) -> UInt64? { withName(number) { MemoryFiles.mount(of: $0, in: pid) } }

    func path(_ number: Int32) -> String { Procfs.link(of: number, in: pid) ?? "" }

    /// How many files an io_uring has of its own. Source: kernel, io_uring/fdinfo.c.
    func registeredFiles(_ number: Int32) -> UInt64 {
        let count = Procfs.withPath(pid, "/fdinfo/") { path -> UInt64? in
            Procfs.appendNumber(number, to: path)
            return SmallFile.withContents(of: String(cString: path)) { $0.number(after: "UserFiles:") } ?? nil
        }
        return count ?? 0
    }

    func targets(ofEpoll number: Int32) -> EpollTargetList {
        let opened = Procfs.withPath(pid, "/fdinfo/") { path in
            Procfs.appendNumber(number, to: path)
            return curfew_open_at(AT_FDCWD, path, O_RDONLY, 0)
        }
        return EpollTargetList(of: pid, Descriptor(opened ?? -ESRCH))
    }

    // MARK: Having it

    /// A duplicate of it, or -errno. Once they are refused, none is asked for any more.
    mutating func duplicate(_ number: Int32) -> Descriptor {
        if refusal != 0 { return Descriptor(-refusal) }
        let result = curfew_pidfd_getfd(process.number, number)
        if result < 0, Self.isRefusal(-result) { refusal = -result }
        return Descriptor(result)
    }

    /// The file anew, to be read, or -errno. Only for terminals and pipes: of them nothing is taken by that.
    func reopened(_ number: Int32) -> Descriptor {
        Descriptor(withName(number) { curfew_open_at(directory.number, $0, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0) })
    }

    private static func isRefusal(_ errno: Int32) -> Bool { errno == EACCES || KernelError.isRefusal(-errno) }
}

extension UnsafeRawBufferPointer {
    /// The number between `[` and `]` behind what the text begins with.
    fileprivate func inode(after start: StaticString) -> UInt64? {
        let length = start.utf8CodeUnitCount
        guard count > length, let baseAddress, memcmp(baseAddress, start.utf8Start, length) == 0 else { return nil }
        var index = length
        return number(at: &index)
    }
}
