import CCurfew
import Glibc

/// What /proc says of a process. Source: proc_pid_stat(5) and its neighbours.
public enum Procfs {
    /// The fields of /proc/PID/stat that are of use here.
    public struct Stat: Sendable, Hashable {
        /// R, S, D, T (stopped), t (held by a tracer), Z, X.
        public var state: UInt8
        public var parent: Int32
        public var processGroup: Int32
        /// Its own, of all its threads.
        public var cpuTicks: UInt64
        /// Of the children it has waited for, and of those that they had. Not of those that end by themselves because it
        /// ignores SIGCHLD. Source: kernel, kernel/exit.c, wait_task_zombie().
        public var waitedCPUTicks: UInt64
        public var threads: Int
        /// In clock ticks since boot; with the pid it names one process for ever.
        public var startTime: UInt64
        public var isSupervisor: Bool
        /// Of `curfew timeout`'s, which has no app.
        public var isTimeoutsSupervisor: Bool
        /// By its name: the reaper of an app below a server.
        public var isReaper: Bool

        /// Whether its descendants are held by it.
        public var holdsOthers: Bool { isSupervisor || isTimeoutsSupervisor }
        public var isStopped: Bool { state == UInt8(ascii: "T") }
        public var isGone: Bool { state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") }
    }

    /// Asks of a process and of each above it in turn, until there is an answer; nil where the line ends without one, or is
    /// seen no further.
    public static func climb(from pid: Int32, _ answer: (Int32, Stat) -> Bool?) -> Bool? {
        var current = pid
        // Parents change while we climb: no line is longer than this.
        for _ in 0..<4096 {
            guard current > 0, let stat = stat(current) else { return nil }
            if let answer = answer(current, stat) { return answer }
            current = stat.parent
        }
        return nil
    }

    /// Nil once the process has been reaped.
    public static func stat(_ pid: Int32) -> Stat? {
        withPath(pid, "/stat") { readStat($0) }
    }

    static func stat(_ pid: Int32, thread: Int32) -> Stat? {
        withPath(pid, "/task/") { path in
            appendNumber(thread, to: path)
            strcat(path, "/stat")
            return readStat(path)
        }
    }

    private static func readStat(_ path: UnsafePointer<CChar>) -> Stat? {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
            let count = curfew_read_file_once_at(AT_FDCWD, path, buffer.baseAddress, 1024)
            guard count > 0 else { return nil }
            return Stat(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
        }
    }

    /// Builds /proc/PID and a suffix on the stack: a String each time would be felt in a walk over 1,000 processes.
    ///
    /// Nil where /proc isn't ours: its numbers are other processes'.
    static func withPath<Result>(
        _ pid: Int32, _ suffix: StaticString, _ body: (UnsafeMutablePointer<CChar>) -> Result?
    ) -> Result? {
        guard isOurs else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let path = buffer.baseAddress else { return nil }
            strcpy(path, "/proc/")
            appendNumber(pid, to: path)
            memcpy(path + strlen(path), suffix.utf8Start, suffix.utf8CodeUnitCount + 1)
            return body(path)
        }
    }

    static func appendNumber(_ number: Int32, to path: UnsafeMutablePointer<CChar>) {
        var digits = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        let end = path + strlen(path)
        end[digits] = 0
        rest = number
        for place in stride(from: digits - 1, through: 0, by: -1) {
            end[place] = CChar(48 + rest % 10)
            rest /= 10
        }
    }

    /// Calls `body` with the id of each thread.
    static func forEachThread(of pid: Int32, _ body: (Int32) -> Void) {
        _ = withPath(pid, "/task") { path -> Void? in
            var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
            guard directory.isOpen else { return nil }
            Directory.forEachName(in: directory.number) { body(Int32(atoi($0))) }
            directory.close()
            return ()
        }
    }

    /// The children that each thread of it has started and not yet reaped.
    ///
    /// Every thread's list must be read: a child hangs on the thread that forked it.
    ///
    /// The list of threads is closed first: this has to do with a single descriptor.
    public static func children(of pid: Int32) -> [Int32] {
        var children: [Int32] = []
        var threads: [Int32] = []
        if isSingleThreaded(pid) { threads.append(pid) } else { forEachThread(of: pid) { threads.append($0) } }
        for thread in threads {
            _ = withPath(pid, "/task/") { path -> Void? in
                appendNumber(thread, to: path)
                strcat(path, "/children")
                appendNumbers(ofFile: path, to: &children)
                return ()
            }
        }
        return children
    }

    /// A directory's links are itself, its name and those below it. Source: kernel, fs/proc/base.c, proc_task_getattr.
    private static func isSingleThreaded(_ pid: Int32) -> Bool {
        var status = curfew_file_status()
        return withPath(pid, "/task") { curfew_stat_at(AT_FDCWD, $0, false, &status) } == 0 && status.link_count == 3
    }

    /// Numbers parted by blanks or newlines, however many.
    static func appendNumbers(
        ofFile path: UnsafePointer<CChar>, at directory: Int32 = AT_FDCWD, to numbers: inout [Int32]
    ) {
        var descriptor = Descriptor(curfew_open_at(directory, path, O_RDONLY, 0))
        guard descriptor.isOpen else { return }
        defer { descriptor.close() }
        appendNumbers(of: descriptor, to: &numbers)
    }

    /// From an open file's start.
    static func appendNumbers(of file: Descriptor, to numbers: inout [Int32]) {
        var value: Int32 = 0
        var isInNumber = false
        var offset: Int64 = 0
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while case let count = curfew_pread(file.number, buffer.baseAddress, 4096, offset), count > 0 {
                offset += Int64(count)
                for byte in buffer[..<Int(count)] {
                    if byte >= 48, byte <= 57 {
                        value = value &* 10 &+ Int32(byte &- 48)
                        isInNumber = true
                    } else if isInNumber {
                        numbers.append(value)
                        value = 0
                        isInNumber = false
                    }
                }
            }
        }
        if isInNumber { numbers.append(value) }
    }

    /// The process that traces it, 0 for none.
    public static func tracer(of pid: Int32) -> Int32 {
        let tracer = withPath(pid, "/status") { path in
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer -> UInt64? in
                let count = curfew_read_file_once_at(AT_FDCWD, path, buffer.baseAddress, 4096)
                guard count > 0 else { return nil }
                return UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]).number(after: "TracerPid:")
            }
        }
        return Int32(truncatingIfNeeded: tracer ?? 0)
    }

    /// Resident anonymous memory in bytes, cheaply: resident less file and shared pages.
    public static func anonymousResident(_ pid: Int32) -> (anonymous: UInt64, resident: UInt64)? {
        withPath(pid, "/statm") { path in
            withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { buffer in
                let count = curfew_read_file_at(AT_FDCWD, path, buffer.baseAddress, 128)
                guard count > 0 else { return nil }
                let text = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
                var index = 0
                guard text.number(at: &index) != nil else { return nil }
                text.skip(32, at: &index)
                guard let resident = text.number(at: &index) else { return nil }
                text.skip(32, at: &index)
                guard let shared = text.number(at: &index) else { return nil }
                let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
                return ((resident &- min(shared, resident)) * page, resident * page)
            }
        }
    }

    /// What a process has that the kernel can't drop, in bytes.
    struct Footprint: Sendable, Hashable {
        /// Anonymous, in memory and in swap.
        var anonymous: UInt64 = 0
        /// Shared memory that it has mapped.
        var shared: UInt64 = 0

        var total: UInt64 { anonymous + shared }
    }

    /// Shared pages in their proportion. Walks every mapping: 0.2 ms at 20 MiB, 7 ms at 500 MiB.
    ///
    /// Of one that may not be looked at, as it isn't dumpable, shared pages are counted in full.
    static func proportionalFootprint(_ pid: Int32) -> Footprint? {
        let footprint = withPath(pid, "/smaps_rollup") { path in
            SmallFile.withContents(of: String(cString: path)) { text in
                let anonymous = (text.number(after: "Pss_Anon:") ?? 0) + (text.number(after: "SwapPss:") ?? 0)
                return Footprint(anonymous: anonymous * 1024, shared: (text.number(after: "Pss_Shmem:") ?? 0) * 1024)
            }
        }
        return footprint ?? fullFootprint(pid)
    }

    /// By its mappings, in memory and in swap, shared pages in their proportion; nil where it may not be looked at.
    static func proportionalMemory(_ pid: Int32) -> (resident: UInt64, swapped: UInt64)? {
        withPath(pid, "/smaps_rollup") { path in
            SmallFile.withContents(of: String(cString: path)) { text in
                let anonymous = text.number(after: "Pss_Anon:") ?? 0
                let shared = text.number(after: "Pss_Shmem:") ?? 0
                let swapped = text.number(after: "SwapPss:") ?? 0
                return ((anonymous + shared) * 1024, swapped * 1024)
            }
        }
    }

    /// What of it is in swap, in bytes, pages shared with others in full; cheap.
    static func swapped(_ pid: Int32) -> UInt64 {
        let kibibytes = withPath(pid, "/status") { path in
            SmallFile.withContents(of: String(cString: path)) { $0.number(after: "VmSwap:") ?? 0 }
        }
        return (kibibytes ?? 0) * 1024
    }

    /// The path in the v2 hierarchy; nil if it is gone or there is none.
    public static func unifiedCgroup(of pid: Int32) -> String? { cgroup(of: pid, "") }

    /// The same in the v1 freezer's.
    static func freezerCgroup(of pid: Int32) -> String? { cgroup(of: pid, "freezer") }

    private static func cgroup(of pid: Int32, _ controller: StaticString) -> String? {
        let bytes = withPath(pid, "/cgroup") { SmallFile.bytes(of: String(cString: $0)) }
        return bytes.flatMap { CgroupMounts.ownPath(controller, in: $0) }
    }

    /// What it waits in, by the kernel's function name; nil if that isn't told.
    public static func waitChannel(_ pid: Int32) -> String? {
        let name = withPath(pid, "/wchan") { SmallFile.bytes(of: String(cString: $0)) }
        guard let name, name != [48], !name.isEmpty else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    public static func commandName(_ pid: Int32) -> String? {
        let name = withPath(pid, "/comm") { SmallFile.bytes(of: String(cString: $0)) }
        return name.map { String(decoding: $0.dropLast(), as: UTF8.self) }
    }

    /// For people: `python3 (4711)`.
    static func label(_ pid: Int32) -> String { "\(commandName(pid) ?? "?") (\(pid))" }
}

extension Procfs.Stat {
    /// Parses `PID (NAME) STATE PPID PGRP …`; the name may hold blanks and brackets.
    init?(_ text: UnsafeRawBufferPointer) {
        guard let open = text.firstIndex(of: 40), let close = text.lastIndex(of: 41), open < close,
            close + 2 < text.count
        else {
            return nil
        }
        let name = UnsafeRawBufferPointer(rebasing: text[(open + 1)..<close])
        isSupervisor = SupervisorName.ofApp.equals(name)
        isTimeoutsSupervisor = SupervisorName.withoutApp.equals(name)
        isReaper = SubreaperImage.name.equals(name)
        state = text[close + 2]
        var fields:
            (
                parent: UInt64, group: UInt64, user: UInt64, system: UInt64, waited: UInt64, threads: UInt64,
                start: UInt64
            ) = (0, 0, 0, 0, 0, 0, 0)
        var index = close + 3
        for field in 4...22 {
            text.skip(32, at: &index)
            if index < text.count, text[index] == 45 { index += 1 }
            guard let value = text.number(at: &index) else { return nil }
            switch field {
            case 4: fields.parent = value
            case 5: fields.group = value
            case 14: fields.user = value
            case 15: fields.system = value
            case 16, 17: fields.waited &+= value
            case 20: fields.threads = value
            case 22: fields.start = value
            default: break
            }
        }
        parent = Int32(truncatingIfNeeded: fields.parent)
        processGroup = Int32(truncatingIfNeeded: fields.group)
        cpuTicks = fields.user &+ fields.system
        waitedCPUTicks = fields.waited
        threads = Int(truncatingIfNeeded: fields.threads)
        startTime = fields.start
    }
}
