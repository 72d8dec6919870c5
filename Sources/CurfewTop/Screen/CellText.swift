import CurfewWire

/// One place of a terminal's line, or two that belong together: a character and the marks on it.
public struct Cell: Sendable, Equatable {
    public let scalars: [Unicode.Scalar]
    /// 1 or 2.
    public let width: Int
}

/// Text as terminals agree on it: whatever they would join, colour or widen each in its own way is taken apart or left out, so
/// that a line is as wide as it was laid out to be.
public enum CellText {
    /// More marks on one character than any language has are no language.
    private static let mostMarks = 3

    /// `isUnicode`: false where only ASCII can be shown; what isn't is a question mark.
    public static func cells(_ text: String, isUnicode: Bool = true) -> [Cell] {
        var cells: [Cell] = []
        for scalar in Printable.text(text).unicodeScalars {
            if scalar.value < 0x7f {
                cells.append(Cell(scalars: [scalar], width: 1))
            } else if !isUnicode {
                if DisplayWidth.of(scalar) > 0 { cells.append(Cell(scalars: ["?"], width: 1)) }
            } else if let letter = letterOfFlag(scalar) {
                cells.append(Cell(scalars: [letter], width: 1))
            } else if !isVariation(scalar) {
                add(scalar, to: &cells)
            }
        }
        return cells
    }

    private static func add(_ scalar: Unicode.Scalar, to cells: inout [Cell]) {
        let width = DisplayWidth.of(scalar)
        if width > 0 {
            cells.append(Cell(scalars: [scalar], width: width))
        } else if scalar.properties.generalCategory != .format, let last = cells.popLast() {
            let isFull = last.scalars.count > mostMarks
            cells.append(Cell(scalars: last.scalars + (isFull ? [] : [scalar]), width: last.width))
        }
    }

    /// Two of these are a flag on some terminals, and letters on others.
    private static func letterOfFlag(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard (0x1f1e6...0x1f1ff).contains(scalar.value) else { return nil }
        return Unicode.Scalar(scalar.value - 0x1f1e6 + 0x41)
    }

    /// Presentation and skin: they change the width of what is before them on some terminals alone.
    private static func isVariation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xfe00...0xfe0f, 0x1f3fb...0x1f3ff, 0xe0100...0xe01ef: true
        default: false
        }
    }

    static func width(_ cells: some Sequence<Cell>) -> Int { cells.reduce(0) { $0 + $1.width } }

    static func text(_ cells: some Sequence<Cell>) -> String {
        var text = String.UnicodeScalarView()
        for cell in cells { text.append(contentsOf: cell.scalars) }
        return String(text)
    }

    /// Exactly so wide: filled up with blanks, or cut, which a mark at the end tells.
    static func fitted(_ text: String, to width: Int, isUnicode: Bool, isNumber: Bool = false) -> String {
        let cut = cut(text, to: width, isUnicode: isUnicode)
        let blanks = String(repeating: " ", count: width - cut.width)
        return isNumber ? blanks + cut.text : cut.text + blanks
    }

    /// At most so wide.
    static func cut(_ text: String, to width: Int, isUnicode: Bool) -> (text: String, width: Int) {
        let cells = cells(text, isUnicode: isUnicode)
        let whole = Self.width(cells)
        if whole <= width { return (Self.text(cells), whole) }
        let mark = isUnicode ? "…" : "~"
        guard width > 0 else { return ("", 0) }
        var kept: [Cell] = []
        var used = 1
        for cell in cells {
            if used + cell.width > width { break }
            used += cell.width
            kept.append(cell)
        }
        return (Self.text(kept) + mark, used)
    }
}
