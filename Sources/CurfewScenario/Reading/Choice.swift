import CurfewWire

/// What is said of a word that isn't one of those accepted.
enum Choice {
    /// `there is no state "x"; did you mean "y"? accepted: a, b`; of many, only what was meant, if something near was.
    static func unknown(_ kind: String, _ word: String, among known: [String]) -> String {
        let problem = "there is no \(kind) \"\(word)\""
        let accepted = known.joined(separator: ", ")
        guard let meant = nearest(to: word, among: known) else { return "\(problem); accepted: \(accepted)" }
        let question = "\(problem); did you mean \"\(meant)\"?"
        return known.count > 6 ? question : "\(question) accepted: \(accepted)"
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
