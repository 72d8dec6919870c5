/// What came of `advance`, for people.
public enum AdvanceText {
    /// `9 min 55 s passed, 5 s left; the app is background`; times in nanoseconds.
    public static func summary(passed: Int64, left: Int64, state: String) -> String {
        let rest = left == 0 ? "nothing is left" : "\(HumanText.duration(nanoseconds: left)) left"
        return "\(HumanText.duration(nanoseconds: passed)) passed, \(rest); the app is \(state)"
    }
}
