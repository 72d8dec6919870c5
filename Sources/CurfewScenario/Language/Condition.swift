/// What `await` waits for, and `expect` finds.
public enum Condition: Sendable, Hashable {
    /// `foreground` names none: active, inactive, background, suspended, notRunning.
    case state(Word)
    /// An event since the last statement that acts on the app, with these pairs among its own.
    case event(name: Word, info: [Word])
    /// These, in this order, others between them or not.
    case events([Word])
    case task(name: Word, isOpen: Bool)
    /// Its groups, in order, get these names.
    case output(Value<Pattern>, names: [String])
    /// No output, no event and no CPU time.
    case silence(Value<Duration>)
    case exit(Value<Amount>)
    case killed(reason: Word)
    case pid(isChanged: Bool)
    case file(Word, FileTest)
    case amount(Quantity, Comparison, Word)

    public enum FileTest: Sendable, Hashable {
        case exists
        case absent
        case contains(Value<Pattern>)
    }

    public enum Quantity: String, Sendable, Hashable, CaseIterable {
        /// Of the background budget: a time.
        case remaining
        /// The footprint: a size.
        case memory
        /// CPU time used since the launch: a time.
        case cpu
        /// How many there are.
        case processes
    }

    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case less = "<"
        case atMost = "<="
        case equal = "="
        case atLeast = ">="
        case greater = ">"
    }
}
