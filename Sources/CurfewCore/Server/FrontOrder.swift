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
    /// By slot: a list in both directions.
    private var links: [Link] = []

    private struct Link: Sendable, Hashable {
        /// `nobody` where its slot isn't in the list.
        var id = FrontOrder.nobody
        var newer = FrontOrder.nobody
        var older = FrontOrder.nobody
    }

    private static let nobody = -1

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
            slot = links[slot].older
        }
        return found
    }

    /// Who goes home for the next to come: the least recently opened of those in front; nil while a place is free.
    public var leaver: AppID? { isFull ? id(lastInFront) : nil }

    /// The most recent one that was in front, isn't any more, and can come back.
    public func previous(where canReturn: (AppID) -> Bool) -> AppID? {
        var slot = count > 0 ? links[lastInFront].older : newest
        while slot != Self.nobody {
            if canReturn(id(slot)) { return id(slot) }
            slot = links[slot].older
        }
        return nil
    }

    private func id(_ slot: Int) -> AppID { AppID(links[slot].id) }

    private func isKnown(_ app: AppID) -> Bool { app.slot < links.count && links[app.slot].id == app.rawValue }

    /// Where somebody is in front.
    private var lastInFront: Int {
        var slot = newest
        for _ in 1..<count { slot = links[slot].older }
        return slot
    }

    func isInFront(_ app: AppID) -> Bool {
        var slot = newest
        for _ in 0..<count {
            if slot == app.slot { return isKnown(app) }
            slot = links[slot].older
        }
        return false
    }

    // MARK: Changes

    /// It comes to the front, where a place must be free, and it mustn't be yet.
    public mutating func enter(_ app: AppID) {
        precondition(!isFull && !isInFront(app), "app \(app.rawValue) comes to the front of \(inFront)")
        let slot = app.slot
        if slot >= links.count { links += Array(repeating: Link(), count: slot + 1 - links.count) }
        if newest != slot || !isKnown(app) {
            if links[slot].id != Self.nobody { unlink(slot) }
            links[slot].id = app.rawValue
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
        links[app.slot] = Link()
    }

    private mutating func unlink(_ slot: Int) {
        let link = links[slot]
        if link.newer == Self.nobody { newest = link.older } else { links[link.newer].older = link.older }
        if link.older != Self.nobody { links[link.older].newer = link.newer }
    }

    /// `newer`: `nobody` where it is to be the most recent of all.
    private mutating func link(_ slot: Int, after newer: Int) {
        let older = newer == Self.nobody ? newest : links[newer].older
        links[slot].newer = newer
        links[slot].older = older
        if newer == Self.nobody { newest = slot } else { links[newer].older = slot }
        if older != Self.nobody { links[older].newer = slot }
    }
}
