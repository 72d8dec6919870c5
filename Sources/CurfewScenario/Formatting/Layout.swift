/// The lines of a file as they are to stand.
struct Layout {
    private var rows: [Row] = []

    private struct Row {
        var text: String
        /// Behind a statement, and the column that it stood in.
        var comment: (text: String, column: Int)?

        var isEmpty: Bool { text.isEmpty && comment == nil }
        /// Where a comment stands at the earliest. Counted together: some characters join with the blank behind them.
        var width: Int { (text + Layout.gap).count }
    }

    private static let gap = "  "

    mutating func take(_ line: LogicalLine) {
        if line.words.isEmpty {
            let text = line.comment?.text ?? ""
            if !text.isEmpty || rows.last?.isEmpty == false { rows.append(Row(text: text)) }
            return
        }
        var text = ""
        for word in line.words {
            if !text.isEmpty { text += word.beginsLine ? " \\\n    " : " " }
            text += word.raw
        }
        rows += text.split(separator: "\n", omittingEmptySubsequences: false).map { Row(text: String($0)) }
        if let comment = line.comment { rows[rows.count - 1].comment = (comment.text, comment.position.column) }
    }

    /// The file.
    var text: String {
        var text = ""
        for block in rows.split(whereSeparator: \.isEmpty) {
            if !text.isEmpty { text += "\n" }
            let columns = Layout.columns(block)
            for row in block { text += Layout.line(row, columns) + "\n" }
        }
        return text
    }

    private static func line(_ row: Row, _ columns: [Int: Int]) -> String {
        guard let comment = row.comment else { return row.text }
        let blanks = max(0, (columns[comment.column] ?? 0) - row.width)
        return row.text + gap + String(repeating: " ", count: blanks) + comment.text
    }

    /// Where the comments of a block that stood in a column stand now: right of the longest of their lines.
    private static func columns(_ block: ArraySlice<Row>) -> [Int: Int] {
        var columns: [Int: Int] = [:]
        for row in block {
            guard let comment = row.comment else { continue }
            columns[comment.column] = max(columns[comment.column] ?? 0, row.width)
        }
        return columns
    }
}
