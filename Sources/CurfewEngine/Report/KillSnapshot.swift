import CurfewCore
import CurfewLinux

/// An app at the moment before it was killed.
struct KillSnapshot {
    var processes: [ProcessSnapshot]
    /// How many more there were than there was time to look at.
    var omitted: Int
    var instant: Instant

    /// So long before a kill for memory the kernel's own can have come.
    private static let memory = Span.seconds(1)

    /// What the kernel has killed before anybody could look has no memory any more, and no command line. A lone one had
    /// what its cgroup held at most, but for what the others have; of the leader it is known what was started.
    ///
    /// `peak`: in bytes; nil where it isn't known.
    func attributing(peak: UInt64?, leader: Int32, command: [String]) -> KillSnapshot {
        var attributed = self
        for index in processes.indices where processes[index].pid == leader && processes[index].commandLine.isEmpty {
            attributed.processes[index].commandLine = command
        }
        let unknown = processes.indices.filter { processes[$0].footprint == nil }
        guard let peak, let dying = unknown.first, unknown.count == 1, omitted == 0 else { return attributed }
        let others = processes.reduce(UInt64(0)) { $0 &+ ($1.footprint ?? 0) }
        if peak > others { attributed.processes[dying].footprint = peak - others }
        return attributed
    }

    /// What is dying has no memory and no command line any more: then what was seen of it earlier stands for it.
    ///
    /// `includesGone`: what has gone altogether in the last second is told as well, for the kernel ends the largest first.
    /// Where nothing is left, what was seen last is told, however old: on a busy machine the last look is.
    func completed(by earlier: KillSnapshot?, includesGone: Bool) -> KillSnapshot {
        guard let earlier else { return self }
        let tellsGone = processes.isEmpty || instant - earlier.instant <= Self.memory
        var completed = self
        for seen in earlier.processes {
            if let index = processes.firstIndex(where: { $0.pid == seen.pid }) {
                completed.processes[index].remember(seen)
            } else if includesGone, tellsGone, omitted == 0 {
                completed.processes.append(seen)
            }
        }
        return completed
    }
}

extension ProcessSnapshot {
    fileprivate mutating func remember(_ seen: ProcessSnapshot) {
        if footprint == nil { footprint = seen.footprint }
        if commandLine.isEmpty { commandLine = seen.commandLine }
    }
}

/// What an app was using when it ended, and who was there besides.
struct RunMeasures {
    var cpuMicroseconds: UInt64 = 0
    var peakMemory: UInt64?
    /// Every app of the supervisor, for a kill for memory.
    var neighbours: [Neighbour] = []

    struct Neighbour {
        var name: String
        var band: Band
        var footprint: UInt64
        var isVictim: Bool
    }
}
