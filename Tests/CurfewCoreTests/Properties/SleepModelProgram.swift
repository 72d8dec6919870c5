import CurfewCore

/// A descriptor of a model program: a socket, a pipe or a terminal, and what has come by it.
struct SleepModelDescriptor {
    /// What the program does with what comes.
    enum Manner: CaseIterable { case readsAll, readsSome, leaves }

    /// As much of its history as tells whether it is still as it was.
    struct Mark: Equatable {
        /// All that ever came.
        var received = 0
        var reads = 0
    }

    let manner: Manner
    /// Whether it is of a kind that is to wake the program.
    let wakes: Bool
    /// Whether what comes are connections, which programs outside accept too.
    let isListening: Bool
    /// Such a program is quicker in the moment in which this one is continued.
    var losesRaces = false
    private(set) var mark = Mark()
    private(set) var unread = 0
    /// How much of what came the program has read, left unread on purpose, or missed.
    private var seen = 0
    /// How often it has woken the program since it changed, and how often it may.
    private(set) var wakings = 0
    private(set) var allowance = Self.fairWakings

    /// By its edge while the program was stopped, and once more where it was left unread and is there at the next stop.
    private static let fairWakings = 2

    init(_ manner: Manner, wakes: Bool, isListening: Bool) {
        self.manner = manner
        self.wakes = wakes
        self.isListening = isListening
    }

    /// Whether something has come that the program knows nothing of.
    var isUnseen: Bool { mark.received > seen }

    mutating func receive() {
        mark.received += 1
        unread += 1
        isChanged()
    }

    mutating func see() {
        guard isUnseen else { return }
        seen = mark.received
        switch manner {
        case .leaves: return
        case .readsAll: unread = 0
        case .readsSome: unread -= 1
        }
        mark.reads += 1
        isChanged()
    }

    /// A program outside accepts the connection that has waited longest.
    mutating func isTaken() {
        guard isListening, unread > 0 else { return }
        unread -= 1
        seen = max(seen, mark.received - unread)
    }

    /// The program is about to be continued.
    mutating func race() {
        if losesRaces { isTaken() }
    }

    private mutating func isChanged() {
        wakings = 0
        allowance = Self.fairWakings
    }

    /// False where it has done so more often than it may.
    mutating func hasWoken() -> Bool {
        wakings += 1
        return wakings <= allowance
    }

    /// Somebody has had to do with the program: it may be woken once more for the same.
    mutating func mayWakeAgain() { allowance += 1 }
}

/// A program that waits for input, and sees what has come once it has run for a while since.
struct SleepModelProgram {
    var descriptors: [SleepModelDescriptor]
    let latency: Span
    /// Whether one who looks can tell that it is at work meanwhile; else it waits for something else, as for an answer.
    let showsWork: Bool
    /// What of that while is over.
    private var worked = Span.zero
    private(set) var cpuTime = Span.zero

    init(_ descriptors: [SleepModelDescriptor], latency: Span, showsWork: Bool) {
        self.descriptors = descriptors
        self.latency = latency
        self.showsWork = showsWork
    }

    var hasUnseen: Bool { descriptors.contains(where: \.isUnseen) }

    /// Whether one who looks finds it at work.
    var isAtWork: Bool { showsWork && hasUnseen }

    mutating func run(for span: Span) {
        guard hasUnseen, span > .zero else { return }
        worked = worked + span
        if showsWork { cpuTime = cpuTime + span }
        if worked >= latency { see() }
    }

    mutating func see() {
        worked = .zero
        for index in descriptors.indices { descriptors[index].see() }
    }

    /// It does something else.
    mutating func work() { cpuTime = cpuTime + .seconds(1) }
}
