import CurfewCore

/// The numbers of a server's apps: a slot that one has left is another's, in its next generation.
struct AppNumbers {
    /// Slot 0 stays vacant.
    private var used = 0
    private var free: [AppID] = []

    mutating func take() -> AppID {
        if let next = free.popLast() { return next }
        used += 1
        return AppID(slot: used, generation: 0)
    }

    mutating func giveBack(_ app: AppID) { free.append(AppID(slot: app.slot, generation: app.generation + 1)) }
}
