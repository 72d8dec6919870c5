import ArgumentParser
import CurfewArguments
import Testing

@Suite("The command line of curfew test")
struct TestCommandTests {
    @Test(
        "With --monkey, --check has a value, and what stands behind -- is the program's",
        arguments: [
            ("a.curfew --check", "a.curfew --check", ""),
            ("--monkey 5 --check ./well -- a", "--monkey 5 --check-command ./well", "a"),
            (
                "--check=./well --monkey=5 -- --aware -- a --check", "--check-command=./well --monkey=5",
                "--aware -- a --check"
            ),
            ("--check -- --monkey 5", "--check -- --monkey 5", ""),
            ("--monkey 5", "--monkey 5", ""),
        ])
    func split(words: String, own: String, run: String) {
        let split = TestCommand.split(words.split(separator: " ").map(String.init))
        #expect(split.own == own.split(separator: " ").map(String.init))
        #expect(split.run == run.split(separator: " ").map(String.init))
    }

    private func parsed(_ words: String) throws -> TestCommand {
        try TestCommand.parse(TestCommand.split(words.split(separator: " ").map(String.init)).own)
    }

    @Test("A monkey's words, as they stand")
    func monkey() throws {
        let command = try parsed("--monkey 500 --seed 42 --check ./well -o x.curfew -- --budget 30s -- ./app --port -1")
        #expect(command.monkey == 500)
        #expect(command.seed == 42)
        #expect(command.checkCommand == "./well")
        #expect(command.output == "x.curfew")
        #expect(command.files == [])
    }

    @Test("Files may stand behind --")
    func files() throws {
        let command = try parsed("a.curfew -- -b.curfew")
        #expect(command.files == ["a.curfew", "-b.curfew"])
    }

    @Test(
        "What doesn't go together",
        arguments: [
            ("--tap --json a", "--tap and --json both want standard output"),
            ("--jobs 0 a", "--jobs is at least 1"), ("--repeat 0 a", "--repeat is at least 1"),
            ("--durations d a", "--durations needs --shard"),
            ("", "a FILE is missing: a scenario's, or a folder of them"),
            ("--seed 1 a", "--seed is for --monkey"),
            ("--format --check a", "--check only reads the files, and --format writes them"),
            ("-o b a", "--output is for --monkey"),
            ("--monkey 0 -- a", "--monkey is at least 1"),
            ("--monkey 5 a", "--monkey plays no file, but a COMMAND behind `--`; it was given \"a\""),
            ("--monkey 5 --shard 1/2 -- a", "--shard is for files; --monkey plays none"),
            ("--monkey 5 --list -- a", "--list is for files; --monkey plays none"),
            ("--monkey 5 --jobs 2 -- a", "--jobs is for files; --monkey plays none"),
        ])
    func refused(words: String, why: String) {
        #expect {
            try parsed(words)
        } throws: { error in
            TestCommand.message(for: error) == why
        }
    }
}
