/// What came of a `fetch` or a `remote-notification`: UIKit's `UIBackgroundFetchResult`.
public enum BackgroundFetchResult: String, Hashable, Sendable, CaseIterable {
    case newData = "new-data"
    case noData = "no-data"
    case failed
}

/// What is told of an event with its acknowledgement.
package enum EventOutcome: Hashable, Sendable {
    case fetch(BackgroundFetchResult)
    case task(success: Bool)
}
