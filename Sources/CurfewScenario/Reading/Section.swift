/// What stands between two headings.
struct Section {
    enum Heading: Equatable {
        /// Before the first heading.
        case none
        /// Empty where it couldn't be read.
        case scenario(String)
        case before
        case after
    }

    var heading: Heading
    /// Of its heading; of its first statement where it has none.
    var position: Position
    var items: [Item] = []

    var statements: [Statement] { items.compactMap(\.statement) }
}

/// What a line comes to.
enum Item {
    case statement(Statement)
    /// It has its diagnostic. What it was probably meant for, and the words on it, keep others from following from it.
    case broken(at: Position, meant: String?, words: [String])

    var statement: Statement? {
        if case .statement(let statement) = self { statement } else { nil }
    }
}
