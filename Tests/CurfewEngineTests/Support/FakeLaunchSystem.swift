import CurfewLinux
import Glibc

@testable import CurfewEngine

/// A machine for launches that fails on demand, and writes down what it was asked for.
final class FakeLaunchSystem: LaunchSystem {
    private(set) var asked: [String] = []
    private(set) var request: SpawnRequest?
    private(set) var channel: (ours: Int32, childs: Int32) = (-1, -1)
    /// The inode of the channel's pipe, which stays its own: a number that was closed may be anybody's a moment later.
    private(set) var channelPipe: UInt?
    var isThere = true
    var channelError: Int32 = 0
    var spawnError: SpawnError?
    var reaper: Int32 = 0

    var isAwaited: Bool {
        asked.append("awaited?")
        return isThere
    }

    func makeChannel() throws(KernelError) -> (ours: Int32, childs: Int32) {
        asked.append("channel")
        if channelError != 0 { throw KernelError("make", "the control pipe", errno: channelError) }
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        channel = (ends[0], ends[1])
        channelPipe = Self.inode(ends[0])
        return channel
    }

    /// Those of the channel's two ends that are open.
    var openEnds: [Int32] {
        [channel.ours, channel.childs].filter { channelPipe != nil && Self.inode($0) == channelPipe }
    }

    private static func inode(_ descriptor: Int32) -> UInt? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    func spawn(_ request: SpawnRequest) throws(SpawnError) -> (pid: Int32, pidfd: Descriptor, reaper: Int32) {
        asked.append("spawn")
        self.request = request
        if let spawnError { throw spawnError }
        return (7, Descriptor.none, reaper)
    }
}
