import CCurfew
import Glibc

/// The socket that an app's `NOTIFY_SOCKET` names, for what sd_notify(3) sends.
///
/// Its name is abstract: no file to be made and removed, and anybody of the same network namespace may send to it.
public struct NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`, such as "@0a3f2".
    public let name: String
    public private(set) var descriptor: Descriptor

    /// What `receive` found.
    public enum Received: Sendable {
        /// One datagram of `count` bytes, 0 included, and who sent it, as the kernel says; pid 0 when it can't.
        case datagram(count: Int, from: curfew_sender)
        /// One that didn't fit, and is gone.
        case tooLong(from: curfew_sender)
        case nothing
        case failed(KernelError)
    }

    private static let roomForName = 16

    /// Makes one, bound and ready to receive.
    public static func make() throws(KernelError) -> NotifySocket {
        var name = ""
        let made = withUnsafeTemporaryAllocation(of: CChar.self, capacity: roomForName) { room -> Int32 in
            guard let base = room.baseAddress else { return -ENOMEM }
            let made = curfew_notify_socket(base, roomForName)
            if made >= 0 { name = String(cString: base) }
            return made
        }
        try check(made, "make", "a socket for NOTIFY_SOCKET")
        return NotifySocket(name: name, descriptor: Descriptor(made))
    }

    /// Takes the next datagram, and closes the descriptors that came with it.
    ///
    /// That tells the sender of `BARRIER=1` that all before is dealt with: deal with each before taking the next.
    public func receive(into buffer: UnsafeMutableRawBufferPointer) -> Received {
        var sender = curfew_sender()
        let count = curfew_notify_receive(descriptor.number, buffer.baseAddress, buffer.count, &sender)
        switch count {
        case 0...: return .datagram(count: Int(count), from: sender)
        case -EMSGSIZE: return .tooLong(from: sender)
        case -EAGAIN, -EINTR: return .nothing
        default: return .failed(KernelError("receive from", name, errno: -count))
        }
    }

    public mutating func close() { descriptor.close() }
}
