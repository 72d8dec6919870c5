import CurfewEngine

/// Finds the report that is meant by an id, the beginning of one, an app's name or `last`.
package struct ReportLookup {
    static let last = "last"

    package enum Answer: Equatable {
        case found(ReportStore.Entry)
        case none
        case several([String])
    }

    /// `entries`: the newest first.
    package static func find(_ word: String, among entries: [ReportStore.Entry]) -> Answer {
        if let match = entries.first(where: { $0.id.text == word }) { return .found(match) }
        if word == last, let newest = entries.first { return .found(newest) }
        if let newest = entries.first(where: { $0.id.app == word }) { return .found(newest) }
        let matches = word.isEmpty ? [] : entries.filter { $0.id.text.hasPrefix(word) }
        guard let match = matches.first else { return .none }
        return matches.count == 1 ? .found(match) : .several(matches.map(\.id.text))
    }

    /// Such as "a, b, c and 4 more".
    package static func listed(_ ids: [String]) -> String {
        ids.prefix(3).joined(separator: ", ") + (ids.count > 3 ? " and \(ids.count - 3) more" : "")
    }
}
