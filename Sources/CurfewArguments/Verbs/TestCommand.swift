import ArgumentParser

/// `curfew test`.
package struct TestCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Play scenarios: lifecycle tests of a program.",
        usage: "curfew test [options] FILE…",
        discussion: """
            A scenario says what is done to an app and what is to be seen of it, one statement a line; a folder stands for \
            the files in it whose names end in .curfew. docs/scenarios.md has the language.

            Each scenario is played in the folder of its file, with a supervisor, a runtime directory and a tree of processes \
            of its own: nothing of it is left when it is over. Its time stands still but for `advance`.

            Examples:
              curfew test upload.curfew
              curfew test --jobs 4 --junit results.xml tests/lifecycle

            Exit status:
               0  everything passed, or was skipped
               1  something failed
               2  something couldn't be run, or the run was interrupted
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

    @Flag(help: "Only read the files, and say what is wrong with them.")
    package var check = false

    @Flag(help: "Lay the files out anew, as everybody's look.")
    package var format = false

    package init() {}

    package func validate() throws {
        if files.isEmpty { throw ValidationError("a FILE is missing: a scenario's, or a folder of them") }
        if tap, json { throw ValidationError("--tap and --json both want standard output") }
        if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1") }
        if let repetitions, repetitions < 1 { throw ValidationError("--repeat is at least 1") }
        if durations != nil, shard == nil { throw ValidationError("--durations needs --shard") }
    }
}
