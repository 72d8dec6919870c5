/// What is kept of how an app fetches: a row of the table `fetch`.
public struct StoredFetch: Sendable, Hashable {
    public var app: String
    /// What it has asked for, in microseconds: 0, as often as may be; below 0, never; nil: it hasn't.
    public var interval: Int64?
    /// When it fetched last, in microseconds since 1970.
    public var last: Int64?
    /// How many in a row have found nothing, as far as that counts.
    public var fruitless: Int

    public init(app: String, interval: Int64?, last: Int64?, fruitless: Int) {
        self.app = app
        self.interval = interval
        self.last = last
        self.fruitless = fruitless
    }
}

/// One time that somebody has opened an app that fetches: a row of the table `opening`.
public struct StoredOpening: Sendable, Hashable {
    public var app: String
    /// In microseconds since 1970.
    public var time: Int64
    /// What the clock showed, as ISO 8601 writes it.
    public var shown: String

    public init(app: String, time: Int64, shown: String) {
        self.app = app
        self.time = time
        self.shown = shown
    }
}
