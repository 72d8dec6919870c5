/// What is kept of a notification that waits: a row of the table `notification`.
///
/// Thousands are read at a start: an object is handed on without its texts being counted each time.
public final class StoredNotification: Sendable, Hashable {
    public struct Key: Sendable, Hashable {
        public var app: String
        public var id: String

        public init(app: String, id: String) {
            self.app = app
            self.id = id
        }
    }

    public let key: Key
    /// Its first moment: absolute, in microseconds since 1970.
    public let moment: Int64?
    /// Or what clocks show then, as ISO 8601 writes it; of the two there is one.
    public let civil: String?
    /// Whose clocks these are: `local`, or a name of the tz database.
    public let zone: String?
    /// `daily` and such, or seconds; nil: it comes once.
    public let repetition: String?
    /// How many of its moments have come.
    public let passed: Int64
    /// What it shows and carries, as JSON: `Content` writes and reads it.
    public let content: String

    public struct Content: Sendable, Hashable {
        public var title: String
        public var body: String
        public var action: String?
        public var badge: Int?
        public var sound: String?
        /// In order.
        public var info: [Pair]

        public init(title: String, body: String, action: String?, badge: Int?, sound: String?, info: [Pair]) {
            self.title = title
            self.body = body
            self.action = action
            self.badge = badge
            self.sound = sound
            self.info = info
        }
    }

    public struct Pair: Sendable, Hashable {
        public var key: String
        public var value: String

        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    public init(
        key: Key, moment: Int64? = nil, civil: String? = nil, zone: String? = nil, repetition: String? = nil,
        passed: Int64 = 0, content: String
    ) {
        self.key = key
        self.moment = moment
        self.civil = civil
        self.zone = zone
        self.repetition = repetition
        self.passed = passed
        self.content = content
    }

    /// As it is once so many of its moments have come.
    func passed(_ count: Int64) -> StoredNotification {
        StoredNotification(
            key: key, moment: moment, civil: civil, zone: zone, repetition: repetition, passed: count, content: content)
    }

    public static func == (left: StoredNotification, right: StoredNotification) -> Bool {
        left.key == right.key && left.moment == right.moment && left.civil == right.civil && left.zone == right.zone
            && left.repetition == right.repetition && left.passed == right.passed && left.content == right.content
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(passed)
    }
}
