import CurfewCore
import CurfewLinux

/// An app at the moment before it was killed.
struct KillSnapshot {
    var processes: [ProcessSnapshot]
    /// How many more there were than there was time to look at.
    var omitted: Int
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
