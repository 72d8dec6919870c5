/// How many columns of a terminal text takes.
///
/// Source: Unicode Standard Annex #11, "East Asian Width"; what terminals agree on of it.
public enum DisplayWidth {
    public static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    /// The longest beginning that takes at most so many columns.
    public static func prefix(of text: String, within columns: Int) -> String {
        var taken = 0
        return String(
            text.prefix { character in
                taken += of(character)
                return taken <= columns
            })
    }

    /// The widest of its scalars: the others are marks on it, or joined to it.
    private static func of(_ character: Character) -> Int {
        character.unicodeScalars.reduce(0) { max($0, of($1)) }
    }

    /// 0 for what is a mark on the character before it, or joins two.
    public static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        // Vowels and finals that stand in one square with the consonant before them.
        if (0x1160...0x11ff).contains(scalar.value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isEmojiPresentation { return true }
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff01...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
            return true
        default: return false
        }
    }
}
