import CCurfew
import CurfewEngine
import CurfewWire
import Glibc

/// Standard output, written at one stroke; a reader that has gone ends the program quietly.
///
/// Lines are shown as `Printable` has them, but for colours: much of what they tell was named by an app.
public enum Output {
    /// `orExit`: the status where it can't be written.
    public static func print(_ line: String, orExit failure: Int32 = ExitStatus.failure) {
        write(Printable.text(line), orExit: failure)
    }

    package static func print(lines: [String]) { write(lines.map(Printable.text).joined(separator: "\n")) }

    /// Lines with colours of ours, in which whatever isn't ours is shown so already: it could have such colours too.
    static func print(coloured lines: [String]) { write(lines.map(fit).joined(separator: "\n")) }

    /// What is all our own, or for programs: it has line feeds, and is left as it is.
    public static func print(document: String, orExit failure: Int32 = ExitStatus.failure) {
        write(document, orExit: failure)
    }

    /// What an app has written: as it is, but for a terminal, which would do what it says.
    static func print(bytes: [UInt8]) {
        if curfew_is_terminal(1) == 1 {
            let hasEnded = bytes.last == 10
            let text = Printable.text(String(decoding: hasEnded ? bytes.dropLast() : bytes[...], as: UTF8.self))
            write(bytes: Array((text + (hasEnded ? "\n" : "")).utf8)[...])
        } else {
            write(bytes: bytes[...])
        }
    }

    private static func write(bytes: ArraySlice<UInt8>, orExit failure: Int32 = ExitStatus.failure) {
        bytes.withUnsafeBufferPointer { bytes in
            var written = 0
            while written < bytes.count {
                let count = curfew_write(1, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count == -EPIPE { curfew_exit(0) }
                if count <= 0 { fail(count, failure) }
                written += Int(count)
            }
        }
    }

    private static func write(_ text: String, orExit failure: Int32 = ExitStatus.failure) {
        write(bytes: Array((text + "\n").utf8)[...], orExit: failure)
    }

    private static func fail(_ status: Int32, _ exitStatus: Int32) -> Never {
        StandardError.print("curfew: can't write to standard output: \(String(cString: strerror(-status)))")
        curfew_exit(exitStatus)
    }

    package static func print(_ json: JSON, indent: Int? = 2) {
        var bytes: [UInt8] = []
        json.write(into: &bytes, indent: indent)
        write(String(decoding: bytes, as: UTF8.self))
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
        let colour: Colour =
            switch state {
            case "active", "inactive": .green
            case "background": .yellow
            default: .faint
            }
        return colour.text(Printable.text(state))
    }

    enum Colour: String, CaseIterable {
        case none = "\u{1b}[0m"
        case red = "\u{1b}[31m"
        case green = "\u{1b}[32m"
        case yellow = "\u{1b}[33m"
        case faint = "\u{1b}[2m"

        func text(_ text: String) -> String { rawValue + text + Self.none.rawValue }
    }

    /// Nothing but colours reaches the terminal that isn't text.
    static func fit(_ line: String) -> String {
        var result = ""
        var rest = Substring(line)
        while let escape = rest.unicodeScalars.firstIndex(of: "\u{1b}") {
            guard let colour = Colour.allCases.first(where: { rest[escape...].hasPrefix($0.rawValue) }) else { break }
            result += Printable.text(String(rest[..<escape])) + colour.rawValue
            rest = rest[escape...].dropFirst(colour.rawValue.count)
        }
        return result + Printable.text(String(rest))
    }
}
