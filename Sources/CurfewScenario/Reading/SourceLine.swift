/// A line as it stands in a file, without what ends it.
struct SourceLine {
    /// From 1.
    let number: Int
    let scalars: [Unicode.Scalar]
    /// Of each scalar, where a character may be made of several.
    private let columns: [Int]?

    init(number: Int, _ scalars: [Unicode.Scalar]) {
        self.number = number
        self.scalars = scalars
        columns = scalars.allSatisfy { $0.isASCII } ? nil : SourceLine.columns(scalars)
    }

    /// `offset` counts scalars, and may be that of the end.
    func position(_ offset: Int) -> Position {
        guard let columns else { return Position(line: number, column: offset + 1) }
        return Position(line: number, column: offset < columns.count ? columns[offset] : (columns.last ?? 0) + 1)
    }

    private static func columns(_ scalars: [Unicode.Scalar]) -> [Int] {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        var columns: [Int] = []
        for (index, character) in String(text).enumerated() {
            for _ in character.unicodeScalars { columns.append(index + 1) }
        }
        return columns
    }

    /// The lines of a file; a mark of the byte order at its front isn't part of them.
    static func lines(of text: String) -> [SourceLine] {
        var lines: [SourceLine] = []
        var current: [Unicode.Scalar] = []
        var isFirst = true
        for scalar in text.unicodeScalars {
            defer { isFirst = false }
            if isFirst, scalar == "\u{feff}" { continue }
            guard scalar == "\n" else {
                current.append(scalar)
                continue
            }
            lines.append(SourceLine(number: lines.count + 1, withoutReturn(current)))
            current.removeAll(keepingCapacity: true)
        }
        if !current.isEmpty { lines.append(SourceLine(number: lines.count + 1, withoutReturn(current))) }
        return lines
    }

    private static func withoutReturn(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        scalars.last == "\r" ? Array(scalars.dropLast()) : scalars
    }
}
