import CurfewWire

/// What `--list` prints.
public enum ScenarioList {
    /// `FILE:LINE: NAME [VALUES]`, a line each, as editors read it.
    public static func text(_ ids: [ScenarioID]) -> String {
        ids.map { "\(Printable.text($0.file)):\($0.line): \($0.label)\n" }.joined()
    }

    /// An array of objects, with its line feed. Source: docs/json.md, "curfew test".
    public static func json(_ ids: [ScenarioID]) -> String {
        JSON.array(ids.map { JSON.object($0.jsonMembers) }).text + "\n"
    }
}
