extension StatementDefinition {
    static let headings = [
        StatementDefinition(
            "scenario", .heading, "scenario \"NAME\"", "Begins a scenario, which goes on to the next heading.",
            example: """
                app -- ./editor
                scenario "it comes back"
                launch
                home
                open
                scenario "it ends"
                launch
                quit
                expect exit 0
                """,
            """
            A file without headings is one scenario, which has the file's name. What stands before the first heading belongs \
            to every scenario of the file, and may only be `app`, `set`, `matrix`, `time-scale` and `skip unless`.
            """),
        StatementDefinition(
            "before", .heading, "before", "Begins what every scenario of the file does first.",
            example: """
                app -- ./editor draft.txt
                before
                do cp empty.txt draft.txt
                launch
                scenario "it saves when sent home"
                send "a line"
                home
                await file draft.txt contains "a line"
                """,
            "It stands once in a file, wherever its headings are, and is part of each scenario: what fails there fails it."
        ),
        StatementDefinition(
            "after", .heading, "after", "Begins what is done at the end of every scenario of the file.",
            example: """
                app -- ./server --data data
                scenario "it answers"
                launch
                do ./client ping
                after
                do rm -rf data
                """,
            """
            It is done whether the scenario passed or not, each of its statements whatever came of the one before; not where \
            the scenario was skipped before anything was done, and not on `^C`. The app and helpers are ended without it; it \
            is for what they leave behind.
            """),
    ]

    static let declarations = [
        StatementDefinition(
            "app", .declaration, "app [OPTIONS --] COMMAND…", "Names the program that the scenario is about.",
            example: "app --budget 10m -- ./uploader --port 0",
            """
            OPTIONS are those of `curfew run`; with them, `--` stands before the command. `--name`, `--report`, `--journal`, \
            `--state-dir`, `--manual-clock` and `--time-scale` aren't among them: the scenario sees to these. Commands are \
            run without a shell, in the folder of the scenario's file.

            Time stands still for the app, unless there is a `time-scale`: only `advance` moves it.
            """),
        StatementDefinition(
            "set", .declaration, "set NAME VALUE", "Gives a variable a value.",
            example: """
                set port 8080
                app -- ./server --port $port
                """,
            """
            `$NAME` and `${NAME}` stand for it from there on, in unquoted words and in "…". It is one word whatever is in it. \
            Variables of the environment aren't seen, but for `$CURFEW_STATE_DIR`.
            """),
        StatementDefinition(
            "matrix", .declaration, "matrix NAME VALUES…", "Runs the scenario once with each value of a variable.",
            example: """
                matrix level warning critical
                app -- ./editor
                launch
                warn $level
                """,
            "Several make every combination. It stands before `launch`, and is reported with its values: `NAME=VALUE`."),
        StatementDefinition(
            "time-scale", .declaration, "time-scale N", "Lets time run for the app, N times as fast.",
            example: """
                time-scale 60
                app -- ./server
                """,
            """
            N is from 0.001 to 1000000. Without it time stands still and `advance` moves it, which is quicker and can be \
            repeated; with it, `advance` is an error.
            """),
        StatementDefinition(
            "skip", .declaration, "skip unless COMMAND…", "Skips the scenario unless a command exits with 0.",
            example: "skip unless sh -c 'command -v redis-server'",
            "The command is run without a shell; one that isn't there says no. What is skipped is reported so, and neither passes nor fails."
        ),
    ]
}
