import ArgumentParser
import CCurfew
import CurfewCore
import CurfewEngine
import CurfewLinux
import Testing

@testable import CurfewArguments
@testable import CurfewCommand

@Suite("`curfew timeout` reads its options as timeout(1) does")
struct TimeoutArgumentsTests {
    private func plan(_ words: String...) throws -> (plan: RunPlan, command: [String]) {
        let argv = Argv(["curfew", "timeout"] + words)
        defer { withExtendedLifetime(argv) {} }
        guard case .run(let plan) = try TimeoutArguments.parse(argv.pointer, count: argv.count, from: 2) else {
            throw CancellationError()
        }
        return (plan, plan.manifest.commandLine)
    }

    /// What is said of a bad line, without what is said of help.
    private func problem(_ words: String..., as name: String? = nil) -> String? {
        let argv = Argv((name.map { [$0] } ?? ["curfew", "timeout"]) + words)
        defer { withExtendedLifetime(argv) {} }
        do throws(UsageError) {
            _ = try TimeoutArguments.parse(argv.pointer, count: argv.count, from: name == nil ? 2 : 1)
            return nil
        } catch {
            return Self.plain(error.line)
        }
    }

    private func timeout(_ words: String...) throws -> TimeoutPolicy? {
        let argv = Argv(["curfew", "timeout"] + words + ["1", "true"])
        defer { withExtendedLifetime(argv) {} }
        guard case .run(let plan) = try TimeoutArguments.parse(argv.pointer, count: argv.count, from: 2) else {
            return nil
        }
        return plan.manifest.policy.timeout
    }

    /// Whatever the locale's quotes are.
    private static func plain(_ text: String) -> String {
        String(text.map { "\u{2018}\u{2019}".contains($0) ? "'" : $0 })
    }

    // MARK: The whole line

    @Test("The limit, the command, and TERM")
    func simple() throws {
        let (plan, command) = try plan("1.5", "sleep", "-x", "--foreground")
        #expect(plan.manifest.policy.timeLimit == .milliseconds(1_500))
        #expect(plan.manifest.policy.timeout == TimeoutPolicy())
        #expect(command == ["sleep", "-x", "--foreground"])
    }

    @Test("Without a profile there is no life in background, with one there is")
    func lifecycle() throws {
        #expect(try plan("1", "true").plan.manifest.hasLifecycle == false)
        let plan = try plan("--profile", "ios13", "1", "true").plan
        #expect(plan.manifest.hasLifecycle)
        #expect(plan.manifest.policy.backgroundBudget == .seconds(30))
        #expect(plan.manifest.policy.backgroundCPU != nil)
    }

    @Test("What timeout(1) doesn't have")
    func beyond() throws {
        let words = ["--memory=2M", "--report", "r.json", "--time-scale=2", "--containment", "tree"]
        let argv = Argv(["curfew", "timeout"] + words + ["-k", "4", "10", "true"])
        defer { withExtendedLifetime(argv) {} }
        guard case .run(let plan) = try TimeoutArguments.parse(argv.pointer, count: argv.count, from: 2) else {
            throw CancellationError()
        }
        #expect(plan.manifest.memory.fatal == 2 << 20)
        #expect(plan.options.reportPath == "r.json")
        #expect(plan.manifest.containment == .tree)
        #expect(plan.manifest.policy.timeLimit == .seconds(5))
        #expect(plan.manifest.policy.timeout?.killAfter == .seconds(2))
    }

    @Test("0 is no limit", arguments: ["0", "0s", "0.0", "+0", "0x0"])
    func noLimit(text: String) throws {
        #expect(try plan(text, "true").plan.manifest.policy.timeLimit == .infinite)
        #expect(try timeout("-k", text)?.killAfter == nil)
    }

    @Test("Called by a link, it is known by argv[0]")
    func link() {
        #expect(
            problem("x", "true", as: "/bin/timeout")?.hasPrefix("/bin/timeout: invalid time interval 'x'\n") == true)
        #expect(problem(as: "timeout") == "Try 'timeout --help' for more information.")
        for (words, options) in [
            (["timeout"], 1), (["/a/timeout", "x"], 1), (["curfew", "timeout"], 2), (["curfew"], 0),
            (["timeout2", "timeout"], 2), (["curfew", "run"], 0),
        ] as [([String], Int32)] {
            let argv = Argv(words)
            withExtendedLifetime(argv) { #expect(curfew_timeout_options(Int32(argv.count), argv.pointer) == options) }
        }
    }

    /// The proxy leads a group of its own, or doesn't, before anything is read here.
    @Test("What C reads of a line that is right is what is read here")
    func foreground() {
        let words = [
            "-f", "-fv", "-vf", "-kf", "-k", "-k5", "-sf", "-sTERM", "-pk", "5", "--f", "--fore", "--foreground",
            "--for=1",
            "--p", "--pro", "--profile", "--profile=ios4", "--k", "--kill-after", "--kill=3", "--s", "--sig", "TERM",
            "--v",
            "--verb", "--m", "--memory", "--memory=1M", "1M", "--re=f", "--report", "--t", "--time-scale=2", "--c",
            "tree",
            "ios7", "--", "-", "1", "true", "-p", "-v", "foreground",
        ]
        var generator = SplitMix64(seed: 13)
        var compared = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...5, using: &generator)
            let line = (0..<count).compactMap { _ in words.randomElement(using: &generator) } + ["1", "true"]
            let argv = Argv(["curfew", "timeout"] + line)
            defer { withExtendedLifetime(argv) {} }
            guard case .run(let plan)? = try? TimeoutArguments.parse(argv.pointer, count: argv.count, from: 2) else {
                continue
            }
            compared += 1
            let isForeground = curfew_timeout_is_foreground(Int32(argv.count), argv.pointer, 2)
            #expect(isForeground == plan.manifest.policy.timeout?.sparesDescendants, "\(line)")
        }
        #expect(compared > 500)
    }

    // MARK: Options

    @Test("Letters, together and with their values attached")
    func letters() throws {
        #expect(try timeout("-f")?.sparesDescendants == true)
        #expect(try timeout("-p")?.preservesStatus == true)
        #expect(
            try timeout("-fpk5")
                == TimeoutPolicy(killAfter: .seconds(5), sparesDescendants: true, preservesStatus: true))
        #expect(try timeout("-pk", "5")?.killAfter == .seconds(5))
        #expect(try timeout("-sHUP")?.signal == 1)
        #expect(try plan("-v", "1", "true").plan.options.isVerbose)
        #expect(try !plan("-v", "1", "true").plan.options.tellsProcesses)
        #expect(try plan("-vv", "1", "true").plan.options.tellsProcesses)
        #expect(try plan("-v", "--verb", "1", "true").plan.options.tellsProcesses)
    }

    @Test("Names, abbreviated as far as they are clear; timeout(1)'s own go first")
    func names() throws {
        #expect(try timeout("--foreground")?.sparesDescendants == true)
        #expect(try timeout("--fo")?.sparesDescendants == true)
        #expect(try timeout("--p")?.preservesStatus == true)
        #expect(try timeout("--kill=3")?.killAfter == .seconds(3))
        #expect(try timeout("--s", "INT")?.signal == 2)
        #expect(try plan("--m", "1M", "1", "true").plan.manifest.memory.fatal == 1 << 20)
    }

    @Test("The last of several counts, and -- ends them")
    func repeated() throws {
        #expect(try timeout("-s1", "-s", "2", "--")?.signal == 2)
    }

    @Test(
        "Problems, in glibc's words",
        arguments: [
            (["--bad"], "unrecognized option '--bad'"), (["--bad=1"], "unrecognized option '--bad=1'"),
            (["-z"], "invalid option -- 'z'"), (["-vz"], "invalid option -- 'z'"),
            (["-k"], "option requires an argument -- 'k'"), (["--signal"], "option '--signal' requires an argument"),
            (["--verbose=1"], "option '--verbose' doesn't allow an argument"),
            (["--ver"], "option '--ver' is ambiguous; possibilities: '--verbose' '--version'"),
            (["-k", "x", "1", "true"], "invalid time interval 'x'"), (["-s", "FOO"], "'FOO': invalid signal"),
            (["5x", "true"], "invalid time interval '5x'"), (["--", "-1", "true"], "invalid time interval '-1'"),
            (["-1", "true"], "invalid option -- '1'"), (["nan", "true"], "invalid time interval 'nan'"),
            (["--memory=x"], "--memory: \"x\" isn't \(SizeArgument.accepted)"),
            (["--profile=x"], "--profile: \"x\" isn't one of ios4, ios5, ios7, ios13"),
        ])
    func problems(words: [String], expected: String) {
        let argv = Argv(["curfew", "timeout"] + words)
        defer { withExtendedLifetime(argv) {} }
        let help = "\nTry 'curfew timeout --help' for more information."
        #expect(throws: UsageError.self) {
            do throws(UsageError) {
                _ = try TimeoutArguments.parse(argv.pointer, count: argv.count, from: 2)
            } catch {
                #expect(Self.plain(error.line) == "curfew: timeout: \(expected)" + help)
                #expect(error.status == 125)
                throw error
            }
        }
    }

    @Test("Too few operands: only where to find help", arguments: [[], ["-v"], ["1"], ["--"], ["-k5", "1"]])
    func tooFew(words: [String]) {
        let argv = Argv(["curfew", "timeout"] + words)
        defer { withExtendedLifetime(argv) {} }
        #expect(throws: UsageError.self) { try TimeoutArguments.parse(argv.pointer, count: argv.count, from: 2) }
    }

    // MARK: Values

    @Test(
        "Signals by name, by number, and by the status that they make",
        arguments: [
            ("TERM", 15), ("SIGTERM", 15), ("term", 15), ("sigusr1", 10), ("9", 9), ("0", 0), ("EXIT", 0),
            ("SIGEXIT", 0), ("SIG15", 15), ("32", 32), ("137", 9),
            ("RTMIN", 34), ("RTMIN+1", 35), ("RTMAX", 64), ("64", 64),
        ] as [(String, Int32)])
    func signals(text: String, number: Int32) throws {
        #expect(try timeout("-s", text)?.signal == number)
    }

    @Test("No signals", arguments: ["", "x", "-1", "65", "193", "SIG65", "SIGSIGTERM", "9x", "99999999999"])
    func noSignals(text: String) {
        #expect(problem("-s", text, "1", "true")?.contains("'\(text)': invalid signal") == true)
    }

    @Test(
        "Durations that strtod(3) reads and people seldom type",
        arguments: [
            ("0x10", 16_000_000_000), ("0x1p-1", 500_000_000), ("0x.8m", 30_000_000_000), ("-0", 0),
            ("infd", Int64.max),
            ("1e400", Int64.max), (" 5", 5_000_000_000), ("1e-400", 1), ("1e-300", 1),
        ])
    func durations(text: String, nanoseconds: Int64) throws {
        let expected: Span = nanoseconds == 0 ? .infinite : Span(nanoseconds: nanoseconds)
        #expect(try plan("--", text, "true").plan.manifest.policy.timeLimit == expected)
    }

    // MARK: Against the definitions

    @Test("The definitions have the same options, letters and values")
    func definitions() throws {
        let help = Curfew.helpMessage(for: try #require(Curfew.subcommand("timeout")), columns: 200)
        for option in TimeoutOption.allCases {
            let letters = "fkpsv".utf8.filter { TimeoutOption(letter: $0) == option }
            let letter = letters.first.map { "-\(Character(Unicode.Scalar($0))), " } ?? ""
            let line = help.split(separator: "\n").first { $0.contains(" --\(option.rawValue)") && $0.hasPrefix("  -") }
            let found = try #require(line, "\(option)")
            #expect(found.contains(letter + "--\(option.rawValue)"))
            #expect(found.contains("--\(option.rawValue) <") == option.takesValue)
        }
    }
}
