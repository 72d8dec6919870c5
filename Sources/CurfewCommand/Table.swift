/// Columns aligned for people; numbers to the right.
struct Table {
    struct Column {
        let title: String
        var isNumber = false
    }

    let columns: [Column]
    var rows: [[String]] = []

    /// `decorate` may add colour to a padded cell: it gets the row's index, -1 for the titles, and the column's.
    func text(decorate: (Int, Int, String) -> String = { _, _, cell in cell }) -> String {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.enumerated().map { row, cells in
            let padded = cells.enumerated().map { column, cell in
                decorate(row - 1, column, pad(cell, column, widths[column]))
            }
            return trimmed(padded.joined(separator: "  "))
        }.joined(separator: "\n")
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
