import CurfewCore
import CurfewLinux

/// One thing that happened to an app, as its followers hear of it.
public enum EventRecord: Sendable, Hashable {
    case stateChanged(from: LifecycleState, to: LifecycleState)
    case delivered(LifecycleEvent, sequence: Int)
    case note(Note)
    case stillRunning([PendingProcess])
    case killing(KillReport)
    case ended(Ending)
    case channelDropped(reason: String)
}
