import CurfewCore

/// Lines for people that wait while nobody takes them: who reads standard error may have stopped, and no app is the worse for that.
///
/// What comes after a line that waits comes behind it. What there is no room for is lost, and told by its number.
struct WaitingLines {
    /// So much waits at most, in bytes.
    static let maximumBytes = 1 << 20
    private static let pause = Span.milliseconds(100)

    /// False where it can't be taken just now.
    private let write: (String) -> Bool
    private var waiting: [String] = []
    private var bytes = 0
    private var lost = 0
    /// When `timeCame` has to be called; nil where nothing waits.
    private(set) var nextTry: Instant?

    init(write: @escaping (String) -> Bool) { self.write = write }

    mutating func tell(_ line: String, at now: Instant) {
        if waiting.isEmpty, write(line) { return }
        guard bytes + line.utf8.count <= Self.maximumBytes else { return lost += 1 }
        hold(line)
        nextTry = nextTry ?? now + Self.pause
    }

    private mutating func hold(_ line: String) {
        waiting.append(line)
        bytes += line.utf8.count
    }

    mutating func timeCame(at now: Instant) {
        guard let nextTry, nextTry <= now else { return }
        finish()
        self.nextTry = waiting.isEmpty ? nil : now + Self.pause
    }

    /// What is taken now is told; at the end the rest isn't.
    mutating func finish() {
        let taken = waiting.prefix { write($0) }
        bytes -= taken.reduce(0) { $0 + $1.utf8.count }
        waiting.removeFirst(taken.count)
        guard waiting.isEmpty, lost > 0 else { return }
        hold("curfew: \(lost) line\(lost == 1 ? " is" : "s are") missing here: nobody read standard error")
        lost = 0
        finish()
    }
}
