import CurfewWire

/// Which scenarios `--only TEXT` chooses: those that any of the texts fits.
///
/// A text with `*` (any characters) or `?` (one) must fit the whole of FILE, NAME or FILE:NAME, each but FILE with its values too, as
/// `FILE:NAME [size=1]`; any other must stand somewhere in FILE:NAME, or in the name as reports have it. Case counts.
public struct Selection: Sendable, Hashable {
    public var texts: [String]

    public init(_ texts: [String]) { self.texts = texts }

    /// Those that are chosen, in their order; all where no text was given.
    /// - Throws: where one of the texts chooses none, with the nearest names.
    public func chosen(of all: [ScenarioID]) throws(OptionProblem) -> [ScenarioID] {
        if texts.isEmpty { return all }
        var isChosen = [Bool](repeating: false, count: all.count)
        for text in texts {
            let found = all.indices.filter { Selection.fits(text, all[$0]) }
            guard !found.isEmpty else { throw Selection.problem(text, all) }
            for index in found { isChosen[index] = true }
        }
        return zip(all, isChosen).filter(\.1).map(\.0)
    }

    private static func fits(_ text: String, _ id: ScenarioID) -> Bool {
        let values = id.values.isEmpty ? "" : " [" + id.values.joined(separator: " ") + "]"
        let whole = "\(id.file):\(id.name)\(values)"
        guard text.contains(where: { $0 == "*" || $0 == "?" }) else {
            return whole.contains(text) || id.title.contains(text)
        }
        let names = [id.file, id.name, id.name + values, "\(id.file):\(id.name)", whole]
        return names.contains { Glob.fits(text, $0) }
    }
}

// Nothing chosen.
extension Selection {
    private static let shown = 3

    private static func problem(_ text: String, _ all: [ScenarioID]) -> OptionProblem {
        let nearest = nearest(to: text, all)
        let many = all.count == 1 ? "1 scenario" : "\(all.count) scenarios"
        let start = "--only \"\(Printable.text(text))\" chooses none of \(many)"
        if nearest.isEmpty { return OptionProblem(start) }
        return OptionProblem("\(start); the nearest: \(nearest.joined(separator: ", "))")
    }

    /// The names that take the fewest changes to be the text; of those that take the same, by name.
    private static func nearest(to text: String, _ all: [ScenarioID]) -> [String] {
        var names: [String: Int] = [:]
        for id in all {
            let name = Printable.text("\(id.file):\(id.name)")
            let distances = [id.name, id.file, "\(id.file):\(id.name)"].map { EditDistance.between(text, $0) }
            names[name] = distances.min() ?? 0
        }
        let sorted = names.sorted { $0.value != $1.value ? $0.value < $1.value : $0.key < $1.key }
        return sorted.prefix(shown).map(\.key)
    }
}

/// Patterns with `*` and `?`.
enum Glob {
    /// Whether all of a text fits; in time that grows with the product of both lengths at most.
    static func fits(_ pattern: String, _ text: String) -> Bool {
        let pattern = Array(pattern)
        let text = Array(text)
        var (p, t) = (0, 0)
        /// After the last `*`, and where what it stands for ends as yet.
        var retry: (p: Int, t: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == "*" {
                p += 1
                retry = (p, t)
            } else if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
                (p, t) = (p + 1, t + 1)
            } else if let last = retry {
                retry = (last.p, last.t + 1)
                (p, t) = (last.p, last.t + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }
}

/// How many characters are to be changed, put in or taken out to make one text of another.
///
/// Source: Wagner, Fischer, "The String-to-String Correction Problem", 1974.
enum EditDistance {
    /// What is longer is compared by its beginning.
    private static let most = 200

    static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left.prefix(most))
        let right = Array(right.prefix(most))
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let changed = diagonal + (character == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
