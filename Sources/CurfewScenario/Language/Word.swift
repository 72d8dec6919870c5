/// A word of a statement, its quotes taken away, with the variables in it still to be filled in.
public struct Word: Sendable, Hashable {
    public enum Part: Sendable, Hashable {
        case text(String)
        /// `$NAME` or `${NAME}`, which `set`, `as` or `matrix` gives a value.
        case variable(String, Position)
    }

    public var parts: [Part]
    public var position: Position

    public init(_ parts: [Part], at position: Position) {
        self.parts = parts
        self.position = position
    }

    /// Its text, where no variable is in it.
    public var constant: String? {
        var text = ""
        for part in parts {
            guard case .text(let piece) = part else { return nil }
            text += piece
        }
        return text
    }

    /// Its text with these variables; throws a diagnostic at the first that has no value.
    public func filled(with variables: [String: String]) throws(Diagnostic) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let piece): text += piece
            case .variable(let name, let position):
                guard let value = variables[name] else {
                    throw Diagnostic(at: position, "$\(name) has no value; `set`, `as` and `matrix` give one")
                }
                text += value
            }
        }
        return text
    }
}
