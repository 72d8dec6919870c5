/// How wide text will be, without knowing the font: rather too wide than too narrow.
enum TextWidth {
    /// Of the small type that labels are set in.
    static let small = 6.3
    /// Of the type of headings and sentences.
    static let plain = 6.9

    static func of(_ text: String, per letter: Double = small) -> Double {
        text.unicodeScalars.reduce(0) { $0 + (isWide($1) ? 2 : 1) * letter }
    }

    /// What East Asian fonts set in a square, and emoji.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
            0x1f300...0x1faff, 0x20000...0x3fffd:
            true
        default: false
        }
    }

    /// As much of it as fits, with "…" where it is cut; empty where not even three letters fit.
    static func cut(_ text: String, to width: Double, per letter: Double = small) -> String {
        if of(text, per: letter) <= width { return text }
        var kept = ""
        var used = letter
        for character in text {
            used += of(String(character), per: letter)
            if used > width { break }
            kept.append(character)
        }
        return kept.count < 3 ? "" : kept + "…"
    }

    /// Broken into so many lines at blanks; the last is cut.
    static func wrapped(_ text: String, to width: Double, lines count: Int, per letter: Double = plain) -> [String] {
        var lines: [String] = []
        var line = ""
        var words = text.split(separator: " ").map(String.init)[...]
        while let word = words.first, lines.count < count - 1 {
            let longer = line.isEmpty ? word : line + " " + word
            if !line.isEmpty, of(longer, per: letter) > width {
                lines.append(line)
                line = ""
            } else {
                line = longer
                words.removeFirst()
            }
        }
        let rest = ([line] + words).filter { !$0.isEmpty }.joined(separator: " ")
        return rest.isEmpty ? lines : lines + [cut(rest, to: width, per: letter)]
    }
}
