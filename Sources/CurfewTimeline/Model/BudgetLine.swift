/// What was left of the background budget over time, from the states and what else is known.
///
/// Each stay in background has the whole budget, which runs down while the app runs there, and stands while it is suspended
/// or a debugger holds it.
struct BudgetLine {
    typealias Sample = AppRun.Sample

    /// The whole budget, nanoseconds.
    let span: Int64
    /// Whether the first band is the run's first: else a stay that it belongs to began at an unknown time.
    let isWhole: Bool
    /// What a status told at some time.
    var told: Sample?
    /// When a debugger came and went.
    var tracing: [(time: Int64, isTraced: Bool)] = []
    /// From when on it was being ended: then no clock of its runs.
    var stops: Int64?

    /// A line for each stay whose budget is known.
    func lines(_ bands: [AppRun.Band]) -> [[Sample]] {
        var lines: [[Sample]] = []
        var index = 0
        while index < bands.count {
            guard Self.isAway(bands[index]) else {
                index += 1
                continue
            }
            let stay = bands[index...].prefix(while: Self.isAway)
            if let line = line(stay, isBegun: index > 0 || isWhole) { lines.append(line) }
            index += stay.count
        }
        return lines
    }

    private static func isAway(_ band: AppRun.Band) -> Bool { band.state == "background" || band.state == "suspended" }

    private func line(_ stay: ArraySlice<AppRun.Band>, isBegun: Bool) -> [Sample]? {
        let pieces = stay.flatMap(pieces)
        guard let first = pieces.first, let last = pieces.last else { return nil }
        guard var left = isBegun ? span : left(at: first.from, pieces, last.to) else { return nil }
        var line = [Sample(time: first.from, value: left)]
        for piece in pieces {
            let length = piece.to - piece.from
            if piece.isRunning, length > left, left > 0 { line.append(Sample(time: piece.from + left, value: 0)) }
            if piece.isRunning { left = max(0, left - length) }
            let end = Sample(time: piece.to, value: left)
            if line.last != end { line.append(end) }
        }
        return line
    }

    /// Of a stay whose beginning isn't known, back from what was told in it.
    private func left(at start: Int64, _ pieces: [Piece], _ end: Int64) -> Int64? {
        guard let told, told.time >= start, told.time <= end else { return nil }
        let used = pieces.filter(\.isRunning).map { max(0, min($0.to, told.time) - $0.from) }.reduce(0, +)
        return min(span, told.value + used)
    }

    private struct Piece {
        var from: Int64
        var to: Int64
        var isRunning: Bool
    }

    /// A band, cut where a debugger comes and goes, and where it begins to be ended.
    private func pieces(_ band: AppRun.Band) -> [Piece] {
        let end = min(band.to, stops ?? band.to)
        guard band.from <= end else { return [] }
        let cuts = tracing.map(\.time).filter { $0 > band.from && $0 < end }
        let edges = [band.from] + cuts + [end]
        return zip(edges, edges.dropFirst()).map { from, to in
            let isTraced = tracing.last { $0.time <= from }?.isTraced ?? false
            return Piece(from: from, to: to, isRunning: band.state == "background" && !isTraced)
        }
    }
}
