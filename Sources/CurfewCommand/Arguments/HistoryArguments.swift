import CurfewWire

/// `curfew history [NAME]`, read.
enum HistoryArguments {
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> RequestArguments {
        try RequestArguments(reader) { common throws(BadValue) in
            let limit = try common.checked("--limit", HistoryLimit.read).map { [Field("limit", String($0))] } ?? []
            return Message(common.verb, [Field("id", "1")] + limit)
        }
    }
}

/// How many runs are told of at most; a server keeps no more.
package enum HistoryLimit {
    package static let range = 1...100_000
    package static let accepted = "a number from 1 to 100000"

    /// Throws for what is no such number.
    package static func read(_ text: String) throws(BadValue) -> Int {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), range.contains(number) else {
            throw BadValue(text, isNot: accepted)
        }
        return number
    }
}
