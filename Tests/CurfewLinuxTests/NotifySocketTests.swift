import CCurfew
import CurfewLinux
import Glibc
import Testing

@Suite("The socket for sd_notify")
struct NotifySocketTests {
    /// A socket connected to the name, as sd_notify(3) makes it.
    private func connect(to name: String) -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: [0] + Array(name.utf8.dropFirst()))
        }
        let fd = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
        let connected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(fd, $0, length) }
        }
        #expect(connected == 0, "\(name): \(String(cString: strerror(errno)))")
        return Descriptor(fd)
    }

    private func send(_ text: String, by sender: Descriptor) {
        var text = text
        #expect(text.withUTF8 { Glibc.send(sender.number, $0.baseAddress, $0.count, 0) } == text.utf8.count)
    }

    /// What the socket has, in words, with room for so many bytes.
    private func receive(_ socket: NotifySocket, room: Int = 16) -> String {
        withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
            switch socket.receive(into: buffer) {
            case .datagram(let count, let sender): "\(String(decoding: buffer[..<count], as: UTF8.self)) \(sender.pid)"
            case .tooLong(let sender): "too long \(sender.pid)"
            case .nothing: "nothing"
            case .failed(let error): error.text
            }
        }
    }

    @Test("Datagrams come one by one, each with its sender, until there is none")
    func datagrams() throws {
        var socket = try NotifySocket.make()
        defer { socket.close() }
        var sender = connect(to: socket.name)
        defer { sender.close() }
        #expect(receive(socket) == "nothing")
        send("READY=1", by: sender)
        send("", by: sender)
        send("STATUS=0123456789", by: sender)
        send("0123456789abcdef", by: sender)
        #expect(isReadable(socket.descriptor.number))
        #expect(receive(socket) == "READY=1 \(getpid())")
        #expect(receive(socket) == " \(getpid())")
        #expect(receive(socket) == "too long \(getpid())")
        #expect(receive(socket) == "0123456789abcdef \(getpid())")
        #expect(receive(socket) == "nothing")
    }

    @Test("Each has a name of its own")
    func names() throws {
        var sockets = try (0..<10).map { _ in try NotifySocket.make() }
        defer { for index in sockets.indices { sockets[index].close() } }
        #expect(Set(sockets.map(\.name)).count == 10)
        #expect(sockets.allSatisfy { $0.name.hasPrefix("@") && $0.name.utf8.count == 6 })
    }

    @Test("What fails is told")
    func failure() throws {
        var socket = try NotifySocket.make()
        let name = socket.name
        socket.close()
        #expect(!socket.descriptor.isOpen)
        #expect(receive(socket) == "receive from \(name): Bad file descriptor")
    }
}
