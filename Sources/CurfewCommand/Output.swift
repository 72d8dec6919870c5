import CCurfew
import CurfewEngine
import CurfewWire
import Glibc

/// Standard output, written at one stroke; a reader that has gone ends the program quietly.
public enum Output {
    /// `orExit`: the status where it can't be written.
    public static func print(_ text: String, orExit failure: Int32 = ExitStatus.failure) {
        var text = text + "\n"
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = curfew_write(1, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count == -EPIPE { curfew_exit(0) }
                if count <= 0 { fail(count, failure) }
                written += Int(count)
            }
        }
    }

    private static func fail(_ status: Int32, _ exitStatus: Int32) -> Never {
        StandardError.print("curfew: can't write to standard output: \(String(cString: strerror(-status)))")
        curfew_exit(exitStatus)
    }

    static func print(_ json: JSON, indent: Int? = 2) {
        var bytes: [UInt8] = []
        json.write(into: &bytes, indent: indent)
        print(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether colours help: a terminal, and nobody said no. Source: no-color.org.
    static let hasColours: Bool = {
        guard curfew_is_terminal(1) == 1 else { return false }
        if let wish = getenv("NO_COLOR"), wish[0] != 0 { return false }
        guard let terminal = getenv("TERM") else { return false }
        return strcmp(terminal, "dumb") != 0
    }()

    static func state(_ state: String) -> String {
        guard hasColours else { return state }
        let code =
            switch state {
            case "active", "inactive": "32"
            case "background": "33"
            default: "2"
            }
        return "\u{1b}[\(code)m\(state)\u{1b}[0m"
    }
}
