import CCurfew
import Glibc

/// A socket, or a pipe without a name: what can be told from the numbers of a file alone.
struct EpollTarget: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case socket, pipe }

    var kind: Kind
    var inode: UInt64
}

extension EpollTarget {
    /// Those of what an epoll waits for, by its file in fdinfo: `tfd: NUMBER events: … data: … pos:… ino:INODE sdev:DEVICE`,
    /// both hexadecimal, the device as the kernel numbers it. Source: proc_pid_fdinfo(5); kernel, fs/eventpoll.c,
    /// ep_show_fdinfo().
    static func all(in text: UnsafeRawBufferPointer, sockets: UInt64, pipes: UInt64) -> [EpollTarget] {
        var targets: [EpollTarget] = []
        for line in text.split(separator: 10) {
            let line = UnsafeRawBufferPointer(rebasing: line)
            guard line.starts(with: "tfd:".utf8), let inode = line.hexadecimal(behind: " ino:"),
                let device = line.hexadecimal(behind: " sdev:")
            else { continue }
            let status = MemoryFiles.device(device >> 20, device & 0xfffff)
            if status == sockets {
                targets.append(EpollTarget(kind: .socket, inode: inode))
            } else if status == pipes {
                targets.append(EpollTarget(kind: .pipe, inode: inode))
            }
        }
        return targets
    }

    /// The devices of all sockets, and of all pipes without a name; 0, which is none, where no such file can be made.
    static let devices: (sockets: UInt64, pipes: UInt64) = {
        var pair: [Int32] = [-1, -1]
        _ = pair.withUnsafeMutableBufferPointer { curfew_socketpair($0.baseAddress) }
        let sockets = deviceOfFirst(pair)
        pair = [-1, -1]
        _ = pipe(&pair)
        return (sockets, deviceOfFirst(pair))
    }()

    /// Closes both.
    private static func deviceOfFirst(_ pair: [Int32]) -> UInt64 {
        var status = curfew_file_status()
        let isKnown = pair[0] >= 0 && curfew_fstat(pair[0], &status) == 0
        for var descriptor in pair.map({ Descriptor($0) }) { descriptor.close() }
        return isKnown ? status.device : 0
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func hexadecimal(behind key: StaticString) -> UInt64? {
        let length = key.utf8CodeUnitCount
        guard let baseAddress, count >= length else { return nil }
        let start = (0...count - length).first { memcmp(baseAddress + $0, key.utf8Start, length) == 0 }
        guard var index = start.map({ $0 + length }) else { return nil }
        return hexadecimal(at: &index)
    }
}
