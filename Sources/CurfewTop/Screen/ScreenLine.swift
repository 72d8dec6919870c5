/// How text looks. Nothing is told by it alone.
public enum TextStyle: Sendable, Equatable {
    case plain, bold, faint
    /// As the selected app's row is.
    case reverse
    case good, warning, bad
}

/// Text of one look, fit for the terminal.
public struct StyledText: Sendable, Equatable {
    public let text: String
    public let style: TextStyle
}

/// One line of the screen, from its left end; never wider than the screen.
public struct ScreenLine: Sendable, Equatable {
    public private(set) var parts: [StyledText] = []

    public var text: String { parts.map(\.text).joined() }

    init() {}

    init(_ text: String, _ style: TextStyle = .plain) { add(text, style) }

    mutating func add(_ text: String, _ style: TextStyle = .plain) {
        if !text.isEmpty { parts.append(StyledText(text: text, style: style)) }
    }

    /// All of it in one look.
    func styled(_ style: TextStyle) -> ScreenLine { ScreenLine(text, style) }
}
