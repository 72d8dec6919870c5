import ArgumentParser
import CurfewScenario

/// `curfew test`.
package struct TestCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Play scenarios: lifecycle tests of a program.",
        usage: """
            curfew test [options] FILE…
            curfew test --monkey N [options] -- [run's options] [--] COMMAND [ARG…]
            """,
        discussion: """
            A scenario says what is done to an app and what is to be seen of it, one statement a line; a folder stands for \
            the files in it whose names end in .curfew. docs/scenarios.md has the language.

            Each scenario is played in the folder of its file, with a supervisor, a runtime directory and a tree of processes \
            of its own: nothing of it is left when it is over. Its time stands still but for `advance`.

            Examples:
              curfew test upload.curfew
              curfew test --jobs 4 --junit results.xml tests/lifecycle
              curfew test --monkey 500 --check './client ping' -- --budget 30s -- ./server

            With --monkey no file is played: COMMAND is launched, and N random things of the lifecycle are done to it at random \
            instants. Where the program goes wrong, the shortest scenario in which it still does is written.

            Exit status:
               0  everything passed, or was skipped
               1  something failed
               2  something couldn't be run, or written, or the run was interrupted
              64  wrong usage; nothing was played
            """)

    @Argument(
        help: ArgumentHelp("Scenario files, or folders of them.", valueName: "FILE"),
        completion: .file(extensions: ["curfew"]))
    package var files: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many are played at the same time; as many as there are processors if not given.", valueName: "N"))
    package var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "Only those whose FILE: NAME has this in it, or matches it with * and ?; can be given again.",
            valueName: "TEXT"))
    package var only: [String] = []

    @Option(help: ArgumentHelp("Only the Ith of N parts, which together are everything.", valueName: "I/N"))
    package var shard: String?

    @Option(
        help: ArgumentHelp("Make the parts equally long, by this file of durations.", valueName: "FILE"),
        completion: .file())
    package var durations: String?

    @Option(help: ArgumentHelp("Write how long each took, for --durations.", valueName: "FILE"), completion: .file())
    package var writeDurations: String?

    @Option(name: .customLong("repeat"), help: ArgumentHelp("Play everything so many times.", valueName: "N"))
    package var repetitions: Int?

    @Flag(help: "Play everything again and again until something fails.")
    package var untilFailure = false

    @Option(help: ArgumentHelp("How long an await without `within` waits; 10s if not given.", valueName: "D"))
    package var `await`: String?

    @Option(
        help: ArgumentHelp(
            """
            How long an app that owes something must not have run before `advance` moves its time: by then it waits for \
            somebody else; 1ms to 10s, 50ms if not given.
            """, valueName: "D"))
    package var settle: String?

    @Option(help: ArgumentHelp("How long one scenario may take; 5min if not given.", valueName: "D"))
    package var limit: String?

    @Option(
        help: ArgumentHelp("Keep journal, report, output and picture of each there.", valueName: "DIR"),
        completion: .directory)
    package var artifacts: String?

    @Flag(help: "Print TAP 14.")
    package var tap = false

    @Flag(help: "Print a line of JSON for whatever happens.")
    package var json = false

    @Option(help: ArgumentHelp("Write a JUnit report.", valueName: "FILE"), completion: .file())
    package var junit: String?

    @Option(
        help: ArgumentHelp("Join the JUnit reports given instead of scenarios into this one.", valueName: "FILE"),
        completion: .file())
    package var joinJunit: String?

    @Flag(help: "List what would be played, and play nothing.")
    package var list = false

    @Flag(
        help: """
            Only read the files, and say what is wrong with them. With --monkey: --check CMD, a shell's command line that exits 0 \
            while the program is well; without it the program must only live on.
            """)
    package var check = false

    /// What `--check CMD` is read as: a flag's name can't have a value at other times.
    package static let checkCommandOption = "--check-command"

    @Option(name: .customLong("check-command"), help: .hidden)
    package var checkCommand: String?

    @Option(
        help: ArgumentHelp(
            "Print the page of a statement or a condition, as `advance`; the whole reference for `all`.",
            valueName: "WORD"),
        completion: .list(StatementPage.names + [StatementPage.all]))
    package var explain: String?

    @Option(
        help: ArgumentHelp(
            "Do N random things to COMMAND, and find the fewest that make it go wrong.", valueName: "N"))
    package var monkey: Int?

    @Option(help: ArgumentHelp("With --monkey: which random things; the same for the same S.", valueName: "S"))
    package var seed: UInt64?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "With --monkey: where the scenario is written; monkey-S.curfew if not given.", valueName: "FILE"),
        completion: .file(extensions: ["curfew"]))
    package var output: String?

    @Flag(help: "Lay the files out anew, as everybody's look.")
    package var format = false

    package init() {}

    package func validate() throws {
        if tap, json { throw ValidationError("--tap and --json both want standard output") }
        if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1") }
        if let repetitions, repetitions < 1 { throw ValidationError("--repeat is at least 1") }
        if durations != nil, shard == nil { throw ValidationError("--durations needs --shard") }
        if explain != nil { return }
        if format, check { throw ValidationError("--check only reads the files, and --format writes them") }
        if monkey == nil { try validateFiles() } else { try validateMonkey() }
    }

    private func validateFiles() throws {
        if files.isEmpty {
            throw ValidationError("a FILE is missing: a scenario's, or a folder of them")
        }
        if seed != nil { throw ValidationError("--seed is for --monkey") }
        if output != nil { throw ValidationError("--output is for --monkey") }
        if checkCommand != nil { throw ValidationError("\(Self.checkCommandOption) is for --monkey") }
    }

    private func validateMonkey() throws {
        if let monkey, monkey < 1 { throw ValidationError("--monkey is at least 1") }
        if let file = files.first {
            throw ValidationError("--monkey plays no file, but a COMMAND behind `--`; it was given \"\(file)\"")
        }
        let others: [(String, Bool)] = [
            ("--only", !only.isEmpty), ("--shard", shard != nil), ("--write-durations", writeDurations != nil),
            ("--repeat", repetitions != nil), ("--until-failure", untilFailure), ("--join-junit", joinJunit != nil),
            ("--list", list), ("--format", format), ("--jobs", jobs != nil),
        ]
        if let other = others.first(where: \.1) {
            throw ValidationError("\(other.0) is for files; --monkey plays none")
        }
    }

    /// The command line as the library is to read it, and with --monkey what stands behind `--`: `run`'s options and the command.
    ///
    /// With --monkey `--check` has a value.
    package static func split(_ words: [String]) -> (own: [String], run: [String]) {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let isMonkey = words[..<end].contains { $0 == "--monkey" || $0.hasPrefix("--monkey=") }
        guard isMonkey else { return (words, []) }
        let own = words[..<end].map { word in
            if word == "--check" { return checkCommandOption }
            return word.hasPrefix("--check=") ? checkCommandOption + word.dropFirst("--check".count) : word
        }
        return (own, Array(words[end...].dropFirst()))
    }
}

extension TestCommand: ManualNotes {
    static let manualNotes = """
        Statements:
        \(StatementPage.list)
        """
}
