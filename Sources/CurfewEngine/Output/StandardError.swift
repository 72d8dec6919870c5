import CCurfew
import CurfewWire

/// Lines for people on standard error, each written at one stroke, and shown as `Printable` has them: much of what
/// they tell was named by the app.
public enum StandardError {
    public static func print(_ line: String) { write(Printable.text(line) + "\n") }

    /// Several that belong together.
    public static func print(lines: [String]) { write(lines.map { Printable.text($0) + "\n" }.joined()) }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = curfew_write(2, $0.baseAddress, $0.count) }
    }
}
