/// The bytes the wire formats give a meaning to.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let comma: UInt8 = 0x2c
    static let minus: UInt8 = 0x2d
    static let point: UInt8 = 0x2e
    static let slash: UInt8 = 0x2f
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3a
    static let equals: UInt8 = 0x3d
    static let openBracket: UInt8 = 0x5b
    static let backslash: UInt8 = 0x5c
    static let closeBracket: UInt8 = 0x5d
    static let underscore: UInt8 = 0x5f
    static let b: UInt8 = 0x62
    static let f: UInt8 = 0x66
    static let n: UInt8 = 0x6e
    static let r: UInt8 = 0x72
    static let t: UInt8 = 0x74
    static let u: UInt8 = 0x75
    static let x: UInt8 = 0x78
    static let openBrace: UInt8 = 0x7b
    static let closeBrace: UInt8 = 0x7d

    /// Whether a verb or a key may hold this byte.
    @inline(__always)
    static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7a, 0x41...0x5a, 0x30...0x39, underscore, point, minus: true
        default: false
        }
    }

    @inline(__always)
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    /// The value 0 to 15 of a hexadecimal digit of either case.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// The lower-case hexadecimal digit of a value 0 to 15.
    static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? zero + value : 0x61 + value - 10 }
}
