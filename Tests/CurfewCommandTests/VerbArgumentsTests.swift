import CurfewEngine
import CurfewWire
import Testing

@testable import CurfewCommand

@Suite("Mistakes in the other verbs' command lines")
struct VerbArgumentsTests {
    private func problem(_ verb: String, _ words: String...) -> String? {
        do throws(UsageError) {
            try Argv.withReader(verb, words) { reader throws(UsageError) in
                switch verb {
                case "wake", "post": _ = try PostingArguments.parse(reader)
                case "launch": _ = try LaunchArguments.parse(reader)
                case "wait": _ = try WaitArguments.parse(reader)
                case "history": _ = try HistoryArguments.parse(reader)
                case "task begin": _ = try TaskBeginArguments.parse(reader)
                case "task end": _ = try TaskVerbs.taskNumber(reader)
                case "task keep-alive": _ = try TaskVerbs.keepAliveTime(reader)
                case "task run": _ = try TaskRunArguments.parse(reader)
                default: _ = try VerbArguments(reader)
                }
            }
            return nil
        } catch {
            return error.line
        }
    }

    @Test("An app is asked for where one is needed", arguments: ["open", "interrupt", "dismiss", "reclaim"])
    func app(verb: String) {
        let needed = "an app is needed: its name or its pid; `curfew ps` lists those that run"
        #expect(problem(verb) == "curfew: \(verb): \(needed)")
        #expect(problem(verb, "--json") == "curfew: \(verb): \(needed)")
        #expect(problem(verb, "a") == nil)
        #expect(
            problem(verb, "a", "b")
                == "curfew: \(verb): \"b\" is one too many; `curfew \(verb) --help` shows what is accepted")
    }

    @Test("What `wait` needs")
    func waiting() {
        let states = "notRunning, inactive, active, background or suspended"
        #expect(problem("wait", "a") == "curfew: wait: a state is needed: \(states)")
        #expect(problem("wait", "a", "asleep") == "curfew: wait: \"asleep\" isn't a state; it is \(states)")
        #expect(problem("wait", "a", "active", "--limit", "10m") == nil)
        #expect(problem("wait", "--limit=inf", "a", "active") == nil)
        #expect(
            problem("wait", "--limit=soon", "a", "active")
                == "curfew: wait: --limit: \"soon\" isn't \(DurationArgument.accepted)")
        #expect(problem("wait", "--limit") == "curfew: wait: --limit needs a value: \(DurationArgument.accepted)")
    }

    @Test("How many runs `history` tells of; without a number the server says")
    func history() throws {
        func request(_ words: String...) throws -> String {
            try Argv.withReader("history", words) { reader throws(UsageError) in
                try HistoryArguments.parse(reader).request.line
            }
        }
        #expect(try request() == "history id=1")
        #expect(try request("mail", "--json") == "history id=1")
        #expect(try request("--limit", "1") == "history id=1 limit=1")
        #expect(try request("--limit=7", "mail", "--limit", "100000") == "history id=1 limit=100000")
        let accepted = "a number from 1 to 100000"
        for text in ["", "0", "100001", "-1", "+1", "1.5", "all", "10m", "99999999999999999999"] {
            let problem = problem("history", "--limit", text, "--limit", "3")
            #expect(problem == "curfew: history: --limit: \"\(text)\" isn't \(accepted)")
        }
        #expect(problem("history", "--limit") == "curfew: history: --limit needs a value: \(accepted)")
    }

    @Test("What `launch` needs: a name, or a command behind --")
    func launching() {
        let prefix = "curfew: launch: "
        #expect(problem("launch") == prefix + LaunchArguments.nothing)
        #expect(problem("launch", "--") == prefix + LaunchArguments.nothing)
        #expect(problem("launch", "mail") == nil)
        #expect(problem("launch", "mail", "--background", "--wake", "fetch", "--launch-option", "a=b") == nil)
        #expect(problem("launch", "--budget", "10m", "--", "make", "-j8") == nil)
        #expect(
            problem("launch", "make", "all")
                == prefix + "\"all\" is one too many; a COMMAND stands behind --")
        #expect(
            problem("launch", "--budget=10m", "mail")
                == prefix + "--budget is for a COMMAND; what mail is, its manifest says")
        #expect(
            problem("launch", "--name", "x", "mail")
                == prefix + "--name is for a COMMAND; what mail is, its manifest says")
        #expect(
            problem("launch", "mail", "--", "true")
                == prefix
                + "mail is an app's name, and behind -- is a COMMAND; give one or the other (--name NAME names a COMMAND)"
        )
        #expect(
            problem("launch", "a/b") == prefix + "\"a/b\" isn't an app's name; it is \(AppName.accepted)")
        #expect(
            problem("launch", "--lock-wait", "1s", "--", "true")
                == prefix + "--lock-wait needs --locks defer, which waits")
    }

    @Test("A server's name is one", arguments: ["home", "open", "quit"])
    func server(verb: String) {
        #expect(problem(verb, "--server", "work", "a") == nil)
        #expect(
            problem(verb, "--server=a/b", "a")
                == "curfew: \(verb): --server: \"a/b\" isn't a server's name; accepted: \(AppName.accepted)")
    }

    @Test("A posted event needs an app, a name of its own, and pairs that fit", arguments: ["wake", "post"])
    func posting(verb: String) {
        let prefix = "curfew: \(verb): "
        let word = "letters, digits, - _ and . (first a letter), 64 at most"
        let app = "an app is needed: its name or its pid; `curfew ps` lists those that run"
        #expect(problem(verb) == prefix + app)
        #expect(problem(verb, "a") == prefix + "an event's name is needed, such as: curfew \(verb) backup fetch")
        #expect(problem(verb, "a", "fetch") == nil)
        #expect(problem(verb, "a", "fetch", "k=v", "empty=", "eq=a=b", "l=\n") == nil)
        #expect(problem(verb, "a", "") == prefix + "\"\" isn't an event's name: \(word)")
        #expect(problem(verb, "a", "1st") == prefix + "\"1st\" isn't an event's name: \(word)")
        #expect(problem(verb, "a", "a\nb") == prefix + "\"a\\nb\" isn't an event's name: \(word)")
        let lifecycle = "is an event of the lifecycle; only Curfew delivers it, so yours needs another name"
        #expect(problem(verb, "a", "willTerminate") == prefix + "willTerminate \(lifecycle)")
        #expect(problem(verb, "a", "fetch", "x") == prefix + "\"x\" isn't KEY=VALUE, such as reason=nightly")
        #expect(problem(verb, "a", "fetch", "=x") == prefix + "\"\" isn't a KEY: \(word)")
        #expect(problem(verb, "a", "fetch", "a b=x") == prefix + "\"a b\" isn't a KEY: \(word)")
        let help = "`curfew \(verb) --help` lists what is accepted"
        #expect(problem(verb, "a", "fetch", "-x=1") == prefix + "unknown option -x=1; \(help)")
    }

    @Test("A posted event's pairs: not too many, not too long", arguments: ["wake", "post"])
    func pairs(verb: String) throws {
        let pairs = (1...17).map { "k\($0)=\($0)" }
        func problem(_ pairs: [String]) -> String? {
            do throws(UsageError) {
                _ = try Argv.withReader(verb, ["app", "fetch"] + pairs, PostingArguments.parse)
                return nil
            } catch {
                return error.line
            }
        }
        #expect(problem(Array(pairs.prefix(16))) == nil)
        #expect(
            problem(pairs)
                == "curfew: \(verb): \"k17=17\" is one too many; an event carries 16 pairs at most")
        let tooLong = "curfew: \(verb): the pairs are too long: an event has 4096 bytes at most, all in all"
        #expect(problem(["a=" + String(repeating: "v", count: 3_900)]) == nil)
        #expect(problem(["a=" + String(repeating: "v", count: 4_000)]) == tooLong)
        #expect(problem(["a=" + String(repeating: "v", count: 100_000)]) == tooLong)
        // Each of these takes two bytes in the line.
        #expect(problem(["a=" + String(repeating: "\\", count: 1_900)]) == nil)
        #expect(problem(["a=" + String(repeating: "\\", count: 2_000)]) == tooLong)
    }

    @Test("A posted event is asked for as it was typed, and of a KEY given twice the last counts")
    func request() throws {
        let words = ["--json", "app", "fetch", "a=1", "b= x", "a=2"]
        let request = try Argv.withReader("wake", words) { reader throws(UsageError) in
            try PostingArguments.parse(reader).request
        }
        #expect(request.line == "wake id=1 name=fetch info.a=2 info.b=\" x\"")
        let longest = try Argv.withReader("post", ["app", "e", "a=" + String(repeating: "v", count: 3_900)]) {
            reader throws(UsageError) in try PostingArguments.parse(reader).request
        }
        #expect(try Message.parse(longest.line) == longest)
    }

    @Test("A task's verbs ask for what they need")
    func task() {
        let end = "as `curfew task begin` printed it"
        #expect(problem("task end") == "curfew: task end: a task's number is needed, \(end)")
        #expect(problem("task end", "x") == "curfew: task end: \"x\" isn't a task's number, \(end)")
        #expect(problem("task end", "0") == "curfew: task end: \"0\" isn't a task's number, \(end)")
        let time = "curfew: task keep-alive: "
        #expect(problem("task keep-alive") == time + "a time is needed, such as: curfew task keep-alive 10m")
        #expect(
            problem("task keep-alive", "often")
                == time + "\"often\" isn't a time to be woken after; it is \(DurationArgument.accepted)")
        #expect(problem("task keep-alive", "10m") == nil)
        #expect(problem("task keep-alive", "0") == nil)
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
