import CurfewLinux
import Glibc

@testable import CurfewCommand

/// The other end of a client's channel: what it answers is written beforehand, in order, and what it was asked is read
/// afterwards. A client asks one thing at a time, so it can't tell.
final class ScriptedSupervisor {
    private let mine: Int32
    private let clients: Int32

    /// `isOver`: it closes the channel behind these lines.
    init(_ answers: [String], isOver: Bool = false) {
        var pair: [Int32] = [-1, -1]
        _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        (mine, clients) = (pair[0], pair[1])
        let text = answers.map { $0 + "\n" }.joined()
        _ = send(mine, text, text.utf8.count, 0)
        if isOver { shutdown(mine, Int32(SHUT_WR)) }
    }

    deinit {
        close(mine)
        close(clients)
    }

    /// `app`: the name of a server's app that the client is about.
    func client(of app: String? = nil) -> ControlClient { ControlClient(connected: Descriptor(clients), app: app) }

    /// The lines that the client has sent.
    var requests: [String] {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(mine, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
