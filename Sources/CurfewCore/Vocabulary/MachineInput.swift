/// What the core can be told that is about no app.
public enum MachineInput: Sendable, Hashable {
    /// The machine's memory is to be watched: short of it below `low` bytes; warned of for `sustained`, idle apps go.
    /// `isToldOfStalls`: somebody tells when processes wait for memory.
    indirect case watchMemory(low: UInt64, sustained: Span, isToldOfStalls: Bool)
    /// In bytes; `isStalling`: processes have just waited for memory.
    case availableMemoryMeasured(UInt64, isStalling: Bool)
    /// Somebody has the machine taken to be that short of memory, whatever is measured, until `normal` is said.
    case pressureSimulated(PressureLevel)
    /// The disk is to be watched: too full with less than `low` bytes free.
    case watchDisk(low: UInt64)
    case freeDiskMeasured(UInt64)
    /// Of an app that another supervisor holds and that takes part in the front here. Its slot is nobody else's meanwhile.
    case joined(AppID, JoinedInput)

    /// Time has passed; nothing else has happened.
    case tick
}

/// What is told of an app that another supervisor holds: where it stands alone, for all else is that one's to decide.
public enum JoinedInput: Sendable, Hashable {
    /// It comes to the front; or was opened again there.
    case opened
    /// It isn't in front any more.
    case wentHome
    /// It takes part no more.
    case left
}
