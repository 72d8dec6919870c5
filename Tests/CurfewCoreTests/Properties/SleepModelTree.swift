import CurfewCore

/// The processes of a model program as the engine and its kernel have them: whether they run, and what is waited for.
struct SleepModelTree {
    enum Motion: Equatable {
        case running
        /// Told to stop at that moment, and not all of them seen to have.
        case stopping(since: Instant)
        case stopped
    }

    private(set) var motion = Motion.running
    /// Some of it, which counts as stopped and does nothing more here, stops at that moment; nil once that is known.
    private(set) var stopsLate: Instant?
    var watch: SleepModelWatch?
    /// What was there when input was last waited for, and has woken the program then.
    private var leftUnread: [Int: SleepModelDescriptor.Mark] = [:]
    private var continuedAt = Instant(nanoseconds: 0)

    /// How long whoever is at work may not have come to what woke it.
    private static let patience = Span.seconds(5)

    /// What the program has read since doesn't count as left; of one at work nothing does.
    mutating func stop(_ program: SleepModelProgram, at now: Instant) {
        motion = .stopping(since: now)
        let isBusy = program.isAtWork && now - continuedAt < Self.patience
        leftUnread = isBusy ? [:] : leftUnread.filter { program.descriptors[$0].mark == $1 }
    }

    /// `late`: when it has, where it only counts as such.
    mutating func isStopped(late: Instant? = nil) {
        motion = .stopped
        stopsLate = late
    }

    mutating func resume(at now: Instant) {
        motion = .running
        stopsLate = nil
        watch = nil
        continuedAt = now
    }

    // MARK: Waiting for input

    /// `afresh`: what was left unread counts too.
    mutating func watchInput(of program: SleepModelProgram, afresh: Bool, at now: Instant) {
        if afresh { leftUnread = [:] }
        var watch = SleepModelWatch(begun: now)
        // The others are come to later.
        for index in stride(from: 0, to: program.descriptors.count, by: 2) {
            watch.look(at: program.descriptors[index], index, left: leftUnread[index])
        }
        self.watch = watch
    }

    /// All of its descriptors have been looked at.
    mutating func completeWatch(of program: SleepModelProgram) {
        for index in stride(from: 1, to: program.descriptors.count, by: 2) {
            watch?.look(at: program.descriptors[index], index, left: leftUnread[index])
        }
        watch?.isComplete = true
        leftUnread = watch?.unread ?? leftUnread
    }
}

/// Waiting for input by edges: what was left unread wakes nobody, more of it does.
struct SleepModelWatch {
    let begun: Instant
    var isComplete = false
    /// When something came that hasn't been heard of yet.
    var pendingSince: Instant?
    /// What was there when it was looked at.
    private(set) var unread: [Int: SleepModelDescriptor.Mark] = [:]
    /// What there is nothing to tell of.
    private var told: [Int: SleepModelDescriptor.Mark] = [:]
    /// How many connections are known for sure to have waited, by what was seen last.
    private var seen: [Int: Int] = [:]

    init(begun: Instant) { self.begun = begun }

    mutating func look(at descriptor: SleepModelDescriptor, _ index: Int, left: SleepModelDescriptor.Mark?) {
        guard descriptor.wakes else { return }
        if descriptor.unread > 0 { unread[index] = descriptor.mark }
        if descriptor.unread == 0 || left == descriptor.mark { told[index] = descriptor.mark }
    }

    /// Whether something of it is to be told.
    func isPending(_ index: Int, _ descriptor: SleepModelDescriptor) -> Bool {
        descriptor.wakes && descriptor.unread > 0 && told[index] != descriptor.mark
    }

    /// The first that wakes the program, and those that tell of something and are held back; told once.
    mutating func take(_ program: SleepModelProgram, isHeldBack: (Int) -> Bool) -> (first: Int?, held: [Int]) {
        pendingSince = nil
        let descriptors = program.descriptors
        let pending = descriptors.indices.filter { isPending($0, descriptors[$0]) }
        for index in descriptors.indices {
            told[index] = descriptors[index].mark
            let isThere = descriptors[index].isListening && descriptors[index].wakes && descriptors[index].unread > 0
            if isThere { seen[index] = max(1, seen[index] ?? 0) }
        }
        return (pending.first { !isHeldBack($0) }, pending.filter(isHeldBack))
    }

    /// Whether a connection waits there.
    mutating func hasConnection(_ index: Int, _ descriptor: SleepModelDescriptor) -> Bool {
        seen[index] = descriptor.unread
        return descriptor.unread > 0
    }

    /// Where fewer wait than were seen: a program outside has accepted one.
    func taken(of program: SleepModelProgram) -> [Int] {
        program.descriptors.indices.filter { program.descriptors[$0].unread < seen[$0] ?? 0 }
    }
}
