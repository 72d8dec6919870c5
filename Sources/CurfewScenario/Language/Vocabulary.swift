/// The words that the language takes from the rules; the tests hold them to those of CurfewCore.
public enum Vocabulary {
    public static let states = ["active", "inactive", "background", "suspended", "notRunning"]

    /// What only Curfew delivers.
    public static let lifecycleEvents = [
        "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground", "willEnterForeground",
        "backgroundTaskWillExpire", "didReceiveMemoryWarning", "willTerminate",
    ]

    /// Posted by Curfew itself, when the file of `--settings` has changed.
    public static let settingsEvent = "settingsDidChange"

    /// What `curfew events` tells that is called nearly like one of the lifecycle's.
    static let lookalikes = ["backgroundTasksWillExpire"]

    public static let killReasons = [
        "launch-watchdog", "scene-update-watchdog", "process-exit-watchdog", "watchdog", "background-task-timeout",
        "background-fetch-timeout", "suspended-with-locked-file", "memory-limit", "memory-highwater", "memory-pressure",
        "idle-exit", "cpu-limit", "resumed-too-often", "disk-space", "too-many-tasks", "user-quit", "time-limit",
        "supervisor-exit",
    ]

    /// Those of ends that nobody but the system asked for: the app is to come back as it was.
    public static let reclaimingReasons = ["memory-pressure", "memory-highwater", "idle-exit"]

    /// Options of `curfew run` that whoever plays a scenario gives himself, and what is said to an `app` that has one.
    public static let ownOptions = [
        "--name": "a scenario finds its app without --name; leave it away",
        "--report": "a scenario writes them itself, where `curfew test --artifacts DIR` says; leave --report away",
        "--journal": "a scenario writes them itself, where `curfew test --artifacts DIR` says; leave --journal away",
        "--state-dir": "a scenario's app has a CURFEW_STATE_DIR of its own; leave --state-dir away",
        "--manual-clock": "--manual-clock goes without saying, unless there is a `time-scale`",
        "--time-scale": "here --time-scale is a statement of its own: time-scale N",
    ]

    /// The variable that every scenario has: its own folder, which its programs are told by the same name.
    public static let stateDirectory = "CURFEW_STATE_DIR"

    /// Of a terminal's, besides `C-` and a letter.
    public static let keys = [
        "Enter", "Tab", "Escape", "Space", "BSpace", "Delete", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
        "PageDown",
    ]

    public static let warningLevels = ["warning", "critical"]
    public static let pressureLevels = ["normal"] + warningLevels

    /// The pairs that one event carries at most.
    public static let maximumPairs = 16
    /// The longest name of an event, or key of a pair, in bytes.
    public static let maximumEventNameBytes = 64

    /// Whether an event, or the key of a pair, can have this name.
    public static func isEventName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, Name.canBegin(first), first != "_" else { return false }
        guard text.utf8.count <= maximumEventNameBytes else { return false }
        return text.unicodeScalars.allSatisfy { Name.canContain($0) || $0 == "-" || $0 == "." }
    }
}
