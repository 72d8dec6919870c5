import CurfewWire

/// What is said of a word that isn't one of those accepted.
enum Choice {
    /// How many stand in the sentence itself.
    private static let few = 6

    /// `there is no state "x"; did you mean "y"? accepted: a, b`; many stand below it. `hint`: what may be done instead, where nothing is near.
    static func unknown(
        _ kind: String, _ word: RawWord, _ text: String, among known: [String], hint: String = ""
    ) -> Diagnostic {
        let accepted = AcceptedWords(known)
        let question = question(kind, text, among: known)
        let problem = question.hasSuffix("?") || hint.isEmpty ? question : "\(question); \(hint)"
        if known.count > few { return Diagnostic(at: word.position, problem, accepted: accepted) }
        return Diagnostic(at: word.position, accepted.sentence(behind: problem))
    }

    /// `there is no state "x"; did you mean "y"?`, if something is near.
    static func question(_ kind: String, _ word: String, among known: [String]) -> String {
        let problem = "there is no \(kind) \"\(word)\""
        return nearest(to: word, among: known).map { "\(problem); did you mean \"\($0)\"?" } ?? problem
    }

    /// The case of letters aside, nothing but a slip or two.
    static func nearest(to word: String, among known: [String]) -> String? {
        // What is much longer or shorter can't be near, and costs no time.
        let length = word.utf8.count
        let near = known.filter { abs($0.utf8.count - length) <= 2 }
        let lower = near.map { $0.lowercased() }
        guard let nearest = NearestWord.nearest(to: word.lowercased(), among: lower) else { return nil }
        return lower.firstIndex(of: nearest).map { near[$0] }
    }
}
