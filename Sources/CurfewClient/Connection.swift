import Glibc

/// One stream socket to the supervisor: lines out from any thread, bytes in on the thread that reads.
///
/// It works the same on a descriptor that blocks and on one that doesn't: an inherited one belongs to others too.
final class Connection: Sendable {
    /// Whether other processes hold the same socket: then it can't be shut down, only left.
    let isShared: Bool
    /// For the reading thread, which alone closes it.
    private let number: Int32
    /// For all who write; -1 once it is closed, so that nobody writes to whoever gets the number next.
    private let writable: Monitor<Int32>

    /// How many seconds of running a supervisor may leave a full socket unread.
    private static let patience = 10

    /// Takes over a connected descriptor.
    init(owning descriptor: Int32, isShared: Bool) {
        self.isShared = isShared
        number = descriptor
        writable = Monitor(descriptor)
        ForkGuard.add(descriptor)
    }

    /// Writes all bytes, in one piece among other threads'; false when the other end is gone or doesn't read.
    func send(_ bytes: [UInt8]) -> Bool {
        writable.withLock { descriptor in
            guard descriptor >= 0 else { return false }
            return bytes.withUnsafeBytes { Connection.sendAll($0, to: descriptor) }
        }
    }

    private static func sendAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = UnsafeRawBufferPointer(rebasing: rest)
            let sent = Glibc.send(descriptor, chunk.baseAddress, chunk.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else {
                guard errno == EINTR || (errno == EAGAIN && waitUntilWritable(descriptor)) else { return false }
            }
        }
        return true
    }

    private static func waitUntilWritable(_ descriptor: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var patience = Patience(seconds: patience)
        while let milliseconds = patience.milliseconds() {
            let ready = poll(&waiting, 1, milliseconds)
            if ready > 0 { return true }
            if ready < 0 && errno != EINTR { return false }
        }
        return false
    }

    /// Waits for bytes and reads some; 0 at the end, whatever ended it. For the reading thread.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, -1) < 0 && errno != EINTR { return 0 }
            let count = recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count >= 0 { return count }
            // Another process may have been quicker to read from a shared one.
            guard errno == EAGAIN || errno == EINTR else { return 0 }
        }
    }

    /// Ends both directions, and so wakes the reading thread; a shared one stays.
    func shutDown() {
        guard !isShared else { return }
        writable.withLock { descriptor in
            if descriptor >= 0 { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// For the reading thread, when it has done.
    func close() {
        writable.withLock { descriptor in
            guard descriptor >= 0 else { return }
            ForkGuard.remove(descriptor)
            Glibc.close(descriptor)
            descriptor = -1
        }
    }
}
