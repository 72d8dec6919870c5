import CCurfew
import Glibc

/// Where the threads of a tree wait, and how much its processes have read and written: the same before a stop and after it,
/// unless something of it has run in between and was stopped before it came to rest again.
///
/// A stop interrupts a system call and leaves its number, its arguments and its place. What isn't seen is a thread that was
/// handed something by recvmsg(2) and its like, whose bytes nobody counts, and was stopped before it has left that call.
/// Source: proc_pid_syscall(5); proc_pid_io(5), rchar and wchar.
public struct RestingPlaces: Sendable, Equatable {
    private var places: [Int32: Place] = [:]
    private var moved: UInt64 = 0

    private enum Place: Sendable, Hashable {
        case call([UInt8])
        case running
        /// It may not be looked at.
        case unknown
    }

    /// Of very many threads the first.
    static let mostThreads = 64

    /// One that runs is at no place, not even at the same.
    public static func == (one: RestingPlaces, other: RestingPlaces) -> Bool {
        one.moved == other.moved && one.places == other.places && !one.places.values.contains(.running)
    }

    init(of pids: [Int32]) { for pid in pids { add(pid) } }

    private mutating func add(_ pid: Int32) {
        guard places.count < Self.mostThreads else { return }
        moved &+= Procfs.bytesMoved(by: pid)
        Procfs.forEachThread(of: pid) { thread in
            if places.count < Self.mostThreads { places[thread] = Self.place(of: thread, in: pid) }
        }
    }

    private static func place(of thread: Int32, in pid: Int32) -> Place {
        let text = Procfs.withSystemCall(of: thread, in: pid) { Array($0) }
        guard let text else { return .unknown }
        // `running`, or -1 for one that was stopped elsewhere than in a system call.
        return text.starts(with: "running".utf8) || text.starts(with: "-1 ".utf8) ? .running : .call(text)
    }
}

extension ProcessTree {
    /// Some 10 µs for each thread.
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
}
