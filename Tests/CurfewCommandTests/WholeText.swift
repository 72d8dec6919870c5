import CurfewWire

@testable import CurfewCommand

// What is printed line by line, in one piece.

extension UsageError {
    var line: String { lines.map(Printable.text).joined(separator: "\n") }
}

extension Table {
    func text() -> String { lines().joined(separator: "\n") }
}

extension StatusText {
    static func text(_ app: AppStatus) -> String { lines(app).joined(separator: "\n") }
}

extension ReportText {
    func text(width: Int?) -> String { lines(width: width).joined(separator: "\n") }
}
