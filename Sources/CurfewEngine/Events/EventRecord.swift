import CurfewCore
import CurfewLinux

/// One thing that happened to an app, as its followers hear of it.
public enum EventRecord: Sendable, Hashable {
    case stateChanged(from: LifecycleState, to: LifecycleState)
    /// `leftOut`: pairs that history doesn't keep.
    case delivered(Event, sequence: Int, info: [Info] = [], leftOut: Int = 0)
    case note(Note)
    /// It goes on, which its note alone doesn't tell.
    indirect case woken(Waking)
    case stillRunning([PendingProcess])
    /// Its time limit has passed, and it is signalled to end of itself.
    indirect case expired(KillReport)
    indirect case killing(KillReport)
    indirect case ended(Ending)
    case channelDropped(reason: String)
    /// `STATUS=` of sd_notify.
    case statusText(String)
    /// A process of the app has named its main process.
    case mainProcess(Int32)
    /// What came on `NOTIFY_SOCKET` and isn't heeded, and why.
    case notificationIgnored(reason: String)
    /// Its memory was moved to swap, as far as it could be.
    case pagedOut(PageOutResult)
    /// `available`: nil where somebody has said that the machine is so.
    case pressure(PressureLevel, available: UInt64?)
    /// The settings file can't be watched any more.
    case settingsLost(reason: String)
    /// One that would have driven the app, sent from inside it, or by who can't be told.
    case signalIgnored(Int32, from: Int32?)
    /// Somebody has stopped the supervisor; its proxy has continued it.
    case supervisorStopped
    /// A hook wasn't run: too many wait already.
    case hookDropped(event: String)
    /// It takes part in that server from now on.
    case joined(server: String)
    /// One of its notifications was due; `by`: `app`, it was told itself; `desktop`, or `summary` there; `log`; `badge`, and nothing else.
    indirect case notified(LocalNotification, by: String)
    /// It takes part no more, or couldn't; why.
    case parted(server: String, reason: String)
}

extension EventRecord {
    /// What is kept of an event's pairs: many large ones would be more than a reader of the history may leave unread.
    static let maximumInfoBytes = 256

    /// With the pairs that fit, as they stand, up to the first that doesn't.
    static func delivered(_ delivery: Delivery) -> EventRecord {
        var bytes = 0
        let kept = delivery.info.prefix { pair in
            bytes += pair.key.utf8.count + pair.value.utf8.count
            return bytes <= maximumInfoBytes
        }
        return .delivered(
            delivery.event, sequence: delivery.sequence, info: Array(kept), leftOut: delivery.info.count - kept.count)
    }
}
