import CurfewWire

/// Columns aligned for people; numbers to the right.
struct Table {
    struct Column {
        let title: String
        var isNumber = false
    }

    let columns: [Column]
    var rows: [[String]] = []
    /// The widest line wanted, in columns of a terminal; the last column's cells are cut for it, never to less than
    /// its title. Nil: as wide as it gets.
    var maximumWidth: Int?

    /// `decorate` may add colour to a padded cell: it gets the row's index, -1 for the titles, and the column's.
    func lines(decorate: (Int, Int, String) -> String = { _, _, cell in cell }) -> [String] {
        let all = cut([columns.map(\.title)] + rows.map { $0.map(Printable.text) })
        let widths = columns.indices.map { width(of: $0, all) }
        return all.enumerated().map { row, cells in
            let padded = cells.enumerated().map { column, cell in
                decorate(row - 1, column, pad(cell, column, widths[column]))
            }
            return trimmed(padded.joined(separator: Self.gap))
        }
    }

    private static let gap = "  "

    private func width(of column: Int, _ lines: [[String]]) -> Int { lines.map { $0[column].count }.max() ?? 0 }

    /// The last cells, made to fit; what was cut off is marked.
    private func cut(_ lines: [[String]]) -> [[String]] {
        guard let maximumWidth, let last = columns.indices.last else { return lines }
        let others = columns.indices.dropLast().map { width(of: $0, lines) + Self.gap.count }.reduce(0, +)
        let room = max(columns[last].title.count, maximumWidth - others)
        return lines.map { cells in
            guard cells[last].count > room else { return cells }
            return cells.dropLast() + [String(cells[last].prefix(room - 1)) + "…"]
        }
    }

    private func pad(_ cell: String, _ column: Int, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: width - cell.count)
        return columns[column].isNumber ? blanks + cell : cell + blanks
    }

    private func trimmed(_ line: String) -> String {
        var line = Substring(line)
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
