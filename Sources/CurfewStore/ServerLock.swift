import CCurfew
import CurfewLinux
import Glibc

/// The lock by which a database has one server: an flock on a file beside it, in which its holder's pid stands.
///
/// The kernel takes it away when the holder ends, however it ends. The file stays. Source: flock(2).
struct ServerLock: Sendable {
    private var descriptor: Descriptor

    enum Outcome: Sendable {
        case taken(ServerLock)
        case held(pid: Int32?)
        case failed(KernelError)
    }

    /// Takes the lock, and waits a moment for one whose holder is gone: at most `StoreBounds.lockMilliseconds`.
    ///
    /// What a killed server was just starting has its descriptors, and so the lock, until it executes its program.
    static func take(_ path: String, _ clock: StoreClock) -> Outcome {
        var waited: Int64 = 0
        while true {
            let outcome = take(path)
            guard case .held(let pid?) = outcome, isGone(pid), waited < StoreBounds.lockMilliseconds else {
                return outcome
            }
            clock.pause(Self.pause)
            waited += Self.pause
        }
    }

    /// In milliseconds.
    private static let pause: Int64 = 10

    /// Or about to be: whoever has ended and wasn't waited for yet has nothing any more, or soon.
    private static func isGone(_ pid: Int32) -> Bool {
        if let stat = Procfs.stat(pid) { return stat.isGone }
        return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH
    }

    private static func take(_ path: String) -> Outcome {
        let opened = curfew_open_at(AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { return .failed(KernelError("open", path, errno: -opened)) }
        var descriptor = Descriptor(opened)
        let locked = curfew_flock(opened, false)
        guard locked >= 0 else {
            defer { descriptor.close() }
            guard locked == -EWOULDBLOCK else { return .failed(KernelError("lock", path, errno: -locked)) }
            return .held(pid: holder(opened))
        }
        let line = Array("\(getpid())\n".utf8)
        // For people only: without it the lock holds all the same.
        if ftruncate(opened, 0) == 0 { _ = pwrite(opened, line, line.count, 0) }
        return .taken(ServerLock(descriptor: descriptor))
    }

    /// Those who have a copy of it, until they execute something, haven't it any more either.
    mutating func release() {
        _ = flock(descriptor.number, LOCK_UN)
        descriptor.close()
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = curfew_pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0, let line = buffer.prefix(Int(count)).split(separator: 10).first else { return nil }
        return Int32(String(decoding: line, as: UTF8.self))
    }
}
