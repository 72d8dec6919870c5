import CurfewCore
import CurfewEngine
import CurfewStore

/// Remote notifications as they are kept, in both directions.
extension DatabaseRecords {
    static func stored(_ push: PushRecord) -> StoredPush {
        StoredPush(
            app: push.app, number: push.number, received: push.received.microseconds, apnsID: push.apnsID,
            isSilent: push.isSilent, delivered: push.delivered?.microseconds, payload: push.payload)
    }

    static func push(_ stored: StoredPush) -> PushRecord {
        PushRecord(
            app: stored.app, number: stored.number, received: WallTime(microseconds: stored.received),
            apnsID: stored.apnsID, isSilent: stored.isSilent,
            delivered: stored.delivered.map { WallTime(microseconds: $0) }, payload: stored.payload)
    }
}
