/// A part of a verb's discussion with its heading.
///
/// The layout that help has anyway is read, so that one text serves both. Parts are set off by blank lines. One that begins with
/// `Examples:`, `Exit status:`, `Environment:`, `Files:` or `See also:` is that section's, any other the description's. What is
/// indented stands as it is, or is a list where each line is a term, two blanks and what it is. Any other line is a paragraph; two
/// or more together that each begin as `SIZE is` explain values.
struct HelpSection: Equatable {
    enum Title: String, CaseIterable {
        case description = "Description"
        case values = "Values"
        case exitStatus = "Exit status"
        case environment = "Environment"
        case files = "Files"
        case examples = "Example"
        case seeAlso = "See also"
    }

    enum Block: Equatable {
        case paragraph(String)
        case list([Explanation])
        case literal([String])
    }

    struct Explanation: Equatable {
        var term: String
        var text: String
    }

    var title: Title
    var blocks: [Block]

    /// The sections of a text, those of one title together, in the order of a manual page.
    static func read(_ text: String) -> [HelpSection] {
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false).split {
            $0.allSatisfy(\.isWhitespace)
        }
        let sections = parts.map { part(Array($0)) }
        return Title.allCases.compactMap { title in
            let blocks = sections.filter { $0.title == title }.flatMap(\.blocks)
            return blocks.isEmpty ? nil : HelpSection(title: title, blocks: blocks)
        }
    }

    private static func part(_ lines: [Substring]) -> HelpSection {
        if let (title, intro) = heading(lines[0]) {
            let start = intro.isEmpty ? [] : [Block.paragraph(intro)]
            return HelpSection(title: title, blocks: start + blocks(lines.dropFirst(), isExample: title == .examples))
        }
        let values = lines.compactMap(value)
        if values.count > 1, values.count == lines.count { return HelpSection(title: .values, blocks: [.list(values)]) }
        return HelpSection(title: .description, blocks: blocks(lines[...], isExample: false))
    }

    /// Such as `Exit status: 0 done`, and `Examples, in a script:`, where what stands before the colon counts.
    private static func heading(_ line: Substring) -> (Title, intro: String)? {
        for title in Title.allCases.dropFirst(2) where line.hasPrefix(title.rawValue) {
            let rest = line.dropFirst(title.rawValue.count).drop { $0 == "s" }
            if rest.first == ":" { return (title, String(rest.dropFirst().drop(while: \.isWhitespace))) }
            guard rest.hasPrefix(", "), let first = rest.dropFirst(2).first else { continue }
            return (title, first.uppercased() + rest.dropFirst(3))
        }
        return nil
    }

    private static func blocks(_ lines: ArraySlice<Substring>, isExample: Bool) -> [Block] {
        var blocks: [Block] = []
        var rest = lines
        while let line = rest.first {
            guard line.first == " " else {
                blocks.append(.paragraph(String(line)))
                rest.removeFirst()
                continue
            }
            let indented = rest.prefix { $0.first == " " }
            rest = rest.dropFirst(indented.count)
            let explanations = indented.compactMap(explanation)
            let isList = !isExample && explanations.count == indented.count
            blocks.append(isList ? .list(explanations) : .literal(withoutIndent(indented)))
        }
        return blocks
    }

    private static func explanation(_ line: Substring) -> Explanation? {
        let line = line.drop { $0 == " " }
        guard let end = line.firstIndex(of: " "), line[end...].hasPrefix("  ") else { return nil }
        return Explanation(term: String(line[..<end]), text: String(line[end...].drop { $0 == " " }))
    }

    private static func value(_ line: Substring) -> Explanation? {
        let term = line.prefix { $0.isUppercase }
        guard !term.isEmpty, line.dropFirst(term.count).hasPrefix(" is ") else { return nil }
        return Explanation(term: String(term), text: String(line.dropFirst(term.count + " is ".count)))
    }

    private static func withoutIndent(_ lines: ArraySlice<Substring>) -> [String] {
        let indent = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(indent)) }
    }
}
