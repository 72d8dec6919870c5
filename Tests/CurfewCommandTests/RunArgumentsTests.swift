import CurfewCore
import CurfewEngine
import CurfewLinux
import Testing

@testable import CurfewCommand

@Suite("`curfew run` reads its options into a plan")
struct RunArgumentsTests {
    /// What a plan says, apart from argv, whose strings are gone after the parse.
    private struct Read {
        var plan: RunPlan
        var command: [String]

        var policy: Policy { plan.policy }
    }

    private func read(_ words: String...) throws(UsageError) -> Read {
        try Argv.withReader("run", words) { reader throws(UsageError) in
            let plan = try RunArguments.parse(reader)
            return Read(plan: plan, command: plan.commandLine)
        }
    }

    private func problem(_ words: String...) -> String? {
        do throws(UsageError) {
            _ = try Argv.withReader("run", words) { reader throws(UsageError) in try RunArguments.parse(reader) }
            return nil
        } catch {
            return error.line
        }
    }

    @Test("Nothing but a command is the ios4 profile")
    func defaults() throws {
        let read = try read("make", "-j8")
        #expect(read.command == ["make", "-j8"])
        #expect(read.policy == Policy(profile: .ios4))
        #expect(read.plan.name == nil)
        #expect(read.plan.reportPath == nil)
        #expect(read.plan.memoryLimit == nil)
        #expect(!read.plan.startsInBackground)
        #expect(read.plan.containment == .auto)
        #expect(read.plan.suspension == .both)
        #expect(read.plan.onSupervisorExit == .kill)
        #expect(!read.plan.dropsCapabilities)
        #expect(!read.plan.setsNoNewPrivileges)
    }

    @Test(
        "A duration's option sets its number and no other",
        arguments: [
            ("--budget", \Policy.backgroundBudget), ("--expiration-lead", \.expirationLead),
            ("--enter-background-limit", \.enterBackgroundLimit), ("--terminate-limit", \.terminateLimit),
            ("--launch-limit", \.launchLimit), ("--wake-limit", \.wakeLimit), ("--time-limit", \.timeLimit),
        ] as [(String, WritableKeyPath<Policy, Span> & Sendable)])
    func durations(option: String, number: WritableKeyPath<Policy, Span> & Sendable) throws {
        var expected = Policy(profile: .ios4)
        expected[keyPath: number] = .milliseconds(1_500)
        #expect(try read(option, "1.5s", "true").policy == expected)
        #expect(try read("\(option)=1.5s", "true").policy == expected)
        expected[keyPath: number] = .infinite
        #expect(try read(option, "inf", "true").policy == expected)
        // No time at all, but for the whole run's limit: there 0 is no limit, as GNU timeout has it.
        expected[keyPath: number] = option == "--time-limit" ? .infinite : .zero
        #expect(try read(option, "0", "true").policy == expected)
    }

    @Test("Every other option sets its field")
    func fields() throws {
        #expect(try read("--name", "backup", "true").plan.name == "backup")
        #expect(try read("--report", "why.json", "true").plan.reportPath == "why.json")
        #expect(try read("--background", "true").plan.startsInBackground)
        #expect(try read("--memory", "200M", "true").plan.memoryLimit == 209_715_200)
        #expect(try read("--memory", "inf", "true").plan.memoryLimit == nil)
        #expect(try read("--containment", "tree", "true").plan.containment == .tree)
        #expect(try read("--suspend", "freezer", "true").plan.suspension == .freezer)
        #expect(try read("--on-supervisor-exit", "resume", "true").plan.onSupervisorExit == .resume)
        #expect(try read("--drop-caps", "true").plan.dropsCapabilities)
        #expect(try read("--no-new-privs", "true").plan.setsNoNewPrivileges)
        #expect(try read("--grace", "3", "true").policy.grace == .seconds(3))
        #expect(try read("--aware", "true").policy.requiresHello)
        #expect(try read("--wait-all", "true").policy.waitsForTree)
        #expect(try read("--terminate-suspended", "wake", "true").policy.terminateSuspended == .wake)
        #expect(try read("--profile", "ios13", "true").policy == Policy(profile: .ios13))
    }

    @Test("A number set on its own holds before and after --profile")
    func overridesProfile() throws {
        var expected = Policy(profile: .ios13)
        expected.backgroundBudget = .seconds(7)
        #expect(try read("--budget", "7", "--profile", "ios13", "true").policy == expected)
        #expect(try read("--profile", "ios13", "--budget", "7", "true").policy == expected)
    }

    @Test("Of an option given twice the last one counts")
    func lastCounts() throws {
        let read = try read(
            "--budget", "7", "--name=a", "--profile=ios7", "--budget=8", "--name=b", "--profile=ios5", "true")
        #expect(read.policy.backgroundBudget == .seconds(8))
        #expect(read.plan.name == "b")
        #expect(read.policy.launchLimit == Profile.ios5.launchLimit)
        #expect(read.policy.expirationLead == Profile.ios5.expirationLead)
    }

    @Test("--time-scale divides every duration, explicit ones too, wherever it stands")
    func timeScale() throws {
        let words = ["--budget", "120", "--grace", "60", "--time-limit", "1h", "--wake-limit", "inf"]
        let scaled = ["--time-scale", "60"]
        for line in [scaled + words, words + scaled] {
            let plan = try Argv.withReader("run", line + ["true"]) { reader throws(UsageError) in
                try RunArguments.parse(reader)
            }
            #expect(plan.policy.backgroundBudget == .seconds(2))
            #expect(plan.policy.grace == .seconds(1))
            #expect(plan.policy.timeLimit == .seconds(60))
            #expect(plan.policy.wakeLimit == .infinite)
            #expect(plan.policy.terminateLimit == Profile.ios4.terminateLimit.scaled(by: 60))
        }
        #expect(try read("--time-scale", "0.5", "true").policy.terminateLimit == .seconds(10))
        #expect(try read("--time-scale", "1", "true").policy == Policy(profile: .ios4))
    }

    @Test("What follows the command is the command's own")
    func command() throws {
        #expect(try read("ls", "--help", "-l", "--name", "--").command == ["ls", "--help", "-l", "--name", "--"])
        #expect(try read("--", "ls", "-h").command == ["ls", "-h"])
        #expect(try read("--", "--help").command == ["--help"])
        #expect(try read("--", "--", "x").command == ["--", "x"])
        #expect(try read("-", "x").command == ["-", "x"])
        #expect(try read("--background", "ls", "--help").command == ["ls", "--help"])
        let read = try read("--name", "x", "--drop-caps", "--", "cmd", "--name", "y", "--help")
        #expect(read.plan.name == "x")
        #expect(read.command == ["cmd", "--name", "y", "--help"])
    }

    @Test("A value is the next word, whatever it looks like")
    func dashedValues() throws {
        #expect(try read("--report", "--", "true").plan.reportPath == "--")
        #expect(try read("--report", "--help", "true").plan.reportPath == "--help")
        #expect(try read("--report=a=b", "true").plan.reportPath == "a=b")
        #expect(problem("--name", "--help")?.hasPrefix("curfew: run: --name: \"--help\" isn't a name") == true)
    }

    @Test("Help is asked for by option alone, not by a value nor by the command")
    func help() {
        #expect(Verdict.ofFastPath("run", ["--help"]) == .help)
        #expect(Verdict.ofFastPath("run", ["--name", "x", "-h"]) == .help)
        #expect(Verdict.ofFastPath("run", ["--background", "cmd", "--help"]) == .accepted)
        #expect(Verdict.ofFastPath("run", ["--name", "x", "--", "cmd", "--help"]) == .accepted)
        #expect(Verdict.ofFastPath("run", ["--name", "--help"]) == .refused)
        #expect(Verdict.ofFastPath("run", ["--bogus", "--help"]) == .refused)
    }

    @Test("A mistake is told in one line")
    func mistakes() {
        let usage = "usage: curfew run [options] [--] COMMAND [ARG…]"
        let lists = "`curfew run --help` lists"
        #expect(problem() == "curfew: run: no command given; \(usage)")
        #expect(problem("--") == "curfew: run: no command given; \(usage)")
        #expect(problem("--background") == "curfew: run: no command given; \(usage)")
        #expect(problem("--zzz", "true") == "curfew: run: unknown option --zzz; \(lists) what is accepted")
        #expect(problem("-n", "true") == "curfew: run: unknown option -n; \(lists) what is accepted")
        #expect(
            problem("--bugdet=1", "x") == "curfew: run: unknown option --bugdet; did you mean --budget? \(lists) all")
        #expect(problem("--budget") == "curfew: run: --budget needs a value: \(DurationArgument.accepted)")
        #expect(problem("--budget", "10x", "y") == "curfew: run: --budget: \"10x\" isn't \(DurationArgument.accepted)")
        #expect(problem("--budget=", "y") == "curfew: run: --budget: \"\" isn't \(DurationArgument.accepted)")
        #expect(problem("--memory=1KB", "y") == "curfew: run: --memory: \"1KB\" isn't \(SizeArgument.accepted)")
        #expect(
            problem("--profile=ios6", "y") == "curfew: run: --profile: \"ios6\" isn't one of ios4, ios5, ios7, ios13")
        #expect(problem("--suspend") == "curfew: run: --suspend needs a value: one of both, sigstop, freezer")
        #expect(problem("--time-scale=0", "y") == "curfew: run: --time-scale: \"0\" isn't \(ScaleArgument.accepted)")
        #expect(
            problem("--name=a/b", "y") == "curfew: run: --name: \"a/b\" isn't a name; accepted: \(AppName.accepted)")
        #expect(problem("--report=", "y") == "curfew: run: --report: \"\" isn't the path of a file")
        #expect(problem("--aware=yes", "y") == "curfew: run: --aware takes no value; it was given \"yes\"")
        #expect(problem("--name=a\nb", "y")?.contains("\"a\\nb\"") == true)
    }
}
