import CCurfew
import Glibc

/// How wide the terminal on standard output is.
enum TerminalWidth {
    /// In columns; nil when standard output is no terminal, or one that doesn't say.
    ///
    /// COLUMNS goes before what the terminal says. Source: ps(1), "COLUMNS"; TIOCGWINSZ(2const).
    static let columns: Int? = {
        guard curfew_is_terminal(1) == 1 else { return nil }
        if let wish = getenv("COLUMNS"), let columns = Int(String(cString: wish)), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }()
}
