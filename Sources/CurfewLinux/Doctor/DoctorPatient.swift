import CCurfew
import Glibc

/// A program that does nothing, for `Doctor` to try things on. It dies with this process.
struct DoctorPatient {
    let pid: Int32
    let tree: ProcessTree
    private var pidfd: Descriptor
    private var channel: Descriptor
    private var isReaped = false

    /// Under which number it has the descriptor whose lock is looked for.
    static let lockedDescriptor: Int32 = 8

    /// Starts it in that containment, as `curfew run` starts its program.
    init(in containment: Containment) throws(SpawnError) {
        var pair: (Int32, Int32) = (-1, -1)
        let status = withUnsafeMutableBytes(of: &pair) {
            curfew_socketpair($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        if status < 0 { throw SpawnError(stage: .channel, errno: -status) }
        channel = Descriptor(pair.0)
        var childsEnd = Descriptor(pair.1)
        defer { childsEnd.close() }
        // What both have open is locked for both.
        _ = curfew_flock(childsEnd.number, false)
        do throws(SpawnError) {
            (pid, pidfd) = try Self.spawn(in: containment, channel: childsEnd.number)
        } catch {
            channel.close()
            throw error
        }
        tree = ProcessTree(containment: containment, leader: pid, ownGroup: pid, method: .both)
    }

    private static func spawn(in containment: Containment, channel: Int32) throws(SpawnError) -> (Int32, Descriptor) {
        var words = [strdup("sleep"), strdup("60"), nil]
        // Its program is looked for as its environment says, which is to be as ours does.
        var environment = [getenv("PATH").flatMap { strdup("PATH=" + String(cString: $0)) }, nil]
        defer { for word in words + environment { free(word) } }
        let result = words.withUnsafeMutableBufferPointer { words in
            environment.withUnsafeMutableBufferPointer { environment in
                spawn(words.baseAddress, environment.baseAddress, in: containment, channel: channel)
            }
        }
        return try result.get()
    }

    private static func spawn(
        _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
        _ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, in containment: Containment, channel: Int32
    ) -> Result<(Int32, Descriptor), SpawnError> {
        guard let words, let environment else { return .failure(SpawnError(stage: .exec, errno: ENOMEM)) }
        var request = SpawnRequest(arguments: UnsafePointer(words), environment: UnsafePointer(environment))
        request.cgroup = containment.unified?.directory.number ?? -1
        request.joining = containment.joining
        request.hasOwnProcessGroup = true
        request.channel = channel
        request.channelNumber = lockedDescriptor
        request.parentDeathSignal = SIGKILL
        do throws(SpawnError) { return .success(try request.spawn()) } catch { return .failure(error) }
    }

    /// Waits, not for long, until it has started up and sleeps.
    func settle() {
        _ = ShortWait.until { Procfs.stat(pid)?.state == UInt8(ascii: "S") }
    }

    /// Whether it has ended in time; then it is reaped.
    mutating func hasEnded() -> Bool {
        var entry = pollfd(fd: pidfd.number, events: Int16(POLLIN), revents: 0)
        guard !isReaped, poll(&entry, 1, ShortWait.milliseconds) == 1 else { return isReaped }
        var info = curfew_wait_info()
        _ = curfew_waitid(Int32(P_PID.rawValue), pid, WEXITED | WNOHANG, &info)
        isReaped = true
        return true
    }

    /// Ends it however it may be held, and lets go of it. Our own child's pid is its own until it is reaped.
    mutating func end() {
        for _ in 0..<3 {
            if isReaped { break }
            _ = curfew_kill(pid, SIGKILL)
            tree.kill()
            _ = hasEnded()
        }
        pidfd.close()
        channel.close()
    }
}
