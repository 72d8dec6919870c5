import CurfewCore
import CurfewWire

/// The names of events as people type them.
public enum EventName {
    /// What NAMEs, and the KEYs of pairs, are made of.
    static let accepted = "letters, digits, - _ and . (first a letter), 64 at most"
    /// What Curfew itself posts when the file of `--settings` has changed.
    static let settings = "settingsDidChange"

    /// The name of an event that somebody posts.
    ///
    /// Throws for what is no name, and for the lifecycle's own.
    public static func posted(_ text: String) throws(BadValue) -> String {
        guard Event.isWord(text) else { throw BadValue(text, isNot: "an event's name: \(accepted)") }
        guard Event.canBePosted(text) else {
            throw BadValue("\(text) is an event of the lifecycle; only Curfew delivers it, so yours needs another name")
        }
        return text
    }

    /// The name of an event that somebody wants to hear of: the lifecycle's, or one that is posted.
    ///
    /// Throws also for one that is nearly the lifecycle's: whoever listens for a slip hears nothing.
    public static func heard(_ text: String) throws(BadValue) -> String {
        if LifecycleEvent(rawValue: text) != nil || text == settings { return text }
        let name = try posted(text)
        guard let meant = meant(by: name, among: LifecycleEvent.allCases.map(\.rawValue) + [settings]) else {
            return name
        }
        throw BadValue("there is no event \"\(name)\"; did you mean \(meant)?")
    }

    /// The case of letters aside, nothing but a slip or two.
    private static func meant(by name: String, among known: [String]) -> String? {
        if let nearest = NearestWord.nearest(to: name, among: known) { return nearest }
        let lower = known.map { $0.lowercased() }
        guard let nearest = NearestWord.nearest(to: name.lowercased(), among: lower) else { return nil }
        return lower.firstIndex(of: nearest).map { known[$0] }
    }
}
