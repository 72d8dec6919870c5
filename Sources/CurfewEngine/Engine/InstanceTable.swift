import CurfewCore

/// The instances of one supervisor by their apps' numbers, each in the slot that its number names, and which of them are at
/// work: kept up to date at each change, so that no answer takes a look at all.
///
/// An instance stays when its app has ended, for what is told last of it, until another app has its slot.
struct InstanceTable {
    /// In no order that means anything.
    private(set) var all: [Instance] = []
    /// Those with something to go on with, in no order that means anything.
    private(set) var atWork: [Instance] = []
    /// Of each slot its `fields`. Numbers only, as in the core's table: no type is made for them.
    private var places: [Int] = []

    /// The numbers of one slot.
    private enum Field: Int {
        /// Where its instance stands in `all`; -1 while it has none.
        case all
        /// Where its instance stands in `atWork`; -1 while it isn't at work.
        case atWork
    }

    private static let fields = 2
    private static let nowhere = -1

    private subscript(_ slot: Int, _ field: Field) -> Int {
        get { places[Self.fields * slot + field.rawValue] }
        set { places[Self.fields * slot + field.rawValue] = newValue }
    }

    /// Nil where there was none of that number, or its slot is another's by now.
    subscript(app: AppID) -> Instance? {
        guard let place = place(of: app.slot), all[place].id == app else { return nil }
        return all[place]
    }

    private func place(of slot: Int) -> Int? {
        Self.fields * slot >= places.count || self[slot, .all] == Self.nowhere ? nil : self[slot, .all]
    }

    /// It isn't at work yet.
    mutating func insert(_ instance: Instance) {
        let slot = instance.id.slot
        if let place = place(of: slot) {
            remove(fromWork: slot)
            all[place] = instance
            return
        }
        let missing = Self.fields * (slot + 1) - places.count
        if missing > 0 { places += Array(repeating: Self.nowhere, count: missing) }
        self[slot, .all] = all.count
        all.append(instance)
    }

    /// Nothing is to be told of it any more.
    mutating func remove(_ app: AppID) {
        guard let place = place(of: app.slot), all[place].id == app else { return }
        remove(fromWork: app.slot)
        let last = all.removeLast()
        if last.id != app {
            all[place] = last
            self[last.id.slot, .all] = place
        }
        self[app.slot, .all] = Self.nowhere
    }

    /// Of an app that isn't there nothing is noted.
    mutating func note(_ app: AppID, isAtWork: Bool) {
        guard let instance = self[app] else { return }
        let isNoted = self[app.slot, .atWork] != Self.nowhere
        if isAtWork, !isNoted {
            self[app.slot, .atWork] = atWork.count
            atWork.append(instance)
        } else if !isAtWork, isNoted {
            remove(fromWork: app.slot)
        }
    }

    private mutating func remove(fromWork slot: Int) {
        let place = self[slot, .atWork]
        guard place != Self.nowhere else { return }
        let last = atWork.removeLast()
        if last.id.slot != slot {
            atWork[place] = last
            self[last.id.slot, .atWork] = place
        }
        self[slot, .atWork] = Self.nowhere
    }
}
