import CCurfew
import CurfewLinux
import Glibc
import Testing

/// A child that does nothing, and a stopped one of its own that has very many sockets.
struct SocketHolder {
    let pid: Int32

    static let python = "/usr/bin/python3"
    static let hasPython = SmallFile.withContents(of: python) { _ in true } ?? false
    /// Whether we may have so many ourselves.
    static let hasRoom = DescriptorLimit.raised().count > 1_300

    /// `pairs`: of two each.
    init(pairs: Int) throws {
        let script = """
            import os, resource, signal, socket
            if os.fork() == 0:
                most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
                held = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(\(pairs))]
                os.kill(os.getpid(), signal.SIGSTOP)
                os._exit(0)
            if os.WIFSTOPPED(os.waitpid(-1, os.WUNTRACED)[1]): os.kill(os.getpid(), signal.SIGSTOP)
            """
        var pid: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(Self.python), strdup("-c"), strdup(script), nil]
        defer { for word in words { free(word) } }
        try #require(posix_spawn(&pid, Self.python, nil, nil, &words, environ) == 0)
        self.pid = pid
        do { try #require(change() == Int32(CLD_STOPPED)) } catch {
            end()
            throw error
        }
    }

    /// What becomes of it first; nil where nothing does in half a minute.
    private func change() -> Int32? {
        var info = curfew_wait_info()
        for _ in 0..<30_000 {
            _ = curfew_waitid(Int32(P_PID.rawValue), pid, WSTOPPED | WEXITED | WNOWAIT | WNOHANG, &info)
            if info.pid == pid { return info.code }
            usleep(1_000)  // a moment, then it is asked again
        }
        return nil
    }

    func end() {
        for child in ProcessTree.descendants(of: pid) { _ = curfew_kill(child, SIGKILL) }
        _ = curfew_kill(pid, SIGKILL)
        var info = curfew_wait_info()
        _ = curfew_waitid(Int32(P_PID.rawValue), pid, WEXITED, &info)
    }
}
