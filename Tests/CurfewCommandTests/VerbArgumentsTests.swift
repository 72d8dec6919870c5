import Testing

@testable import CurfewCommand

@Suite("Mistakes in the other verbs' command lines")
struct VerbArgumentsTests {
    private func problem(_ verb: String, _ words: String...) -> String? {
        do throws(UsageError) {
            try Argv.withReader(verb, words) { reader throws(UsageError) in
                switch verb {
                case "task begin": _ = try TaskBeginArguments.parse(reader)
                case "task end": _ = try TaskVerbs.taskNumber(reader)
                case "task run": _ = try TaskRunArguments.parse(reader)
                default: _ = try VerbArguments(reader)
                }
            }
            return nil
        } catch {
            return error.line
        }
    }

    @Test("An app is asked for where one is needed", arguments: ["home", "open", "quit"])
    func app(verb: String) {
        let needed = "an app is needed: its name or its pid; `curfew ps` lists those that run"
        #expect(problem(verb) == "curfew: \(verb): \(needed)")
        #expect(problem(verb, "--json") == "curfew: \(verb): \(needed)")
        #expect(problem(verb, "a") == nil)
        #expect(
            problem(verb, "a", "b")
                == "curfew: \(verb): \"b\" is one too many; `curfew \(verb) --help` shows what is accepted")
    }

    @Test("A task's verbs ask for what they need")
    func task() {
        let end = "as `curfew task begin` printed it"
        #expect(problem("task end") == "curfew: task end: a task's number is needed, \(end)")
        #expect(problem("task end", "x") == "curfew: task end: \"x\" isn't a task's number, \(end)")
        #expect(problem("task end", "0") == "curfew: task end: \"0\" isn't a task's number, \(end)")
        let begin = "a name for the task is needed, such as: curfew task begin upload"
        #expect(problem("task begin") == "curfew: task begin: \(begin)")
        #expect(problem("task begin", "") == "curfew: task begin: \(begin)")
        #expect(
            problem("task begin", "a", "b")
                == "curfew: task begin: \"b\" is one too many: a task has one name; quote it if it has blanks")
        #expect(problem("task begin", "--owner") == "curfew: task begin: --owner needs a value: a pid")
        #expect(problem("task begin", "--owner=me", "a") == "curfew: task begin: --owner: \"me\" isn't a pid")
        let usage = "usage: curfew task run NAME [--] COMMAND [ARG…]"
        #expect(problem("task run") == "curfew: task run: a name for the task is needed; \(usage)")
        #expect(problem("task run", "x") == "curfew: task run: no command given; \(usage)")
        #expect(problem("task run", "x", "--") == "curfew: task run: no command given; \(usage)")
        #expect(problem("task run", "x", "--", "true") == nil)
    }

    @Test("The command of `task run` keeps its own options")
    func taskRun() throws {
        let lines = [
            ["x", "--", "cmd", "-a", "--help"], ["x", "cmd", "-a", "--help"], ["--", "x", "cmd", "-a", "--help"],
        ]
        for line in lines {
            let command = try Argv.withReader("task run", line) { reader throws(UsageError) in
                let arguments = try TaskRunArguments.parse(reader)
                return (0..<3).compactMap { arguments.command[$0].map { String(cString: $0) } }
            }
            #expect(command == ["cmd", "-a", "--help"], "\(line)")
        }
    }
}
