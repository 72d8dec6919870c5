import CurfewWire

/// Workflow commands that have GitHub show a failure at its line.
///
/// Source: docs.github.com, "Workflow commands for GitHub Actions", "Setting an error message".
public struct GitHubAnnotations: ResultSink {
    private let folder: String

    /// `folder`: where paths begin, as the repository has it, such as `app/`; empty for its root.
    public init(folder: String = "") { self.folder = folder }

    public mutating func began(_ count: Int?) -> String { "" }

    public mutating func started(_ id: ScenarioID) -> String { "" }

    public mutating func finished(_ result: ScenarioResult) -> String {
        guard let failure = result.failure else { return "" }
        var properties = ["file=\(GitHubAnnotations.property(path(of: result)))"]
        if failure.line > 0 { properties.append("line=\(failure.line)") }
        if failure.line > 0, failure.column > 0 { properties.append("col=\(failure.column)") }
        properties.append("title=\(GitHubAnnotations.property(result.id.title))")
        return "::error \(properties.joined(separator: ","))::\(GitHubAnnotations.data(message(failure)))\n"
    }

    public mutating func ended(_ summary: Summary) -> String { "" }

    /// As GitHub has it in its repository.
    private func path(of result: ScenarioResult) -> String {
        var path = Substring(result.id.file)
        while path.hasPrefix("./") { path = path.dropFirst(2) }
        return path.hasPrefix("/") ? String(path) : folder + path
    }

    private func message(_ failure: Failure) -> String {
        var lines = [failure.statement]
        if !failure.expected.isEmpty { lines.append("expected: \(failure.expected)") }
        if !failure.seen.isEmpty { lines.append("seen: \(failure.seen)") }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func data(_ text: String) -> String { escaped(text, "%\r\n") }

    private static func property(_ text: String) -> String { escaped(text, "%\r\n:,") }

    /// What ends a line, a property or a message, in hexadecimal digits; other control characters for people.
    private static func escaped(_ text: String, _ reserved: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if reserved.unicodeScalars.contains(scalar) {
                result += "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
            } else {
                result += Printable.text(String(scalar))
            }
        }
        return result
    }
}
