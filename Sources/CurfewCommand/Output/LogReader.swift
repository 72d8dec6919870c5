import CurfewEngine

/// Cuts a log file into the app's output and Curfew's marks, piece by piece.
struct LogReader {
    /// Some of the output, and the mark that it stands behind; or a mark.
    enum Piece: Equatable {
        /// A line, or where one is long a part of it; with its line feed, if there is one.
        case output([UInt8], LogMark?)
        case mark(LogMark)
    }

    /// The last mark.
    private var mark: LogMark?
    private var rest: [UInt8] = []
    /// Where `rest` begins in the file.
    private var offset: Int64 = 0
    /// A part of the line was given out: what follows is no mark.
    private var isWithinLine = false

    /// How much has been read of the file.
    var position: Int64 { offset + Int64(rest.count) }

    /// Another file, or the same from its beginning: what is behind the last mark goes on.
    mutating func beginFile() {
        offset = 0
        rest = []
        isWithinLine = false
    }

    /// What the next bytes of the file bring.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Piece] {
        rest += bytes
        var pieces: [Piece] = []
        var start = 0
        while let end = rest[start...].firstIndex(of: 10) {
            pieces.append(piece(rest[start...end], at: offset + Int64(start)))
            start = end + 1
            isWithinLine = false
        }
        advance(to: start)
        // Longer than any mark, or the rest of such a line.
        if !rest.isEmpty, isWithinLine || rest.count > LogMark.maximumBytes { pieces += flush() }
        return pieces
    }

    /// What has no line feed yet.
    mutating func flush() -> [Piece] {
        guard !rest.isEmpty else { return [] }
        let output = Piece.output(rest, mark)
        advance(to: rest.count)
        isWithinLine = true
        return [output]
    }

    private mutating func piece(_ line: ArraySlice<UInt8>, at offset: Int64) -> Piece {
        guard !isWithinLine, let mark = LogMark(line: line, at: offset) else { return .output(Array(line), mark) }
        self.mark = mark
        return .mark(mark)
    }

    private mutating func advance(to count: Int) {
        rest.removeFirst(count)
        offset += Int64(count)
    }
}
