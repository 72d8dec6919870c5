/// What `?` shows.
enum HelpPage {
    static let lines: [(key: String, meaning: String)] = [
        ("arrows, j k", "select an app"),
        ("PgUp, PgDn", "a screen further"),
        ("g G", "the first, the last (Home, End)"),
        ("h", "home: to the background, and stopped"),
        ("o", "open: to the front"),
        ("w", "warn it that memory runs short"),
        ("Q", "quit: told to end, and killed in the end; asks first"),
        ("s", "sort by state, name, budget, memory, CPU or time"),
        ("/", "only those with a text in name, state or command"),
        ("Esc", "all of them again"),
        ("Ctrl-L", "draw the screen anew"),
        ("q", "leave; the apps stay as they are"),
        ("", ""),
        ("FOR", "how long it has been in its state"),
        ("BUDGET", "the background time that is left, running down"),
        ("WAKES ON", "of what is stopped: the input that wakes it"),
        ("TASKS", "its open background tasks"),
        ("MEMORY", "its footprint, and its limit if it has one"),
        ("CPU", "of one processor, over the last second"),
    ]
}
