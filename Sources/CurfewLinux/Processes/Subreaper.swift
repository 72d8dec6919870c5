import CCurfew
import Glibc

/// An app's reaper: the process that its first one is a child of, and its orphans come to, where several apps are below one
/// supervisor and no cgroup tells them apart. See Sources/CCurfew/reaper.c.
///
/// It is a child of ours, so its number is nobody else's until we have reaped it; and it keeps each of its own children, ended,
/// until that is let go.
public struct Subreaper: Sendable, Hashable {
    public let pid: Int32
    /// Readable when it has told something, or is gone.
    public private(set) var channel: Descriptor

    public init(pid: Int32, channel: Descriptor) {
        self.pid = pid
        self.channel = channel
    }

    /// What it tells.
    public enum News: Sendable, Hashable {
        /// One of its children has ended, and is there until it is let go.
        case ended(ChildReport)
        /// One was let go, and no other has ended so far.
        case noOther
        /// It has no child, and will have none.
        case empty
        case nothing
        /// It is gone, or nobody can rely on it any more.
        case gone
    }

    /// One at a time: the next comes once that is let go, and soon.
    public func news() -> News {
        guard channel.isOpen else { return .nothing }
        var news = curfew_reaper_news()
        switch curfew_reaper_read(channel.number, &news) {
        case 0:
            if news.pid == 0 { return .empty }
            if news.pid < 0 { return .noOther }
            guard let change = ChildReport.Change(endCode: news.code, status: news.status) else { return .gone }
            return .ended(ChildReport(pid: news.pid, change: change, cpuMicroseconds: news.cpu_microseconds))
        case -EAGAIN: return .nothing
        default: return .gone
        }
    }

    /// That number may be another's from now on.
    public func letGo(_ pid: Int32) { _ = curfew_reaper_let_go(channel.number, pid) }

    public mutating func closeChannel() { channel.close() }

    /// A pair of ends for its channel, for one that isn't started yet.
    public static func makeChannel() throws(KernelError) -> (ours: Descriptor, reapers: Descriptor) {
        var ends: (Int32, Int32) = (-1, -1)
        let status = withUnsafeMutableBytes(of: &ends) {
            curfew_socketpair($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        if status < 0 { throw KernelError("make", "a reaper's channel", errno: -status) }
        return (Descriptor(ends.0), Descriptor(ends.1))
    }
}

/// What reapers are started from: their program, in a file in memory.
public struct SubreaperImage: Sendable {
    /// What `ps` calls one, as the C layer has it.
    static let name: StaticString = "curfew-reaper"

    public private(set) var file: Descriptor

    /// Throws where it can't be had, or isn't executed: some machines allow no program in such a file.
    public static func make() throws(KernelError) -> SubreaperImage {
        var file = Descriptor(curfew_reaper_image())
        guard file.isOpen else { throw KernelError("make", "the reapers' program", errno: -file.number) }
        do throws(KernelError) {
            try probe(file)
        } catch {
            file.close()
            throw error
        }
        return SubreaperImage(file: file)
    }

    /// One that has nothing to do.
    private static func probe(_ file: Descriptor) throws(KernelError) {
        var (ours, reapers) = try Subreaper.makeChannel()
        defer {
            ours.close()
            reapers.close()
        }
        var reaper = curfew_spawn_reaper(image: file.number, channel: reapers.number)
        var result = curfew_spawn_result()
        let status = withUnsafePointer(to: &reaper) { reaper in
            var request = curfew_spawn_request()
            request.cgroup_fd = -1
            request.terminal_fd = -1
            request.channel_fd = -1
            request.reaper = reaper
            return curfew_spawn(&request, &result, nil)
        }
        if status < 0 { throw KernelError("start", "a reaper", errno: -status) }
        _ = curfew_close(result.pidfd)
        _ = curfew_kill(result.reaper, SIGKILL)
        var end = curfew_wait_info()
        _ = curfew_waitid(Int32(P_PID.rawValue), result.reaper, WEXITED, &end)
    }

    public mutating func close() { file.close() }
}
