import CurfewCore
import CurfewEngine
import CurfewStore

/// Refresh and processing requests as they are kept, in both directions.
extension DatabaseRecords {
    static func stored(_ record: RequestRecord) -> StoredRequest {
        let request = record.request
        return StoredRequest(
            key: StoredRequest.Key(app: record.app, id: request.id), kind: request.kind.rawValue,
            earliest: request.earliest?.microseconds, needsNetwork: request.needsNetwork,
            needsPower: request.needsPower, submitted: record.submitted.microseconds)
    }

    /// Nil for what a newer curfew has written in words that this one doesn't know.
    static func request(_ stored: StoredRequest) -> RequestRecord? {
        TaskRequest.Kind(rawValue: stored.kind).map { kind in
            RequestRecord(
                app: stored.key.app,
                request: TaskRequest(
                    id: stored.key.id, kind: kind, earliest: stored.earliest.map { WallTime(microseconds: $0) },
                    needsNetwork: stored.needsNetwork, needsPower: stored.needsPower),
                submitted: WallTime(microseconds: stored.submitted))
        }
    }
}
