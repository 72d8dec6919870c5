/// A bar that gets shorter as a budget runs down.
enum BudgetBar {
    /// Exactly so wide. Of whatever is left, something is seen; a whole bar is a whole budget.
    static func text(left: Int64, of whole: Int64, width: Int, isUnicode: Bool) -> String {
        let steps = isUnicode ? 8 : 1
        let filled = steps * width
        var part = whole > 0 && left < whole ? Int(Double(left) / Double(whole) * Double(filled)) : filled
        if left > 0 { part = max(1, part) }
        if left < whole { part = min(part, filled - 1) }
        part = max(0, min(filled, part))
        let (blocks, rest) = part.quotientAndRemainder(dividingBy: steps)
        let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let tail = rest > 0 ? eighths[rest] : ""
        let empty = width - blocks - (rest > 0 ? 1 : 0)
        return String(repeating: isUnicode ? "█" : "#", count: blocks) + tail
            + String(repeating: isUnicode ? "░" : ".", count: empty)
    }

    /// Less than a fifth is little, less than a twentieth next to nothing.
    static func style(left: Int64, of whole: Int64) -> TextStyle {
        if left < whole / 20 { return .bad }
        return left < whole / 5 ? .warning : .good
    }
}
