import CCurfew
import Glibc

/// Where the threads of a tree wait, and what its processes have taken so far, by which it is told whether anything of it has
/// run until it was stopped.
///
/// A stop interrupts a system call and leaves its number, its arguments and its place. One that is where it was can have been
/// given something just then, for a call that takes input looks for that before it looks for signals. Of read(2) the bytes
/// tell; of recvmsg(2) and its like what the connection has had, if it is one of TCP; of accept(2) how many descriptors there
/// are. Who takes from other sockets by recvmsg(2), or by an io_uring, isn't seen; nor on arm64 anybody who moves no bytes: its kernel
/// forgets the call of who is stopped (arch/arm64/kernel/signal.c, do_signal()). Dropped: how often each thread has had a processor, once for
/// a stop; where processors are scarce it is more often, and the app never slept.
/// Source: proc_pid_syscall(5); proc_pid_io(5), rchar and wchar; kernel, net/ipv4/tcp.c, tcp_recvmsg_locked().
public struct RestingPlaces: Sendable {
    private var places: [Int32: Place] = [:]
    private var moved: UInt64 = 0
    /// How many descriptors may still be counted.
    private var countable = Self.mostDescriptors

    private enum Place: Sendable, Hashable {
        /// `taken`: what it has taken by that call, if it takes any.
        case call([UInt8], taken: Int)
        case running
        /// It may not be looked at.
        case unknown
    }

    /// Of very many threads the first.
    static let mostThreads = 64
    /// Of more none are counted: each takes a microsecond and more.
    static let mostDescriptors = 4_096

    init(of pids: [Int32]) { for pid in pids { add(pid) } }

    private mutating func add(_ pid: Int32) {
        guard places.count < Self.mostThreads else { return }
        moved &+= Procfs.bytesMoved(by: pid)
        // All threads of a process have the same.
        var descriptors: Int?
        Procfs.forEachThread(of: pid) { thread in
            if places.count < Self.mostThreads { places[thread] = place(of: thread, in: pid, &descriptors) }
        }
    }

    /// Whether something has run since, and more than to be stopped. Of what is stopped now.
    public func hasRun(since earlier: RestingPlaces) -> Bool {
        moved != earlier.moved || places != earlier.places || places.values.contains(.running)
    }

    private mutating func place(of thread: Int32, in pid: Int32, _ descriptors: inout Int?) -> Place {
        #if arch(arm64)
            return .unknown
        #else
            guard let text = Procfs.withSystemCall(of: thread, in: pid, { Array($0) }) else { return .unknown }
            // Who was stopped elsewhere than in a system call, and who has ended, has a place, too: -1 and where that is.
            if text.starts(with: "running".utf8) { return .running }
            let call = text.withUnsafeBytes { SleepingCall($0) }
            return .call(text, taken: call.map { taken(by: $0, in: pid, &descriptors) } ?? 0)
        #endif
    }

    private mutating func taken(by call: SleepingCall, in pid: Int32, _ descriptors: inout Int?) -> Int {
        switch curfew_taking_call(call.number) {
        case CURFEW_TAKES_DATA: return Self.bytesTaken(by: Int32(truncatingIfNeeded: call.arguments[0]), in: pid)
        case CURFEW_TAKES_CONNECTIONS:
            let count = descriptors ?? Procfs.descriptorCount(of: pid, upTo: countable)
            if descriptors == nil { countable -= count ?? countable }
            descriptors = count ?? 0
            return count ?? 0
        default: return 0
        }
    }

    /// What has come by a connection, without what waits there to be read.
    private static func bytesTaken(by descriptor: Int32, in pid: Int32) -> Int {
        var process = Descriptor(curfew_pidfd_open(pid))
        defer { process.close() }
        var duplicate = Descriptor(curfew_pidfd_getfd(process.number, descriptor))
        defer { duplicate.close() }
        let received = duplicate.isOpen ? curfew_tcp_received(duplicate.number) : -1
        return received < 0 ? 0 : Int(received) - Int(max(0, curfew_unread(duplicate.number)))
    }
}

extension ProcessTree {
    /// Some 15 µs for each thread.
    public var restingPlaces: RestingPlaces { RestingPlaces(of: processes()) }
}

extension Procfs {
    /// What is told of the system call that a thread is in; nil where it may not be looked at. Source: proc_pid_syscall(5).
    static func withSystemCall<Result>(
        of thread: Int32, in pid: Int32, _ body: (UnsafeRawBufferPointer) -> Result?
    ) -> Result? {
        withPath(pid, "/task/") { path -> Result? in
            appendNumber(thread, to: path)
            strcat(path, "/syscall")
            return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
                let count = curfew_read_file_once_at(AT_FDCWD, path, buffer.baseAddress, buffer.count)
                guard count > 0 else { return nil }
                return body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
            }
        }
    }

    /// Bytes read and written; none where it may not be looked at.
    fileprivate static func bytesMoved(by pid: Int32) -> UInt64 {
        withPath(pid, "/io") { path in
            SmallFile.withContents(of: String(cString: path)) { text in
                (text.number(after: "rchar:") ?? 0) &+ (text.number(after: "wchar:") ?? 0)
            }
        } ?? 0
    }

    /// How many descriptors a process has open; nil for more than `most`. By their names: the size of the folder has one that
    /// accept(2) keeps free, too. Source: kernel, fs/proc/fd.c, proc_fd_getattr(); net/socket.c, __sys_accept4_file().
    fileprivate static func descriptorCount(of pid: Int32, upTo most: Int) -> Int? {
        withPath(pid, "/fd") { path -> Int? in
            var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
            defer { directory.close() }
            return directory.isOpen ? Directory.nameCount(in: directory.number, upTo: most) : nil
        }
    }
}
