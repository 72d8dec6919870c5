/// What an app has asked to be told, or its user to be shown, at some moment, whether it runs by then or not.
///
/// Source: Apple, `UILocalNotification`: the system holds what is scheduled; no code of the app runs until it is due.
public struct LocalNotification: Sendable, Hashable {
    private let storage: Storage

    /// Of the app's others none has it.
    public var id: String { storage.id }
    public var rule: CalendarRule { storage.rule }

    public struct Content: Sendable, Hashable {
        public var title: String
        public var body: String
        /// What its button says; nil: it can only be closed, and closing it launches nothing.
        /// Source: Apple, `UILocalNotification.hasAction`.
        public var action: String?
        /// What the app's badge is from its delivery on, even where nobody looks at it; nil: as it was.
        public var badge: Int?
        public var sound: String?
        /// What travels with it, as UIKit's `userInfo`.
        public var info: [Info]

        public init(
            title: String = "", body: String = "", action: String? = nil, badge: Int? = nil, sound: String? = nil,
            info: [Info] = []
        ) {
            self.title = title
            self.body = body
            self.action = action
            self.badge = badge
            self.sound = sound
            self.info = info
        }
    }

    /// What it shows and carries, or where that stands: of thousands that wait hardly one is looked at.
    private enum Source: Sendable {
        indirect case content(Content)
        case written(String, read: @Sendable (String) -> Content)
    }

    /// Shared by all copies: thousands are put in order.
    private final class Storage: Sendable {
        let id: String
        let rule: CalendarRule
        let source: Source

        init(_ id: String, _ rule: CalendarRule, _ source: Source) {
            self.id = id
            self.rule = rule
            self.source = source
        }
    }

    public var content: Content {
        switch storage.source {
        case .content(let content): content
        case .written(let text, let read): read(text)
        }
    }

    /// The longest id, in bytes.
    public static let maximumIDBytes = 64

    /// Whether the text is an id: letters, digits, `-`, `_` and `.`.
    public static func isID(_ text: String) -> Bool {
        let isWord = text.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == 45 || byte == 46 || byte == 95
        }
        return isWord && 1...maximumIDBytes ~= text.utf8.count
    }

    public init(id: String, rule: CalendarRule, content: Content = Content()) {
        storage = Storage(id, rule, .content(content))
    }

    /// `read`: of `text`, what it shows and carries; called whenever somebody looks at that.
    public init(id: String, rule: CalendarRule, written text: String, read: @escaping @Sendable (String) -> Content) {
        storage = Storage(id, rule, .written(text, read: read))
    }

    public static func == (left: LocalNotification, right: LocalNotification) -> Bool {
        left.id == right.id && left.rule == right.rule && left.content == right.content
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(rule)
    }
}
