/// The notifications that one app waits for: the soonest of them, each once however many of its moments have passed.
///
/// Source: Apple, `UILocalNotification`: the system keeps the soonest 64 of an app; one that repeats counts as one.
public struct LocalNotifications: Sendable, Hashable {
    /// The soonest first; of two that are due at once the one that was scheduled first.
    public private(set) var pending: [Pending] = []
    private var lastNumber = 0

    public static let maximumCount = 64

    public struct Pending: Sendable, Hashable {
        public let notification: LocalNotification
        /// How many of its moments have come.
        public fileprivate(set) var passed: Int64
        /// The next of them.
        public fileprivate(set) var due: WallTime
        fileprivate let number: Int
    }

    /// What has become of one that was to be scheduled.
    public enum Scheduling: Sendable, Hashable {
        /// Its moments are all over, or never come.
        case never
        /// It is due at that moment. `dropped`: the id of the one that is now kept no more, where there were too many; its own
        /// where it would be the last.
        case kept(due: WallTime, dropped: String?)
    }

    /// Tells the offset of a rule's zone; not asked where it has none.
    public typealias Offsets = (CalendarRule.Zone, WallTime) -> Int64

    public init() {}

    /// When the next one is due; nil where none is.
    public var nextDue: WallTime? { pending.first?.due }

    public subscript(id: String) -> Pending? { pending.first { $0.notification.id == id } }

    // MARK: Changes

    /// In place of one of the same id. What is due once and was due before is due at once; of what repeats only what comes.
    public mutating func schedule(_ notification: LocalNotification, at now: WallTime, _ offsets: Offsets) -> Scheduling
    {
        keep(notification, passed: passed(of: notification.rule, at: now, offsets), offsets)
    }

    /// How many moments of a new one count as over.
    public func passed(of rule: CalendarRule, at now: WallTime, _ offsets: Offsets) -> Int64 {
        rule.repetition == nil ? 0 : rule.count(upTo: now, offsets)
    }

    /// The same as `schedule`; `passed`: how many of its moments have come.
    public mutating func keep(_ notification: LocalNotification, passed: Int64, _ offsets: Offsets) -> Scheduling {
        guard let due = notification.rule.occurrence(passed, offsets) else { return .never }
        cancel(notification.id)
        insert(notification, passed: passed, due: due)
        guard pending.count > Self.maximumCount else { return .kept(due: due, dropped: nil) }
        return .kept(due: due, dropped: pending.removeLast().notification.id)
    }

    /// As all were kept, and nothing besides. Returns the ids of those that are too many: the soonest stay.
    public mutating func restore(
        all kept: [(notification: LocalNotification, passed: Int64)], _ offsets: Offsets
    ) -> [String] {
        pending.removeAll()
        pending.reserveCapacity(kept.count)
        for (notification, passed) in kept {
            guard let due = notification.rule.occurrence(passed, offsets) else { continue }
            lastNumber += 1
            pending.append(Pending(notification: notification, passed: passed, due: due, number: lastNumber))
        }
        pending.sort { ($0.due, $0.number) < ($1.due, $1.number) }
        let excess = pending.dropFirst(Self.maximumCount).map(\.notification.id)
        pending.removeLast(excess.count)
        return excess
    }

    /// As it was kept. `passed`: how many of its moments had come. False for one that comes no more, or is one too many.
    @discardableResult
    public mutating func restore(_ notification: LocalNotification, passed: Int64, _ offsets: Offsets) -> Bool {
        guard pending.count < Self.maximumCount, self[notification.id] == nil,
            let due = notification.rule.occurrence(passed, offsets)
        else { return false }
        insert(notification, passed: passed, due: due)
        return true
    }

    /// Returns whether there was one of that id.
    @discardableResult
    public mutating func cancel(_ id: String) -> Bool {
        guard let index = pending.firstIndex(where: { $0.notification.id == id }) else { return false }
        pending.remove(at: index)
        return true
    }

    public mutating func cancelAll() { pending.removeAll() }

    private mutating func insert(_ notification: LocalNotification, passed: Int64, due: WallTime) {
        lastNumber += 1
        insert(Pending(notification: notification, passed: passed, due: due, number: lastNumber))
    }

    private mutating func insert(_ entry: Pending) {
        let index = pending.firstIndex { (entry.due, entry.number) < ($0.due, $0.number) } ?? pending.endIndex
        pending.insert(entry, at: index)
    }

    // MARK: Being due

    /// The soonest that is due, which waits no more; what repeats waits for its next moment after now. Nil where none is due.
    public mutating func takeDue(at now: WallTime, _ offsets: Offsets) -> LocalNotification? {
        guard let first = pending.first, first.due <= now else { return nil }
        pending.removeFirst()
        var next = first
        let rule = first.notification.rule
        // At least one more than before, wherever the clock was put meanwhile.
        next.passed = max(first.passed + 1, rule.repetition == nil ? 1 : rule.count(upTo: now, offsets))
        if let due = rule.occurrence(next.passed, offsets) {
            next.due = due
            insert(next)
        }
        return first.notification
    }

    /// The zone has changed, or its rules: each is due when its clocks say so now. No moment that has come comes again.
    public mutating func zoneChanged(_ offsets: Offsets) {
        pending = pending.compactMap { entry in
            guard let due = entry.notification.rule.occurrence(entry.passed, offsets) else { return nil }
            var entry = entry
            entry.due = due
            return entry
        }
        pending.sort { ($0.due, $0.number) < ($1.due, $1.number) }
    }
}

extension CalendarRule {
    fileprivate func occurrence(_ count: Int64, _ offsets: LocalNotifications.Offsets) -> WallTime? {
        occurrence(count) { time in zone.map { offsets($0, time) } ?? 0 }
    }

    fileprivate func count(upTo time: WallTime, _ offsets: LocalNotifications.Offsets) -> Int64 {
        count(upTo: time) { time in zone.map { offsets($0, time) } ?? 0 }
    }
}
