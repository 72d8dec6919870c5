extension StatementDefinition {
    static let actions = [
        StatementDefinition(
            "launch", .action, "launch", "Starts the app, in the foreground.", example: "launch", actsOnApp: true,
            "With `app --background` or `--wake`, into the background. It returns once the launch has settled."),
        StatementDefinition(
            "home", .action, "home", "Sends the app to the background.", example: "home", actsOnApp: true,
            "As `curfew home`: it is suspended when it has no task open and owes nothing."),
        StatementDefinition(
            "open", .action, "open", "Brings the app to the foreground.", example: "home\nopen", actsOnApp: true,
            "As `curfew open`. One that was reclaimed is launched anew, and is told so: `restored=true`. One that has ended otherwise isn't: `launch` does."
        ),
        StatementDefinition(
            "sleep", .action, "sleep", "Stops the app where it is, until it is needed.",
            example: "app --wake-on pipes -- cat\nlaunch\nsleep\nsend \"x\"\nawait output \"x\"", actsOnApp: true,
            """
            As `curfew sleep`: nothing is told to it, and what `--wake-on` names wakes it, or `open`. It fails where the app can't \
            sleep now, since it is interrupted, has a task open, owes an answer or has input that can't be waited for, and where \
            something has woken it already.
            """),
        StatementDefinition(
            "interrupt", .action, "interrupt", "Makes the app inactive, as a phone call does.", example: "interrupt",
            actsOnApp: true,
            "As `curfew interrupt`: it goes on running. `dismiss` or `open` ends it, `home` accepts it."),
        StatementDefinition(
            "dismiss", .action, "dismiss", "Ends an interruption.", example: "interrupt\ndismiss", actsOnApp: true,
            "As `curfew dismiss`: the app is active again and was never in the background."),
        StatementDefinition(
            "quit", .action, "quit", "Asks the app to end.", example: "quit\nawait exit 0", actsOnApp: true,
            """
            As `curfew quit`: `willTerminate`, or SIGTERM for a plain app, then SIGKILL once its limit is over. It returns when the \
            app has ended, or after three seconds.
            """),
        StatementDefinition(
            "reclaim", .action, "reclaim", "Ends the app while it is suspended, as for its memory.",
            example: "home\nawait state suspended\nreclaim\nexpect killed memory-pressure", actsOnApp: true,
            "It hears nothing of it. `open` launches it anew, with the same `CURFEW_STATE_DIR`."),
        StatementDefinition(
            "kill-supervisor", .action, "kill-supervisor", "Kills what supervises the app, by SIGKILL.",
            example: "kill-supervisor\nawait state notRunning", actsOnApp: true,
            "To see what becomes of the app then: see `--on-supervisor-exit` of `curfew run`."),
        StatementDefinition(
            "wake", .action, "wake NAME [KEY=VALUE…]", "Has the app handle an event in the background.",
            example: "home\nawait state suspended\nwake fetch reason=nightly", actsOnApp: true,
            "As `curfew wake`: it is resumed for it, and suspended again when it is handled."),
        StatementDefinition(
            "post", .action, "post NAME [KEY=VALUE…]", "Tells the app that something has changed.",
            example: "post themeDidChange dark=true", actsOnApp: true,
            "As `curfew post`: while it is suspended, only the latest is kept for it."),
        StatementDefinition(
            "warn", .action, "warn [LEVEL]", "Gives the app a memory warning.", example: "warn critical",
            actsOnApp: true, "LEVEL is `warning`, which is meant if none is given, or `critical`."),
        StatementDefinition(
            "pressure", .action, "pressure LEVEL", "Has the machine taken to be short of memory.",
            example: "home\nawait state suspended\npressure critical\nawait killed memory-pressure", actsOnApp: true,
            """
            As `curfew pressure`: LEVEL is `warning` or `critical`, and `normal` ends it. The app is warned; at `critical` it is \
            killed unless it is in front, and there half a second later. That half second is real.
            """),
        StatementDefinition(
            "advance", .action, "advance D", "Moves the app's time.",
            example: "home\nadvance 9m55s", actsOnApp: true,
            """
            Time goes from deadline to deadline and stops at the first thing that happens, or after D. Before each step it \
            waits until the app owes nothing, or has done nothing for 50 ms (`--settle`), so that an honest app isn't killed for being slow. A failure \
            shows what the last ones stopped at, and so does `--json`.
            """),
        StatementDefinition(
            "do", .action, "[!] do COMMAND… [&]", "Runs a helper, which must exit with 0.",
            example: "do ./client upload big.bin &\n! do ./client upload missing.bin",
            """
            With `!` it must not. With `&` it runs on beside what follows, and is ended with the scenario; what it exits with isn't looked at. \
            It is run without a shell: `do sh -c '…'` runs one.
            """),
        StatementDefinition(
            "send", .action, "send TEXT", "Writes a line to the app's input.", example: "send \"delete 3\"",
            actsOnApp: true, "A line feed is added. It doesn't wait for what the app makes of it."),
        StatementDefinition(
            "key", .action, "key KEYS…", "Types keys into the app's terminal.", example: "key i hello Escape",
            actsOnApp: true,
            """
            A KEY is `Enter`, `Tab`, `Escape`, `Space`, `BSpace`, `Delete`, `Up`, `Down`, `Left`, `Right`, `Home`, `End`, \
            `PageUp`, `PageDown`, or `C-` and a letter; anything else is typed as it is. The app of a scenario with `key` \
            runs in a terminal. It leads the terminal's session, where `C-z` stops nothing: write `home`.
            """),
    ]

    static let looks = [
        StatementDefinition(
            "await", .look, "await CONDITION [within D]", "Waits for a condition to hold.",
            example: "await output 'ready'\nawait state active within 30s",
            "The deadline counts real time: 10 s unless `within D` ends the line."),
        StatementDefinition(
            "expect", .look, "[!] expect CONDITION", "Requires that a condition holds now.",
            example: "expect state active\n! expect event didReceiveMemoryWarning",
            "With `!`, that it doesn't hold."),
    ]
}
