/// A value of TOML, with what no key of ours takes lumped together.
enum ManifestValue: Equatable, Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    /// A date, a time, or both; such are refused before they are read.
    case date
    case array([ManifestValue])
    case table([Entry])

    struct Entry: Equatable, Sendable {
        var key: String
        var value: ManifestValue
    }

    /// What it is, for messages.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer, .number: "a number"
        case .boolean(let isTrue): "\(isTrue)"
        case .date: "a date"
        case .array: "an array"
        case .table: "a table"
        }
    }

    /// As a word of a command line; nil for what is none.
    var word: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .boolean, .date, .array, .table: nil
        }
    }
}
