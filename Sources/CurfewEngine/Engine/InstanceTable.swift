import CurfewCore

/// The instances of one supervisor by their apps' numbers, each in the slot that its number names.
///
/// An instance stays when its app has ended, for what is told last of it, until another app has its slot.
struct InstanceTable {
    /// In no order that means anything.
    private(set) var all: [Instance] = []
    /// By slot: where its instance is in `all`. Numbers only, as in the core's table: no type is made for them.
    private var places: [Int] = []

    private static let vacant = -1

    /// Nil where there was none of that number, or its slot is another's by now.
    subscript(app: AppID) -> Instance? {
        guard let place = place(of: app.slot), all[place].id == app else { return nil }
        return all[place]
    }

    private func place(of slot: Int) -> Int? {
        slot >= places.count || places[slot] == Self.vacant ? nil : places[slot]
    }

    mutating func insert(_ instance: Instance) {
        let slot = instance.id.slot
        if let place = place(of: slot) {
            all[place] = instance
            return
        }
        let missing = slot + 1 - places.count
        if missing > 0 { places += Array(repeating: Self.vacant, count: missing) }
        places[slot] = all.count
        all.append(instance)
    }
}
