/// Who is in front, who was there before, and in which order: the most recent first, those in front before all others.
///
/// Nobody comes to the front by itself: who leaves it, or ends, leaves its place free. A change costs the same however many
/// were ever in front; where there are several places, what it costs grows with those.
public struct FrontOrder: Sendable, Hashable {
    /// How many may be in front at once; 1 or more.
    public let places: Int
    private var count = 0
    /// The slot of the most recent; `nobody` while there is none.
    private var newest = nobody
    /// Of each slot its `fields`: a list in both directions. Numbers only, as in `AppTable`: a launch makes no type for them.
    private var links: [Int] = []

    /// The numbers of one slot.
    private enum Field: Int {
        /// `nobody` where the slot isn't in the list.
        case id
        case newer
        case older
    }

    private static let fields = 3
    private static let nobody = -1

    private subscript(_ slot: Int, _ field: Field) -> Int {
        get { links[Self.fields * slot + field.rawValue] }
        set { links[Self.fields * slot + field.rawValue] = newValue }
    }

    public init(places: Int = 1) {
        precondition(places >= 1, "\(places) places in front")
        self.places = places
    }

    // MARK: Who is where

    /// Whether whoever comes to the front sends somebody home.
    public var isFull: Bool { count == places }

    /// The most recently opened of those in front.
    public var first: AppID? { count > 0 ? id(newest) : nil }

    /// Those in front, the most recently opened first.
    public var inFront: [AppID] {
        var found: [AppID] = []
        var slot = newest
        while found.count < count {
            found.append(id(slot))
            slot = self[slot, .older]
        }
        return found
    }

    /// Who goes home for the next to come: the least recently opened of those in front; nil while a place is free.
    public var leaver: AppID? { isFull ? id(lastInFront) : nil }

    /// The most recent one that was in front, isn't any more, and can come back.
    public func previous(where canReturn: (AppID) -> Bool) -> AppID? {
        var slot = count > 0 ? self[lastInFront, .older] : newest
        while slot != Self.nobody {
            if canReturn(id(slot)) { return id(slot) }
            slot = self[slot, .older]
        }
        return nil
    }

    private func id(_ slot: Int) -> AppID { AppID(self[slot, .id]) }

    private func isKnown(_ app: AppID) -> Bool {
        Self.fields * app.slot < links.count && self[app.slot, .id] == app.rawValue
    }

    /// Where somebody is in front.
    private var lastInFront: Int {
        var slot = newest
        for _ in 1..<count { slot = self[slot, .older] }
        return slot
    }

    func isInFront(_ app: AppID) -> Bool {
        var slot = newest
        for _ in 0..<count {
            if slot == app.slot { return isKnown(app) }
            slot = self[slot, .older]
        }
        return false
    }

    // MARK: Changes

    /// It comes to the front, where a place must be free, and it mustn't be yet.
    public mutating func enter(_ app: AppID) {
        precondition(!isFull && !isInFront(app), "app \(app.rawValue) comes to the front of \(inFront)")
        let slot = app.slot
        let missing = Self.fields * (slot + 1) - links.count
        if missing > 0 { links += Array(repeating: Self.nobody, count: missing) }
        if newest != slot || !isKnown(app) {
            if self[slot, .id] != Self.nobody { unlink(slot) }
            self[slot, .id] = app.rawValue
            link(slot, after: Self.nobody)
        }
        count += 1
    }

    /// One in front is opened again; of anybody else nothing changes.
    public mutating func reopen(_ app: AppID) {
        guard app.slot != newest, isInFront(app) else { return }
        unlink(app.slot)
        link(app.slot, after: Self.nobody)
    }

    /// One in front goes home; of anybody else nothing changes.
    public mutating func leave(_ app: AppID) {
        guard isInFront(app) else { return }
        let last = lastInFront
        if last != app.slot {
            unlink(app.slot)
            link(app.slot, after: last)
        }
        count -= 1
    }

    /// It has ended, and is forgotten.
    public mutating func remove(_ app: AppID) {
        guard isKnown(app) else { return }
        if isInFront(app) { count -= 1 }
        unlink(app.slot)
        self[app.slot, .id] = Self.nobody
        self[app.slot, .newer] = Self.nobody
        self[app.slot, .older] = Self.nobody
    }

    private mutating func unlink(_ slot: Int) {
        let (newer, older) = (self[slot, .newer], self[slot, .older])
        if newer == Self.nobody { newest = older } else { self[newer, .older] = older }
        if older != Self.nobody { self[older, .newer] = newer }
    }

    /// `newer`: `nobody` where it is to be the most recent of all.
    private mutating func link(_ slot: Int, after newer: Int) {
        let older = newer == Self.nobody ? newest : self[newer, .older]
        self[slot, .newer] = newer
        self[slot, .older] = older
        if newer == Self.nobody { newest = slot } else { self[newer, .older] = slot }
        if older != Self.nobody { self[older, .newer] = slot }
    }
}
