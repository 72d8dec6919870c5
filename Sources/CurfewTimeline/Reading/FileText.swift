/// A file's lines, with their numbers.
struct FileText {
    private let lines: [ArraySlice<UInt8>]
    /// The last line has no line feed.
    let isCut: Bool

    init(_ bytes: [UInt8]) {
        isCut = bytes.last != 10
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        if !isCut { lines.removeLast() }
        self.lines = lines
    }

    var count: Int { lines.count }

    var numbered: some Sequence<(number: Int, line: [UInt8])> {
        lines.lazy.enumerated().map { (number: $0.offset + 1, line: [UInt8]($0.element)) }
    }

    /// The first that says something.
    var first: [UInt8] { lines.first { ![UInt8]($0).isBlank }.map { [UInt8]($0) } ?? [] }
}

extension [UInt8] {
    /// Blanks, tabs and the end of a line from elsewhere.
    var isBlank: Bool { allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 } }
}
