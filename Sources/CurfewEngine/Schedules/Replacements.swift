/// Notifications, or requests, that are being kept for good, each perhaps in place of one that can fall due before that is done.
///
/// What is noted of the one that goes would count for the one that comes: the records know them by the same id.
struct Replacements {
    struct Key: Hashable {
        let app: String
        let id: String
    }

    /// How many moments of the one that goes have come meanwhile; `.some(nil)`: all of them.
    private struct Entry {
        var count = 0
        var passed: Int64??
    }

    private var entries: [Key: Entry] = [:]

    /// The ids of an app's that are on their way.
    func ids(of app: String) -> [String] { entries.keys.filter { $0.app == app }.map(\.id) }

    mutating func began(_ key: Key) { entries[key, default: Entry()].count += 1 }

    /// Whether it is remembered, instead of being noted now.
    mutating func remembers(_ key: Key, passed: Int64?) -> Bool {
        guard entries[key] != nil else { return false }
        entries[key]?.passed = .some(passed)
        return true
    }

    /// Returns what is to be noted now: of one that stays, for the other couldn't be kept.
    mutating func ended(_ key: Key, isKept: Bool) -> Int64?? {
        guard var entry = entries[key] else { return nil }
        let passed = entry.passed
        entry.count -= 1
        if isKept { entry.passed = nil }
        entries[key] = entry.count > 0 ? entry : nil
        return isKept || entry.count > 0 ? nil : passed
    }
}
