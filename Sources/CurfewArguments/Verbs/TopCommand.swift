import ArgumentParser

/// `curfew top`.
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show the apps on a screen, as they run.",
        usage: "curfew top",
        discussion: """
            A line for each app of this user: its state and for how long, a bar of the background time that is left, or what \
            wakes it where it is stopped, its open background tasks, its memory and its limit, and the CPU time that it \
            uses; below, more of the one that is selected. What happens shows at once. Only what runs is asked for \
            what it uses, once a second; what is suspended is left alone.

            Keys:
              up, down, k, j   select an app; PgUp, PgDn, Home, End, g and G go further
              h                home: to the background, and stopped
              o                open: to the front
              w                warn it that memory runs short
              Q                quit: told to end, and killed in the end; asks first
              s                sort by state, name, budget, memory, CPU or time
              /                show only those with a text in name, state or command; Esc shows all
              ?                help
              q                leave

            Environment:
              NO_COLOR  not empty: no colours
              TERM  what terminal it is, as terminfo(5) has it

            Examples:
              curfew top
              ssh -t server curfew top

            Exit status:
               0  left
               1  the terminal can't be written to, or TERM names none that is known
              64  wrong usage; standard input or output is no terminal
            """)
}
