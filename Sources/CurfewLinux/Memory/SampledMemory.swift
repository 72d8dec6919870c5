import CCurfew
import Glibc

/// What is looked at to know an app's footprint where no cgroup counts it; each look no dearer than it has to be.
struct SampledMemory {
    /// What the whole machine has in use: the most that one app can have of it.
    struct Machine {
        /// Shared memory and files of tmpfs, mapped or not, in bytes.
        var shared: UInt64 = 0
        var swapped: UInt64 = 0

        static func read() -> Machine {
            var use = curfew_memory_use()
            guard curfew_memory_in_use(&use) == 0 else { return Machine(shared: .max, swapped: .max) }
            return Machine(shared: use.shared, swapped: use.swapped)
        }
    }

    /// The longest that files aren't looked at though they could matter, and how much longer than a look takes.
    private static let longest: Int64 = 1_000_000_000
    private static let rarity: Int64 = 20

    /// From how much more in the machine on it is looked at whose it is.
    private static let much: UInt64 = 1 << 20

    /// Of the files that were handed down to the app what was there before it.
    private var handedDown: [MemoryFiles.File: UInt64]?
    private var fileSystems = MemoryFileSystems()
    /// In files, when they were last looked at, and what the machine had then.
    private var files: UInt64 = 0
    private var sharedThen: UInt64 = 0
    var nextLook: Int64 = 0
    private var lastSizes: [MemoryFiles.File: UInt64] = [:]
    private var lastMapped: UInt64 = 0
    private var nextMap: Int64 = 0

    /// At most what the app has in files, by what it had when it was last looked at, and what the machine has more.
    ///
    /// `room`: up to so much nothing depends on them; more than that is an answer of just now.
    mutating func bytesInFiles(of pids: [Int32], _ machine: Machine, room: UInt64) -> UInt64 {
        let isDue = curfew_monotonic_nanoseconds() >= nextLook
        let isFirst = handedDown == nil
        // With nothing more in the whole machine than before there can still be more in this app, and less in others.
        let canMatter = machine.shared > room || estimate(machine) > files + Self.much
        if isFirst || estimate(machine) > room || isDue && canMatter { _ = look(at: pids, machine) }
        return estimate(machine)
    }

    private func estimate(_ machine: Machine) -> UInt64 {
        files + (machine.shared > sharedThen ? machine.shared - sharedThen : 0)
    }

    /// Each file that they have open, once.
    mutating func look(at pids: [Int32], _ machine: Machine) -> MemoryFiles {
        let start = curfew_monotonic_nanoseconds()
        noteHandedDown()
        var found = MemoryFiles(fileSystems)
        for pid in pids { found.look(at: pid) }
        found.subtract(handedDown ?? [:])
        fileSystems = found.fileSystems
        files = found.bytes
        sharedThen = machine.shared
        let now = curfew_monotonic_nanoseconds()
        nextLook = now + max(Self.longest, (now - start) * Self.rarity)
        return found
    }

    /// How much of these files is mapped; asked of the kernel seldom while they stay as they are, for it takes long.
    ///
    /// `enough`: so much decides; with less than that it is asked anew, for more can have been mapped since.
    mutating func mapped(_ found: MemoryFiles, by pids: [Int32], sufficing enough: UInt64) -> UInt64 {
        let start = curfew_monotonic_nanoseconds()
        if start < nextMap, found.sizes == lastSizes, lastMapped >= enough { return lastMapped }
        lastSizes = found.sizes
        lastMapped = found.mapped(by: pids)
        let now = curfew_monotonic_nanoseconds()
        nextMap = now + (now - start) * Self.rarity
        return lastMapped
    }

    /// What was handed down to the app was handed down to us.
    private mutating func noteHandedDown() {
        guard handedDown == nil else { return }
        var own = MemoryFiles()
        own.look(atOwn: HandedDownDescriptors.numbers)
        handedDown = own.sizes
    }
}
