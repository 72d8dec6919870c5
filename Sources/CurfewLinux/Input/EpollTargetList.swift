import CCurfew

/// What one epoll waits for, to be read in pieces.
///
/// With the first the kernel writes all of it, some 0.7 µs for each, and keeps it for those that follow. Source: kernel,
/// fs/seq_file.c, seq_read_iter(); the time was measured.
struct EpollTargetList {
    /// Of processes with more descriptors no list is read: how long one is isn't known before, and writing it can't be parted.
    /// So many take the kernel 8 ms, 19,000 take it 23.
    static let mostDescriptors = 12_000

    let pid: Int32
    private var file: Descriptor
    private var piece = [UInt8](repeating: 0, count: SmallFile.bufferSize)
    /// How much of that is a line's beginning.
    private var used = 0
    /// Why it couldn't be read to its end; 0 where it was.
    private(set) var failure: Int32 = 0

    /// `file`: the epoll's in fdinfo.
    init(of pid: Int32, _ file: Descriptor) {
        self.pid = pid
        self.file = file
    }

    /// A piece more; nil once there is none, and closed.
    mutating func next() -> [EpollTarget]? {
        let start = used
        let count = piece.withUnsafeMutableBytes { room in
            Int(curfew_read(file.number, room.baseAddress.map { $0 + start }, room.count - start))
        }
        guard count > 0 else {
            if count < 0 { failure = Int32(truncatingIfNeeded: -count) }
            close()
            return nil
        }
        let read = piece[..<(start + count)]
        // A line has some 100 bytes.
        let lines = read.prefix((read.lastIndex(of: 10) ?? read.endIndex - 1) + 1)
        let devices = EpollTarget.devices
        let targets = lines.withUnsafeBytes {
            EpollTarget.all(in: $0, sockets: devices.sockets, pipes: devices.pipes)
        }
        used = read.count - lines.count
        piece.replaceSubrange(..<used, with: read.suffix(used))
        return targets
    }

    mutating func close() { file.close() }
}
