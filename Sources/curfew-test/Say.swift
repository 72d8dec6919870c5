/// Lines for people, and what was asked for.
enum Say {
    static func error(_ line: String) { Files.writeAll(Array((line + "\n").utf8), to: 2) }

    @discardableResult
    static func output(_ text: String) -> Bool { Files.writeAll(Array(text.utf8), to: 1) }
}
