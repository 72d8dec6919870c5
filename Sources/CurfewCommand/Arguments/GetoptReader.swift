/// Reads options as GNU programs do: abbreviated, several letters in a word, up to the first operand.
///
/// Source: getopt_long(3), with "+" before the letters; its messages, as glibc has them.
struct GetoptReader {
    private let arguments: ArgumentReader.Arguments
    private let count: Int
    /// The index of the next word.
    private(set) var position: Int
    /// Letters of the word before that are still to be read.
    private var letters: Substring.UTF8View = Substring("").utf8

    init(_ arguments: ArgumentReader.Arguments, count: Int, from position: Int) {
        self.arguments = arguments
        self.count = count
        self.position = position
    }

    /// The next option with its value; nil where the operands begin.
    mutating func next() throws(GetoptError) -> (option: TimeoutOption, value: String)? {
        if letters.isEmpty {
            guard let word = peek(), word.utf8.count > 1, word.utf8.first == UInt8(ascii: "-") else { return nil }
            position += 1
            if word == "--" { return nil }
            if word.hasPrefix("--") { return try long(word) }
            letters = Substring(word).utf8.dropFirst()
        }
        return try short()
    }

    /// The operands.
    var rest: (arguments: ArgumentReader.Arguments, count: Int) { (arguments + position, count - position) }

    private func peek() -> String? { position < count ? arguments[position].map { String(cString: $0) } : nil }

    /// Without arrays of new types, as everything on the way to a launch.
    private mutating func long(_ word: String) throws(GetoptError) -> (TimeoutOption, String) {
        let text = word.utf8.dropFirst(2)
        let equals = text.firstIndex(of: UInt8(ascii: "="))
        let name = String(decoding: text[..<(equals ?? text.endIndex)], as: UTF8.self)
        guard let option = TimeoutOption.meant(by: name) else { throw unclear(word, name) }
        if !option.takesValue {
            if equals != nil { throw GetoptError("option '--\(option.rawValue)' doesn't allow an argument") }
            return (option, "")
        }
        if let equals { return (option, String(decoding: text[text.index(after: equals)...], as: UTF8.self)) }
        guard let value = takeWord() else { throw GetoptError("option '--\(option.rawValue)' requires an argument") }
        return (option, value)
    }

    private func unclear(_ word: String, _ name: String) -> GetoptError {
        let begun = TimeoutOption.begun(by: name)
        if begun.isEmpty { return GetoptError("unrecognized option '\(word)'") }
        let list = begun.map { "'--\($0.rawValue)'" }.joined(separator: " ")
        return GetoptError("option '\(word)' is ambiguous; possibilities: \(list)")
    }

    private mutating func short() throws(GetoptError) -> (TimeoutOption, String)? {
        let letter = letters.removeFirst()
        let shown = String(decoding: [letter], as: UTF8.self)
        guard let option = TimeoutOption(letter: letter) else {
            throw GetoptError("invalid option -- '\(shown)'")
        }
        guard option.takesValue else { return (option, "") }
        let attached = String(Substring(letters))
        letters = Substring("").utf8
        guard let value = attached.isEmpty ? takeWord() : attached else {
            throw GetoptError("option requires an argument -- '\(shown)'")
        }
        return (option, value)
    }

    private mutating func takeWord() -> String? {
        guard let word = peek() else { return nil }
        position += 1
        return word
    }
}

/// What is wrong with a command line, in glibc's words.
struct GetoptError: Error {
    let problem: String

    init(_ problem: String) { self.problem = problem }
}
