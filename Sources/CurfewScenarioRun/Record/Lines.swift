/// A text's lines, whether they end in LF or in CRLF, which Swift takes for one character.
package enum Lines {
    /// Without what ends them; behind the last end is a line too, maybe an empty one.
    package static func split(_ text: some StringProtocol) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
    }
}
