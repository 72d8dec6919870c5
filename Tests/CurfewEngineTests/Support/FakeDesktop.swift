import CurfewLinux
import CurfewWire
import Glibc

@testable import CurfewEngine

/// The process that shows a server's notifications, as that sees it: what came to be shown is read, and a test says what becomes of it.
final class FakeDesktop {
    private var descriptor: Descriptor
    /// The server closes it once it has heard of our end.
    private var servers: Descriptor

    init(of host: ServeHost) {
        var ends: [Int32] = [-1, -1]
        _ = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        descriptor = Descriptor(ends[0])
        servers = Descriptor(ends[1])
        let runner = DesktopRunner(servers)
        host.desk.desktop = runner
        runner.wait(in: host.loop)
    }

    deinit {
        if descriptor.isOpen { servers.close() }
        descriptor.close()
    }

    /// What has come since.
    func read() -> [Message] {
        var packet = [UInt8](repeating: 0, count: 64 * 1024)
        var messages: [Message] = []
        while case let count = recv(descriptor.number, &packet, packet.count, Int32(MSG_DONTWAIT)), count > 0 {
            if let message = try? Message.parse(Array(packet[..<count])) { messages.append(message) }
        }
        return messages
    }

    func shown() -> [DesktopNotice] { read().compactMap { DesktopNotice($0) } }

    func answer(_ answer: DesktopAnswer) {
        var bytes: [UInt8] = []
        answer.message.encode(into: &bytes)
        _ = send(descriptor.number, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    /// It is killed.
    func die() { descriptor.close() }
}
