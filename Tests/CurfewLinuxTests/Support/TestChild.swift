import CCurfew
import CurfewLinux
import Glibc
import Testing

/// A real program with a line to the test: what it writes to descriptor 8 can be read here, and its reads of 8 end
/// when the test lets go of it.
///
/// Waits for this child only, since others run at the same time.
final class TestChild {
    let pid: Int32
    private var pidfd: Descriptor
    private var channel: Descriptor
    private var isReaped = false
    /// Readable once it has ended.
    var pidfdNumber: Int32 { pidfd.number }

    /// What a shell does to say that it is there and stay until it is let go.
    static let stay = "echo ready >&8; read line <&8"

    init(_ arguments: [String], _ configure: (inout SpawnRequest) -> Void = { _ in }) throws {
        var pair: [Int32] = [-1, -1]
        _ = pair.withUnsafeMutableBufferPointer { curfew_socketpair($0.baseAddress) }
        channel = Descriptor(pair[0])
        var childsEnd = Descriptor(pair[1])
        defer { childsEnd.close() }
        do {
            (pid, pidfd) = try spawn(arguments) { request in
                request.hasOwnProcessGroup = true
                request.channel = pair[1]
                request.channelNumber = 8
                configure(&request)
            }
        } catch {
            channel.close()
            throw error
        }
    }

    convenience init(shell script: String, _ configure: (inout SpawnRequest) -> Void = { _ in }) throws {
        try self.init(["/bin/sh", "-c", script], configure)
    }

    /// The next line it has written; nil when none comes in time, or nobody is left to write one.
    func line() -> String? {
        var bytes: [UInt8] = []
        while isReadable(channel.number) {
            var byte: UInt8 = 0
            guard curfew_read(channel.number, &byte, 1) == 1 else { return nil }
            if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// The number in its next line.
    func number() -> Int32? { line().flatMap { Int32($0) } }

    /// A line for one of its reads.
    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { curfew_send(channel.number, $0.baseAddress, $0.count) }
    }

    /// How it ended; nil when it doesn't in time.
    func wait() -> ChildReport.Change? {
        guard !isReaped, isReadable(pidfd.number) else { return nil }
        var info = curfew_wait_info()
        guard curfew_waitid(Int32(P_PID.rawValue), pid, WEXITED | WNOHANG, &info) == 0, info.pid == pid else {
            return nil
        }
        isReaped = true
        let isExit = info.code == Int32(CLD_EXITED)
        return isExit
            ? .exited(code: UInt8(truncatingIfNeeded: info.status))
            : .killed(signal: info.status, dumpedCore: info.code == Int32(CLD_DUMPED))
    }

    /// Ends it and its process group; what has left the group is let go.
    func end() {
        channel.close()
        if !isReaped {
            if pid > 1 { _ = curfew_kill(-pid, SIGKILL) }
            signal(pid, SIGKILL)
            _ = wait()
        }
        pidfd.close()
    }

    /// For the child of another, who ends and reaps it: nothing of it is waited for here.
    func letGo() {
        channel.close()
        pidfd.close()
    }
}

/// Starts a program with an environment of its own.
func spawn(_ arguments: [String], _ configure: (inout SpawnRequest) -> Void = { _ in }) throws -> (Int32, Descriptor) {
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), nil]
    defer { for word in words + environment { free(word) } }
    return try words.withUnsafeMutableBufferPointer { words in
        try environment.withUnsafeMutableBufferPointer { environment in
            guard let words = words.baseAddress, let environment = environment.baseAddress else { return (-1, .none) }
            var request = SpawnRequest(arguments: UnsafePointer(words), environment: UnsafePointer(environment))
            configure(&request)
            return try request.spawn()
        }
    }
}

/// A signal to one process; never to all, as kill(2) would do for a number that a test got wrong.
func signal(_ pid: Int32, _ signal: Int32) {
    if pid > 1 { _ = curfew_kill(pid, signal) } else { Issue.record("a signal to \(pid)") }
}

/// No process has this pid: the kernel's highest is 2^22. Source: proc_sys_kernel(5), pid_max.
let nobody: Int32 = 2_000_000_000

/// The letter of a process's state; `?` when it is gone.
func state(_ pid: Int32) -> Character {
    Procfs.stat(pid).map { Character(UnicodeScalar($0.state)) } ?? "?"
}

func isStopped(_ pid: Int32) -> Bool { state(pid) == "T" }
