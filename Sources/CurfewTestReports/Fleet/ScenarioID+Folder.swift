extension ScenarioID {
    /// Of a name's readable part: with the rest it is far below the 255 bytes that a file system takes.
    private static let longest = 80

    /// The name of a folder for what is kept of it, as `upload-comes_back-size_1-9c0b7f12`: its file, its name and its values, made of letters,
    /// digits, `-` and `_`, then half of its hash, and `-2` for its second round.
    ///
    /// Another for each scenario of a run, though their files have the same name in different folders; the same in every run.
    public var folderName: String {
        let file = file.split(separator: "/").last.map(String.init) ?? ""
        let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        let parts = ([stem] + (name == stem || name == file ? [] : [name]) + values).map(Self.plain).filter {
            !$0.isEmpty
        }
        let hash = String(ScenarioKey(self).stableHash >> 32, radix: 16)
        let readable = String(parts.joined(separator: "-").prefix(Self.longest))
        return (readable.isEmpty ? "" : readable + "-") + String(repeating: "0", count: 8 - hash.count) + hash
            + (round > 0 ? "-\(round)" : "")
    }

    private static func plain(_ text: String) -> String {
        String(
            text.map { character in
                character.isASCII && (character.isLetter || character.isNumber || character == "-") ? character : "_"
            })
    }
}
