import CurfewCore

/// Whoever keeps what the core was told, and what it answered.
public protocol JournalWriting: AnyObject {
    func record(_ input: Input, at now: Moment, _ effects: ArraySlice<Effect>)
}
