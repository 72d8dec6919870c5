/// A terminal that knows what a progress line needs of one: line feed, carriage return, and erasing up to the end of the line.
struct Screen {
    private(set) var lines: [[Character]] = [[]]
    private var column = 0
    /// The widest that a line ever was.
    private(set) var widest = 0

    init(_ text: String) {
        var rest = Substring(text)
        while !rest.isEmpty {
            if rest.hasPrefix("\u{1b}[K") {
                rest = rest.dropFirst(3)
                lines[lines.count - 1].removeLast(max(0, lines[lines.count - 1].count - column))
            } else {
                put(rest.removeFirst())
            }
        }
    }

    private mutating func put(_ character: Character) {
        switch character {
        case "\n":
            lines.append([])
            column = 0
        case "\r": column = 0
        default:
            if column < lines[lines.count - 1].count {
                lines[lines.count - 1][column] = character
            } else {
                lines[lines.count - 1].append(character)
            }
            column += 1
            widest = max(widest, column)
        }
    }

    var text: String { lines.map { String($0) }.joined(separator: "\n") }
}
