import Glibc

/// The random lives that a test goes through: `CURFEW_TEST_LIVES` of them, as `make lives` has it, or a few.
enum Lives {
    /// The cases of a test, which share its lives.
    static let blocks = 0..<8

    /// The seeds of one block; `usually`: of all, where nobody says how many.
    static func seeds(of block: Int, usually: Int) -> Range<UInt64> {
        let count = getenv("CURFEW_TEST_LIVES").flatMap { Int(String(cString: $0)) } ?? usually
        return UInt64(block * count / blocks.count)..<UInt64((block + 1) * count / blocks.count)
    }
}
