/// What a monkey has to know of a program's options, to do nothing that the program is rightly killed for.
public struct MonkeyTerms: Sendable, Hashable {
    /// When something falls due after going home, in nanoseconds: the end of the budget, the expiration before it.
    public var due: [Int64]
    /// How often it may be woken in one launch.
    public var wakes: Int
    /// Whether the machine may be said to be short of memory: whoever is above a soft limit has to go then.
    public var isPressed: Bool
    /// Whether it may be reclaimed: one that works on at home can't be.
    public var isReclaimed: Bool

    public init(due: [Int64], wakes: Int = 15, isPressed: Bool = true, isReclaimed: Bool = true) {
        self.due = due
        self.wakes = wakes
        self.isPressed = isPressed
        self.isReclaimed = isReclaimed
    }
}
