import CurfewCore
import CurfewEngine
import CurfewStore

/// How apps fetch, as it is kept, in both directions.
extension DatabaseRecords {
    static func stored(_ record: FetchRecord) -> StoredFetch {
        StoredFetch(
            app: record.app, interval: record.asked.map { $0.isInfinite ? -1 : $0.nanoseconds / 1000 },
            last: record.lastFetch?.microseconds, fruitless: record.fruitless)
    }

    static func fetch(_ stored: StoredFetch) -> FetchRecord {
        FetchRecord(
            app: stored.app, asked: stored.interval.map(span),
            lastFetch: stored.last.map { WallTime(microseconds: $0) }, fruitless: stored.fruitless)
    }

    private static func span(_ microseconds: Int64) -> Span {
        let (nanoseconds, isTooLong) = microseconds.multipliedReportingOverflow(by: 1000)
        return microseconds < 0 || isTooLong ? .infinite : Span(nanoseconds: nanoseconds)
    }

    /// Nil for what somebody else has written.
    static func opening(_ stored: StoredOpening) -> (app: String, opening: UseHabits.Opening)? {
        CivilTime(stored.shown).map {
            (stored.app, UseHabits.Opening(WallTime(microseconds: stored.time), shown: $0))
        }
    }
}
