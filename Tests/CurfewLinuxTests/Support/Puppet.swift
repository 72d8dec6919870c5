import CCurfew
import CurfewLinux
import Glibc
import Testing

/// A Python program that does what it is told, a piece at a time, and has nothing open that it wasn't told to open.
final class Puppet {
    let child: TestChild
    var pid: Int32 { child.pid }

    private static let script = """
        import ctypes, errno, select, signal, socket, termios, tty
        os.closerange(3, 8); os.closerange(9, 1024)
        null = os.open("/dev/null", os.O_RDWR)
        for n in 0, 1, 2: os.dup2(null, n)
        libc = ctypes.CDLL(None, use_errno=True)
        def forked(setup, rest):
            a, b = os.pipe()
            pid = os.fork()
            if pid == 0:
                try:
                    os.close(a); exec(setup, globals()); os.close(b); exec(rest, globals())
                except BaseException as error: say(repr(error))
                finally: os._exit(0)
            os.close(b); os.read(a, 1); os.close(a)
            return pid
        def fill(put):
            try:
                while True: put(b"x" * 65536)
            except BlockingIOError: pass
        def timer(seconds):
            t = libc.timerfd_create(1, 0)
            libc.timerfd_settime(t, 0, struct.pack("llll", 0, 0, 0, int(seconds * 1e9)), None)
            return t
        _rest = b""
        say("ready")
        while True:
            while b"\\n" not in _rest:
                _more = os.read(8, 4096)
                if not _more: os._exit(0)
                _rest += _more
            _line, _rest = _rest.split(b"\\n", 1)
            try:
                exec(_line.decode().replace("\\x1e", "\\n"), globals())
                say("done")
            except BaseException as error: say(repr(error))
        """

    init() throws {
        child = try TestChild(python: Self.script)
        do { try #require(child.line() == "ready") } catch {
            child.end()
            throw error
        }
    }

    /// Has it run this to its end.
    func run(_ python: String) throws {
        say(python)
        try #require(child.line() == "done")
    }

    /// Has it begin with this.
    func say(_ python: String) { child.say(String(python.map { $0 == "\n" ? "\u{1e}" : $0 })) }

    /// What the expression gives.
    func ask(_ expression: String) throws -> String {
        say("say((\(expression)))")
        let answer = try #require(child.line())
        try #require(child.line() == "done", "\(answer)")
        return answer
    }

    func number(_ expression: String) throws -> Int { try #require(Int(try ask(expression))) }

    /// Of an open file of its.
    func inode(_ file: String) throws -> UInt64 { UInt64(try number("os.fstat(\(file).fileno()).st_ino")) }

    /// A child of it that has done the first, and does the second; then the parent does the third.
    func fork(_ setup: String, then rest: String = "signal.pause()", parent: String = "") throws -> Int32 {
        let pid = try number("forked(\(Self.quoted(setup)), \(Self.quoted(rest)))")
        try run(parent)
        return Int32(pid)
    }

    private static func quoted(_ python: String) -> String { "'''\(python)'''" }

    /// The inode of its line to the test.
    var channel: UInt64 {
        var status = curfew_file_status()
        _ = curfew_stat_at(AT_FDCWD, "/proc/\(pid)/fd/8", true, &status)
        return status.inode
    }

    func stop() { Self.stop(pid) }

    static func stop(_ pid: Int32) {
        signal(pid, SIGSTOP)
        #expect(eventually { isStopped(pid) })
    }

    func goOn() { signal(pid, SIGCONT) }
}
