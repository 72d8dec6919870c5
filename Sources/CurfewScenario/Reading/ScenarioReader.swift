/// Reads scenario files.
public enum ScenarioReader {
    /// What a file holds, as far as it can be read, and everything that is wrong with it, in the order of the file.
    ///
    /// `path` names the file, and the scenario where the file has no headings; nothing is read from there.
    public static func read(_ text: String, path: String) -> (ScenarioFile, [Diagnostic]) {
        var sections = SectionReader()
        var lexer = Lexer(text)
        while let line = lexer.next() { sections.take(line) }
        let assembly = Assembly(sections.sections, path: path)
        let all = lexer.diagnostics + sections.diagnostics + assembly.diagnostics
        return (ScenarioFile(path: path, scenarios: assembly.scenarios), sorted(all))
    }

    /// What several scenarios share is said once.
    private static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        var seen: Set<Diagnostic> = []
        let unique = diagnostics.filter { seen.insert($0).inserted }
        let order = unique.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        return order.map(\.element)
    }
}
