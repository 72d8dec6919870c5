import CurfewEngine

/// Finds the report that is meant by an id, the beginning of one, an app's name or `last`.
package struct ReportLookup {
    static let last = "last"

    package enum Answer: Equatable {
        case found(StoredReport)
        case none
        case several([String])
    }

    /// `reports`: the newest first.
    package static func find(_ word: String, among reports: [StoredReport]) -> Answer {
        if let match = reports.first(where: { $0.id.text == word }) { return .found(match) }
        if word == last, let newest = reports.first { return .found(newest) }
        if let newest = reports.first(where: { $0.id.app == word }) { return .found(newest) }
        let matches = word.isEmpty ? [] : reports.filter { $0.id.text.hasPrefix(word) }
        guard let match = matches.first else { return .none }
        return matches.count == 1 ? .found(match) : .several(matches.map(\.id.text))
    }

    /// Such as "a, b, c and 4 more".
    package static func listed(_ ids: [String]) -> String {
        ids.prefix(3).joined(separator: ", ") + (ids.count > 3 ? " and \(ids.count - 3) more" : "")
    }
}
