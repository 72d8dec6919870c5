/// What the app has written in one launch: the last of it, as text, and how far it was searched.
public struct OutputLog: Sendable {
    /// More is dropped from the beginning: a program that writes for ever takes no memory for ever.
    static let capacity = 1 << 18

    /// Bytes that are no UTF-8 stand as U+FFFD.
    public private(set) var text = ""
    /// How many bytes of text were dropped.
    public private(set) var dropped = 0
    /// Behind the last match, counted from the beginning of the launch.
    private var searched = 0
    /// The beginning of a character whose end hasn't come yet.
    private var incomplete: [UInt8] = []

    public init() {}

    public var isEmpty: Bool { text.isEmpty && dropped == 0 }
    /// How much there was in all.
    public var count: Int { dropped + text.utf8.count }

    public mutating func append(_ bytes: some Collection<UInt8>) {
        var all = incomplete
        all += bytes
        let cut = Self.wholeCharacters(all)
        incomplete = Array(all[cut...])
        text += String(decoding: all[..<cut], as: UTF8.self)
        guard text.utf8.count > 2 * Self.capacity else { return }
        let surplus = text.utf8.count - Self.capacity
        var start = text.utf8.index(text.startIndex, offsetBy: surplus)
        while start.samePosition(in: text.unicodeScalars) == nil { start = text.utf8.index(after: start) }
        dropped += text.utf8.distance(from: text.startIndex, to: start)
        text = String(text[start...])
    }

    /// Nothing more comes: what is incomplete stays so.
    public mutating func finish() {
        text += String(decoding: incomplete, as: UTF8.self)
        incomplete = []
    }

    /// How many of the bytes are whole characters, an unfinished one of three bytes at most left out.
    private static func wholeCharacters(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? bytes.count - back : bytes.count
        }
        return bytes.count
    }

    // MARK: Searching

    /// The groups of the first match behind the last one, the whole first; remembers where it ended.
    ///
    /// `takesUnfinished`: also one that ends where the text does, within a line.
    public mutating func takeMatch(of pattern: Regex<AnyRegexOutput>, takesUnfinished: Bool = true) -> [String]? {
        let start = text.utf8.index(text.startIndex, offsetBy: max(0, searched - dropped))
        guard let match = try? pattern.firstMatch(in: text[start...]) else { return nil }
        if !takesUnfinished, match.range.upperBound == text.endIndex, text.unicodeScalars.last != "\n" { return nil }
        searched = dropped + text.utf8.distance(from: text.startIndex, to: match.range.upperBound)
        return Self.groups(match)
    }

    /// The same anywhere in it.
    public func match(of pattern: Regex<AnyRegexOutput>) -> [String]? {
        (try? pattern.firstMatch(in: text)).flatMap { $0 }.map(Self.groups)
    }

    private static func groups(_ match: Regex<AnyRegexOutput>.Match) -> [String] {
        match.output.indices.map { match.output[$0].substring.map(String.init) ?? "" }
    }

    /// Longer lines are shown cut.
    static let longestLine = 200

    /// Its last lines, oldest first, an unfinished one included: of that the end is shown, for what draws on a terminal may never
    /// end a line.
    public func lastLines(_ count: Int) -> [String] {
        let lines = Lines.split(text.suffix(8192))
        let finished = lines.dropLast().suffix(lines.last == "" ? count : count - 1).filter { !$0.isEmpty }
        return finished.map(Self.beginning) + lines.suffix(1).filter { !$0.isEmpty }.map(Self.end)
    }

    private static func beginning(_ line: String) -> String {
        line.count > longestLine ? line.prefix(longestLine) + "…" : line
    }

    private static func end(_ line: String) -> String {
        line.count > longestLine ? "…" + line.suffix(longestLine) : line
    }
}
