import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// Has notifications shown by a process of its own, as hooks are run.
final class DesktopRunner {
    private(set) var descriptor: Descriptor

    /// Forks it; to be called before this process becomes a subreaper. Nil where that fails: nothing is shown then.
    static func start(callersMask: UInt64) -> DesktopRunner? {
        let process = OutsideProcess(name: DesktopProcess.name)
        let descriptor = try? process.start { DesktopProcess(socket: $0, callersMask: callersMask).serve() }
        return descriptor.map { DesktopRunner($0) }
    }

    /// `descriptor`: leads to that process, or to a test.
    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    func wait(in loop: EventLoop) { loop.add(descriptor, EventLoop.Kind.desktop.token()) }

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
