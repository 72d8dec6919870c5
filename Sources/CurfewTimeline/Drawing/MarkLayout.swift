/// Which marks are drawn and which of them are named, so that no label lies upon another, or on another's line.
struct MarkLayout {
    struct Drawn: Equatable {
        /// The most important of those at this place.
        var index: Int
        var x: Double
        /// Those that are at the same place too.
        var others: [Int] = []
        /// The row of its label below the line, 0 the nearest; nil for a mark without one.
        var row: Int?
        var label = ""
        /// Its label ends at it, for it stands near the right edge.
        var isLeftOf = false
    }

    static let rows = 6
    /// Marks that are nearer than this, in pixels, are drawn as one.
    static let least = 3.0

    private(set) var drawn: [Drawn] = []

    init(_ marks: [AppRun.Mark], _ scale: TimeScale) {
        gather(marks, scale)
        place(marks, scale)
    }

    var named: Int { drawn.filter { $0.row != nil }.count }
    var usedRows: Int { (drawn.compactMap(\.row).max() ?? -1) + 1 }

    private mutating func gather(_ marks: [AppRun.Mark], _ scale: TimeScale) {
        for (index, mark) in marks.enumerated() {
            let x = scale.x(mark.time)
            guard let last = drawn.indices.last, x - drawn[last].x < Self.least else {
                drawn.append(Drawn(index: index, x: x))
                continue
            }
            if mark.rank < marks[drawn[last].index].rank {
                drawn[last].others.append(drawn[last].index)
                drawn[last].index = index
            } else {
                drawn[last].others.append(index)
            }
        }
    }

    /// A label's place, and the line that leads to it through the rows above.
    private struct Taken {
        var row: Int
        var from: Double
        var to: Double
        var stem: Double
    }

    /// All of them in their order, or where something important were left without a name, that first.
    private mutating func place(_ marks: [AppRun.Mark], _ scale: TimeScale) {
        let inOrder = order(drawn.indices, marks, scale)
        var taken = Self.places(inOrder)
        let important = inOrder.filter { $0.isImportant }
        if important.contains(where: { taken[$0.index] == nil }) {
            taken = Self.places(important + inOrder.filter { !$0.isImportant })
        }
        for wish in inOrder {
            guard let place = taken[wish.index] else { continue }
            drawn[wish.index].row = place.row
            drawn[wish.index].label = wish.label
            drawn[wish.index].isLeftOf = place.to < place.stem
        }
    }

    /// What is to be placed where there is room for it.
    private struct Wish {
        var index: Int
        var label: String
        var x: Double
        var right: Double
        var isImportant: Bool
    }

    /// From right to left, so that no line has to cross a label; those whose label stands to their left the other way.
    private func order(_ indices: Range<Int>, _ marks: [AppRun.Mark], _ scale: TimeScale) -> [Wish] {
        let wishes = indices.map { index in
            Wish(
                index: index, label: label(drawn[index], marks), x: drawn[index].x, right: scale.right,
                isImportant: marks[drawn[index].index].rank <= .warning)
        }
        return wishes.filter { !Self.isLeftOf($0) }.reversed() + wishes.filter(Self.isLeftOf)
    }

    private static func isLeftOf(_ wish: Wish) -> Bool { wish.x + 4 + TextWidth.of(wish.label) > wish.right + 16 }

    private static func places(_ wishes: [Wish]) -> [Int: Taken] {
        var taken: [Int: Taken] = [:]
        for wish in wishes where taken.count < rows * 24 {
            if let place = free(wish, Array(taken.values)) { taken[wish.index] = place }
        }
        return taken
    }

    private func label(_ drawn: Drawn, _ marks: [AppRun.Mark]) -> String {
        let label = TextWidth.cut(marks[drawn.index].label, to: 220)
        return drawn.others.isEmpty ? label : "\(label) +\(drawn.others.count)"
    }

    private static func free(_ wish: Wish, _ taken: [Taken]) -> Taken? {
        let width = TextWidth.of(wish.label)
        let from = isLeftOf(wish) ? wish.x - 4 - width : wish.x + 4
        if from < 0 { return nil }
        return (0..<rows).lazy.map { Taken(row: $0, from: from, to: from + width, stem: wish.x) }.first { place in
            taken.allSatisfy { !isOver(place, $0) }
        }
    }

    private static func isOver(_ one: Taken, _ other: Taken) -> Bool {
        if one.row == other.row {
            let left = min(other.from, other.stem), right = max(other.to, other.stem)
            return min(one.from, one.stem) < right + 6 && max(one.to, one.stem) > left - 6
        }
        let (near, far) = one.row < other.row ? (one, other) : (other, one)
        return far.stem > near.from - 3 && far.stem < near.to + 3
    }
}
