/// Finds what a mistyped word was meant to be.
public enum NearestWord {
    /// The first of the nearest words that are at most two slips away, dashes at the front aside; nil if none is.
    ///
    /// A slip is a letter left out, added, replaced or swapped with its neighbour. Half of the letters or more must be
    /// right: two slips make any word of two letters out of any other.
    public static func nearest(to word: String, among known: [String]) -> String? {
        let typed = bare(word)
        guard !typed.isEmpty else { return nil }
        var best: (word: String, slips: Int)?
        for candidate in known {
            let letters = bare(candidate)
            let slips = slips(from: typed, to: letters)
            guard slips <= 2, 2 * slips < max(typed.count, letters.count), slips < best?.slips ?? .max else { continue }
            best = (candidate, slips)
        }
        return best?.word
    }

    /// "; did you mean WORD?", or nothing.
    public static func question(_ word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { "; did you mean \($0)?" } ?? ""
    }

    private static func bare(_ word: String) -> [UInt8] { Array(word.utf8.drop { $0 == UInt8(ascii: "-") }) }

    /// The optimal string alignment distance: no letter is touched twice.
    static func slips(from typed: [UInt8], to known: [UInt8]) -> Int {
        // Lengths that differ by more can't be near, and nobody's argument costs time.
        if abs(typed.count - known.count) > 2 { return .max / 4 }
        var beforeLast: [Int] = []
        var last = Array(0...known.count)
        for (row, letter) in typed.enumerated() {
            var current = [row + 1]
            for (column, other) in known.enumerated() {
                var least = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == known[column - 1], typed[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[known.count]
    }
}
