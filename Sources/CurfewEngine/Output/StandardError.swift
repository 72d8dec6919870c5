import CCurfew
import CurfewWire
import Glibc

/// Lines for people on standard error, each written at one stroke, and shown as `Printable` has them: much of what
/// they tell was named by the app.
public enum StandardError {
    public static func print(_ line: String) { write(Printable.text(line) + "\n") }

    /// False where whoever reads it has no room for a line just now: a pipe that is full, a terminal that was stopped.
    ///
    /// Source: pipe(7), PIPE_BUF: a pipe that can be written to takes 4096 bytes.
    static func printIfTaken(_ line: String) -> Bool {
        var waiting = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, 0) != 0 else { return false }
        print(line)
        return true
    }

    /// Several that belong together.
    public static func print(lines: [String]) { write(lines.map { Printable.text($0) + "\n" }.joined()) }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = curfew_write(2, $0.baseAddress, $0.count) }
    }
}
