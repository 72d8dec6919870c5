/// A key of a report in words: `backgroundCPUSeconds` is "background CPU", and what it measures is told apart.
struct KeyLabel {
    enum Unit { case seconds, bytes, share, none }

    let words: String
    let unit: Unit

    init(_ key: String) {
        var words = Self.split(key).map { $0.allSatisfy(\.isUppercase) ? $0 : $0.lowercased() }
        switch words.last {
        case "seconds": unit = .seconds
        case "bytes": unit = .bytes
        default: unit = words.contains("share") ? .share : .none
        }
        if unit == .seconds || unit == .bytes { words.removeLast() }
        self.words = words.joined(separator: " ")
    }

    /// At each capital that follows a small letter, or stands before one: a word in capitals is one word.
    private static func split(_ key: String) -> [String] {
        let letters = Array(key)
        var words: [String] = []
        for (index, letter) in letters.enumerated() {
            let isCapital = letter.isUppercase
            let followsSmall = index > 0 && !letters[index - 1].isUppercase
            let precedesSmall = index + 1 < letters.count && !letters[index + 1].isUppercase
            if words.isEmpty || isCapital && (followsSmall || precedesSmall) { words.append("") }
            words[words.count - 1].append(letter)
        }
        return words
    }
}
