/// The bands as a picture can show them: what is narrower than a pixel is drawn together with its neighbours.
struct BandColumns {
    /// One band, or those that fall into one pixel.
    struct Column: Equatable {
        var bands: ArraySlice<AppRun.Band>
        var x: Double
        var width: Double

        /// Narrower than a pixel is a single one between two that are wide.
        var isSliver: Bool { width < 1 }
    }

    /// How much of a column is a state's, in the order of the legend.
    struct Share: Equatable {
        var state: String
        /// Of 1.
        var share: Double
    }

    private(set) var columns: [Column] = []

    init(_ bands: ArraySlice<AppRun.Band>, _ scale: TimeScale) {
        var start = bands.startIndex
        func column(_ range: Range<Int>) -> Column {
            let x = scale.x(bands[range.lowerBound].from)
            return Column(bands: bands[range], x: x, width: scale.x(bands[range.upperBound - 1].to) - x)
        }
        for (index, band) in zip(bands.indices, bands) {
            let isWide = scale.x(band.to) - scale.x(band.from) >= 1
            if isWide, start < index { columns.append(column(start..<index)) }
            if isWide { start = index }
            guard isWide || scale.x(band.to) - scale.x(bands[start].from) >= 1 else { continue }
            columns.append(column(start..<index + 1))
            start = index + 1
        }
        if start < bands.endIndex { columns.append(column(start..<bands.endIndex)) }
    }

    /// Each state that is in it, however short, with its share of the time.
    static func shares(_ bands: ArraySlice<AppRun.Band>) -> [Share] {
        var lengths: [String: Int64] = [:]
        for band in bands { lengths[Palette.known(band.state), default: 0] += band.to - band.from }
        let all = lengths.values.reduce(0, +)
        return Palette.states.compactMap { state in
            lengths[state].map {
                Share(state: state, share: all > 0 ? Double($0) / Double(all) : 1 / Double(lengths.count))
            }
        }
    }
}
