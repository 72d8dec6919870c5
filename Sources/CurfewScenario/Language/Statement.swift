/// One statement of a scenario.
public struct Statement: Sendable, Hashable {
    public var position: Position
    /// The last of the lines it goes over.
    public var lastLine: Int
    public var kind: Kind

    public init(at position: Position, lastLine: Int, _ kind: Kind) {
        self.position = position
        self.lastLine = lastLine
        self.kind = kind
    }

    public enum Kind: Sendable, Hashable {
        // What a scenario is about.
        /// `app OPTIONS -- COMMAND`: run's options, then the command.
        case app(options: [Word], command: [Word])
        case timeScale(Value<Factor>)
        case set(name: String, Word)
        /// Once with each value.
        case matrix(name: String, [Word])
        case skipUnless([Word])

        // What is done.
        case launch
        case home
        case open
        /// Stopped where it is, until it is needed.
        case sleep
        case interrupt
        case dismiss
        case quit
        /// Ended as by jetsam, while it is suspended.
        case reclaim
        case killSupervisor
        case wake(name: Word, info: [Word])
        case post(name: Word, info: [Word])
        /// `warn`, `warn warning` or `warn critical`.
        case warn(level: Word?)
        /// `pressure normal`, `pressure warning` or `pressure critical`.
        case pressure(level: Word)
        case advance(Value<Duration>)
        case run(Helper)
        /// A line to its input.
        case send(Word)
        /// To its terminal: names as `C-z`, `Enter`, `Escape`, or text.
        case key([Word])

        // What is looked at.
        case await(Condition, within: Value<Duration>?)
        case expect(Condition)
        case expectNot(Condition)
    }

    /// `do COMMAND`: the words of one command, which is run without a shell.
    public struct Helper: Sendable, Hashable {
        public var command: [Word]
        /// `! do`: it must not exit with 0.
        public var mustFail: Bool
        /// `&` at the end: it runs on beside what follows, and is ended with the scenario.
        public var isBeside: Bool

        public init(_ command: [Word], mustFail: Bool = false, isBeside: Bool = false) {
            self.command = command
            self.mustFail = mustFail
            self.isBeside = isBeside
        }
    }
}
