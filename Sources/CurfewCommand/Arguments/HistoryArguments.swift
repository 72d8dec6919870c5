import CurfewWire

/// `curfew history [NAME]`, read.
struct HistoryArguments {
    /// What `VerbArguments` reads of any verb; its operand, where there is one, is the app.
    let common: VerbArguments
    let request: Message

    static func parse(_ reader: ArgumentReader) throws(UsageError) -> HistoryArguments {
        let common = try VerbArguments(reader)
        do throws(BadValue) {
            var fields = [Field("id", "1")]
            if let limit = try common.checked("--limit", HistoryLimit.read) {
                fields.append(Field("limit", String(limit)))
            }
            return HistoryArguments(common: common, request: Message(common.verb, fields))
        } catch {
            throw reader.error(error.problem)
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
