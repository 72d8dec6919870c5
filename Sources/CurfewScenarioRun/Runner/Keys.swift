/// What a terminal sends for keys, by the names that tmux and emacs have for them.
enum Keys {
    private static let named: [String: [UInt8]] = [
        "Enter": [13], "Tab": [9], "Escape": [27], "Space": [32], "BSpace": [127],
        "Up": escape("[A"), "Down": escape("[B"), "Right": escape("[C"), "Left": escape("[D"),
        "Home": escape("[H"), "End": escape("[F"), "PageUp": escape("[5~"), "PageDown": escape("[6~"),
        "Delete": escape("[3~"),
    ]

    static var names: [String] { named.keys.sorted() }

    private static func escape(_ rest: String) -> [UInt8] { [27] + Array(rest.utf8) }

    /// Of each word in turn: a key's name, `C-x` for one with Control, anything else as text.
    static func bytes(_ words: [String]) -> [UInt8] { words.flatMap(bytes) }

    private static func bytes(_ word: String) -> [UInt8] {
        if let known = named[word] { return known }
        let characters = Array(word.utf8)
        if characters.count == 3, word.hasPrefix("C-") { return [characters[2] & 0x1F] }
        return characters
    }
}
