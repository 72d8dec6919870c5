import CurfewArguments
import CurfewCommand
import Testing

@Suite("What help is asked for")
struct HelpRequestTests {
    @Test(
        "The verb in question",
        arguments: [
            ([], []), (["--help"], []), (["help"], []), (["-h"], []), (["help", "run"], ["run"]),
            (["run", "--help"], ["run"]), (["--help", "run"], ["run"]), (["help", "task", "run"], ["task", "run"]),
            (["task", "--help"], ["task"]), (["task", "run", "-h"], ["task", "run"]), (["help", "--help"], []),
            (["run", "--name", "home", "--help"], ["run"]), (["run", "--background", "-h", "ls"], ["run"]),
            (["task", "end", "3", "--help"], ["task", "end"]), (["help", "run", "home"], ["run"]),
        ] as [([String], [String])])
    func path(words: [String], path: [String]) throws {
        #expect(try HelpRequest.read(words) == .help(path))
    }

    @Test("Everything else")
    func others() throws {
        #expect(try HelpRequest.read(["--version"]) == .version)
        #expect(try HelpRequest.read(["--generate-completion-script"]) == .completions(nil))
        #expect(try HelpRequest.read(["--generate-completion-script", "fish"]) == .completions("fish"))
        #expect(try HelpRequest.read(["--generate-completion-script=zsh"]) == .completions("zsh"))
        #expect(try HelpRequest.read(["--manual-pages"]) == .manualPages)
        #expect(
            try HelpRequest.read(["--manual-page", "curfew", "2025-11-21"]) == .manualPage("curfew", date: "2025-11-21")
        )
        #expect(try HelpRequest.version.text() == CommandLineTool.versionLine)
    }

    @Test("A verb that isn't there")
    func unknown() {
        let verbs = "the verbs are \(CommandLineTool.verbs.joined(separator: ", "))"
        #expect(throws: UsageError("help", "there is no verb \"frob\"; \(verbs)")) {
            try HelpRequest.read(["help", "frob"])
        }
        #expect(throws: UsageError("help", "there is no verb \"opne\"; did you mean open?")) {
            try HelpRequest.read(["help", "opne"])
        }
        #expect(throws: UsageError("help task", "there is no verb \"lst\"; did you mean list?")) {
            try HelpRequest.read(["help", "task", "lst"])
        }
        #expect(throws: UsageError("", "--manual-page needs a page's name and its date")) {
            try HelpRequest.read(["--manual-page", "curfew"])
        }
        #expect(
            throws: UsageError("", "--manual-page: there is no page \"frob\"; --manual-pages lists those there are")
        ) {
            try HelpRequest.manualPage("frob", date: "2025-11-21").text()
        }
        #expect(throws: UsageError("", "--generate-completion-script: \"tcsh\" isn't bash, zsh or fish")) {
            try HelpRequest.completions("tcsh").text()
        }
    }

    @Test("`curfew replay` says which lines of a journal it prints", arguments: ["Each input ", "A line `measured` "])
    func replay(line: String) throws {
        #expect(try HelpRequest.help(["replay"]).text().contains(line))
    }

    @Test("Each verb's help names what it does and gives an example", arguments: VerbSyntax.all)
    func help(verb: String) throws {
        let text = try HelpRequest.help(verb.split(separator: " ").map(String.init)).text()
        #expect(text.contains("USAGE: curfew \(verb)"))
        #expect(text.contains("Example"))
        #expect(text.contains("  curfew \(verb)") || text.contains("(curfew \(verb)"))
        #expect(!text.hasSuffix("\n"))
        for option in VerbSyntax.options(of: verb) {
            #expect(text.contains("\n  \(option) ") || text.contains(", \(option) "))
        }
    }

    @Test("Defaults are those of the profiles")
    func defaults() throws {
        let words = try HelpRequest.help(["run"]).text().split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(words.contains("(default: 600 s; ios7 180 s; ios13 30 s)"))
        #expect(words.contains("(default: 5 s; ios5 10 s; ios13 4 s)"))
        #expect(words.contains("(default: 5 s; ios5 10 s)"))
        #expect(words.contains("(values: ios4, ios5, ios7, ios13; default: ios4)"))
    }

    @Test("Completions know the verbs and their options", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let script = try HelpRequest.completions(shell).text()
        for word in ["run", "remaining", "expiration-lead", "follow"] { #expect(script.contains(word)) }
    }
}
