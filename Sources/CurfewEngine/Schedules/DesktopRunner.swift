import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// Has notifications shown by a process of its own, as hooks are run: docs/adr/0004-events-outside-the-channel.md.
///
/// That process is a child of the front: were it the server's, what it starts would count as an app's.
final class DesktopRunner {
    private var descriptor: Descriptor

    /// Forks it; to be called before this process becomes a subreaper. Nil where that fails: nothing is shown then.
    static func start(callersMask: UInt64) -> DesktopRunner? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        // Orphaned at once, it goes to the front.
        let middle = curfew_fork(SIGCHLD)
        if middle == 0 {
            close(ends[0])
            if curfew_fork(SIGCHLD) != 0 { curfew_exit(0) }
            DesktopProcess(socket: ends[1], callersMask: callersMask).serve()
        }
        close(ends[1])
        guard middle > 0 else {
            close(ends[0])
            return nil
        }
        var info = curfew_wait_info()
        while curfew_waitid(Int32(P_PID.rawValue), middle, WEXITED, &info) == -EINTR {}
        return DesktopRunner(Descriptor(ends[0]))
    }

    private init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    func wait(in loop: EventLoop) { loop.add(descriptor, EventLoop.Source.desktop.token()) }

    /// False where it can't take it.
    func show(_ notice: DesktopNotice, _ environment: [(key: String, value: String)]) -> Bool {
        var bytes: [UInt8] = []
        notice.message(environment).encodeWhole(into: &bytes)
        return send(descriptor.number, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) == bytes.count
    }

    /// So many at most; more make the descriptor readable again. Nil: the process is gone.
    func takeAnswers() -> [DesktopAnswer]? {
        var answers: [DesktopAnswer] = []
        var packet = [UInt8](repeating: 0, count: LineReader.maximumLineBytes)
        for _ in 0..<64 {
            let count = recv(descriptor.number, &packet, packet.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return answers }
            guard count > 0 else {
                descriptor.close()
                return answers.isEmpty ? nil : answers
            }
            if let answer = (try? Message.parse(Array(packet[..<count]))).flatMap(DesktopAnswer.init) {
                answers.append(answer)
            }
        }
        return answers
    }
}
