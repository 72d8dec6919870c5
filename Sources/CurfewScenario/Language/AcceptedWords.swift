/// The words that are accepted somewhere; too many to stand in a sentence.
public struct AcceptedWords: Sendable, Hashable {
    public let words: [String]

    public init(_ words: [String]) { self.words = words }

    private static let title = "accepted:"
    private static let indentation = "    "
    private static let width = 96

    /// A sentence with them behind it, in the same line.
    func sentence(behind sentence: String) -> String {
        if words.isEmpty { return sentence }
        return sentence + (sentence.hasSuffix("?") ? " " : "; ") + "\(Self.title) \(words.joined(separator: ", "))"
    }

    /// Below a sentence: a few lines, which no terminal breaks.
    var lines: [String] {
        let parts = words.dropLast().map { $0 + "," } + words.suffix(1)
        let filled = parts.reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + word.count < Self.width - Self.indentation.count {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(lines.isEmpty ? Self.title + " " + word : Self.continuation + word)
            }
        }
        return filled.map { Self.indentation + $0 }
    }

    private static let continuation = String(repeating: " ", count: title.count + 1)
}
