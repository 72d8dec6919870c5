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

        var policy: Policy { plan.manifest.policy }
    }

    private func read(_ words: String...) throws(UsageError) -> Read {
        try Argv.withReader("run", words) { reader throws(UsageError) in
            let plan = try RunArguments.parse(reader)
            return Read(plan: plan, command: plan.manifest.commandLine)
        }
    }

    private func problem(_ words: String...) -> String? { problem(words) }

    private func problem(_ words: [String]) -> String? {
        do throws(UsageError) {
            _ = try Argv.withReader("run", words) { reader throws(UsageError) in try RunArguments.parse(reader) }
            return nil
        } catch {
            return error.line
        }
    }

    /// A profile's, with what every app is held to besides.
    private static func policy(_ profile: Profile) -> Policy {
        var policy = Policy(profile: profile)
        policy.backgroundCPU = .standard
        policy.backgroundCPU?.processors = Processors.count
        return policy
    }

    @Test("Nothing but a command is the ios4 profile")
    func defaults() throws {
        let read = try read("make", "-j8")
        #expect(read.command == ["make", "-j8"])
        #expect(read.policy == Self.policy(.ios4))
        #expect(read.plan.manifest.name == nil)
        #expect(read.plan.options.reportPath == nil)
        #expect(read.plan.manifest.memory.fatal == nil)
        #expect(read.plan.manifest.launch == LaunchOptions())
        #expect(read.plan.options.journalPath == nil)
        #expect(read.plan.manifest.settingsPath == nil)
        #expect(read.plan.manifest.eventSignals.isEmpty)
        #expect(read.plan.manifest.eventHooks.isEmpty)
        #expect(read.plan.manifest.containment == .auto)
        #expect(read.plan.manifest.suspension == .both)
        #expect(read.plan.options.onSupervisorExit == .kill)
        #expect(!read.plan.manifest.dropsCapabilities)
        #expect(!read.plan.manifest.setsNoNewPrivileges)
    }

    @Test(
        "A duration's option sets its number and no other",
        arguments: [
            ("--budget", \Policy.backgroundBudget), ("--expiration-lead", \.expirationLead),
            ("--enter-background-limit", \.enterBackgroundLimit), ("--terminate-limit", \.terminateLimit),
            ("--launch-limit", \.launchLimit), ("--wake-limit", \.wakeLimit),
            ("--processing-limit", \.processingLimit), ("--time-limit", \.timeLimit),
        ] as [(String, any WritableKeyPath<Policy, Span> & Sendable)])
    func durations(option: String, number: any WritableKeyPath<Policy, Span> & Sendable) throws {
        var expected = Self.policy(.ios4)
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
        #expect(try read("--name", "backup", "true").plan.manifest.name == "backup")
        #expect(try read("--report", "why.json", "true").plan.options.reportPath == "why.json")
        #expect(try read("--background", "true").plan.manifest.launch == LaunchOptions(inBackground: true))
        #expect(try read("--memory", "200M", "true").plan.manifest.memory.fatal == 209_715_200)
        #expect(try read("--memory", "inf", "true").plan.manifest.memory.fatal == nil)
        #expect(try read("--containment", "tree", "true").plan.manifest.containment == .tree)
        #expect(try read("--suspend", "freezer", "true").plan.manifest.suspension == .freezer)
        #expect(try read("--on-supervisor-exit", "resume", "true").plan.options.onSupervisorExit == .resume)
        #expect(try read("--drop-caps", "true").plan.manifest.dropsCapabilities)
        #expect(try read("--no-new-privs", "true").plan.manifest.setsNoNewPrivileges)
        #expect(try read("--grace", "3", "true").policy.grace == .seconds(3))
        #expect(try read("--aware", "true").policy.requiresHello)
        #expect(try read("--wait-all", "true").policy.waitsForTree)
        #expect(try read("--terminate-suspended", "wake", "true").policy.terminateSuspended == .wake)
        #expect(try read("--profile", "ios13", "true").policy == Self.policy(.ios13))
        #expect(try read("--journal", "j", "true").plan.options.journalPath == "j")
        #expect(try read("--settings", "s", "true").plan.manifest.settingsPath == "s")
        #expect(try read("--state-dir", "d", "true").plan.manifest.stateDirectory == "d")
        #expect(try read("true").plan.manifest.stateDirectory == nil)
        #expect(try read("--exits-on-suspend", "true").policy.exitsOnSuspend)
    }

    @Test("What it may use of the machine")
    func resources() throws {
        #expect(try read("--memory-high", "1G", "true").plan.manifest.memory == MemoryLimits(soft: 1 << 30))
        #expect(try read("--background-memory", "1M", "true").plan.manifest.backgroundMemory == 1 << 20)
        #expect(try read("--background-memory", "inf", "true").plan.manifest.backgroundMemory == .max)
        #expect(try read("--background-memory-high", "2K", "true").plan.manifest.backgroundMemoryHigh == 2048)
        #expect(try read("--memory-low", "12.5%", "true").plan.options.memoryLow == .percent(12.5))
        #expect(try read("--memory-low", "1G", "true").plan.options.memoryLow == .bytes(1 << 30))
        #expect(try read("--disk-low", "100%", "true").plan.options.diskLow == .percent(100))
        #expect(try read("--strict", "true").plan.options.isStrict)
        #expect(try read("--locks", "kill", "true").policy.locks == .kill)
        #expect(try read("--locks", "defer", "--lock-wait", "2", "true").policy.lockWait == .seconds(2))
        #expect(try read("--resume-limit", "3", "true").policy.resumeLimit == 3)
        #expect(try read("--resume-limit", "inf", "true").policy.resumeLimit == nil)
        #expect(try read("--resume-limit", "3/1min", "true").policy.resumeWindow == .seconds(60))
        #expect(try read("true").policy.resumeLimit == 15)
        #expect(try read("--background-priority", "low", "true").policy.yieldsInBackground)
        #expect(
            try read("--page-out", "10", "true").policy.pageOut
                == PageOutPolicy(delay: .seconds(10), threshold: 8 << 20))
        #expect(try read("--page-out", "1", "--page-out-above", "1M", "true").policy.pageOut?.threshold == 1 << 20)
    }

    @Test("The background CPU limit is a share of a window, a number that is scaled, or none")
    func backgroundCPU() throws {
        func limit(_ words: String...) throws -> CPUPolicy? {
            try Argv.withReader("run", words + ["true"]) { reader throws(UsageError) in
                try RunArguments.parse(reader).manifest.policy.backgroundCPU
            }
        }
        let processors = Processors.count
        #expect(try limit()?.limit == .seconds(48))
        #expect(try limit()?.window == .seconds(60))
        #expect(try limit("--background-cpu", "inf") == nil)
        #expect(try limit("--background-cpu", "150%")?.limit == .seconds(90))
        #expect(
            try limit("--background-cpu", "50%/10s", "--cpu-limit-action", "log")
                == CPUPolicy(limit: .seconds(5), window: .seconds(10), action: .log, processors: processors))
        #expect(try limit("--background-cpu", "50%/10s", "--time-scale", "10")?.limit == .milliseconds(500))
        // An average over less than a second tells of a start only.
        #expect(try limit("--background-cpu", "50%/10s", "--time-scale", "1000")?.window == .seconds(1))
        #expect(try limit("--background-cpu", "50%/100ms", "--time-scale", "1000")?.window == .milliseconds(100))
        #expect(try limit("--background-cpu", "50%/10s", "--time-scale", "0.5")?.window == .seconds(20))
        #expect(try limit("--time-scale", "60")?.window == .seconds(1))
    }

    @Test("What needs another option says so")
    func companions() {
        #expect(
            problem("--page-out-above", "1M", "true")
                == "curfew: run: --page-out-above needs --page-out D, how long after its suspension an app is paged out"
        )
        #expect(problem("--lock-wait", "1", "true") == "curfew: run: --lock-wait needs --locks defer, which waits")
        #expect(
            problem("--background-cpu", "80", "true")
                == "curfew: run: --background-cpu: \"80\" isn't \(CPULimitArgument.accepted)")
        #expect(
            problem("--memory-low", "101%", "true")
                == "curfew: run: --memory-low: \"101%\" isn't \(AmountArgument.accepted)")
        #expect(
            problem("--resume-limit", "-1", "true")
                == "curfew: run: --resume-limit: \"-1\" isn't \(RateArgument.accepted)")
    }

    @Test("--watchdog sets how often a sign of life is owed; 0 and inf are none")
    func watchdog() throws {
        var expected = Self.policy(.ios4)
        #expect(try read("--watchdog", "0", "true").policy == expected)
        #expect(try read("--watchdog", "inf", "true").policy == expected)
        #expect(try read("--watchdog", "5", "--watchdog", "inf", "true").policy == expected)
        expected.watchdogInterval = .milliseconds(1_500)
        #expect(try read("--watchdog", "1.5s", "true").policy == expected)
        #expect(try read("--watchdog=90", "--time-scale=60", "true").policy.watchdogInterval == .milliseconds(1_500))
    }

    @Test("--wake launches into background for the event, --launch-option goes with didFinishLaunching")
    func launch() throws {
        let fetch = PostedEvent("fetch")
        #expect(try read("--wake", "fetch", "true").plan.manifest.launch == LaunchOptions(wakingEvent: fetch))
        #expect(try read("--wake", "fetch", "true").plan.manifest.launch.inBackground)
        #expect(
            try read("--wake=push", "--wake=fetch", "true").plan.manifest.launch == LaunchOptions(wakingEvent: fetch))
        let both = try read("--launch-option", "a=1", "--wake", "fetch", "--launch-option=b=x=y", "true").plan.manifest
            .launch
        #expect(both == LaunchOptions(wakingEvent: fetch, info: [Info("a", "1"), Info("b", "x=y")]))
        let replaced = try read("--launch-option=a=1", "--launch-option=b=", "--launch-option=a=2", "true").plan
            .manifest.launch
        #expect(replaced == LaunchOptions(info: [Info("a", "2"), Info("b", "")]))
    }

    @Test("--on and --exec-on tell of events, and of an event given twice the last counts")
    func events() throws {
        let home = "didEnterBackground"
        let signals = try read("--on", "\(home)=USR1", "--on=tick=sigusr2", "--on", "\(home)=10", "true")
        #expect(
            signals.plan.manifest.eventSignals == [
                EventSignal(event: "tick", signal: 12), EventSignal(event: "didEnterBackground", signal: 10),
            ])
        #expect(signals.policy.announcesEvents)
        #expect(signals.policy.terminateSignal == 15)
        let hooks = try read("--exec-on", "didBecomeActive=echo a=b", "--exec-on=tick=x", "--exec-on=tick=y", "true")
        #expect(
            hooks.plan.manifest.eventHooks == [
                EventHook(event: "didBecomeActive", command: "echo a=b"), EventHook(event: "tick", command: "y"),
            ])
        #expect(hooks.policy.announcesEvents)
        #expect(hooks.policy.grace == nil)
        #expect(try !read("--settings", "x", "true").policy.announcesEvents)
    }

    @Test("--on willTerminate=SIGNAL is what quit sends")
    func terminateSignal() throws {
        let read = try read("--on", "willTerminate=INT", "true")
        #expect(read.policy.terminateSignal == 2)
        #expect(read.plan.manifest.eventSignals == [EventSignal(event: "willTerminate", signal: 2)])
        #expect(try self.read("--on=willTerminate=INT", "--on=willTerminate=HUP", "true").policy.terminateSignal == 1)
    }

    @Test(
        "A program that hears of home by a signal has time for it",
        arguments: ["didEnterBackground", "willResignActive"])
    func impliedGrace(event: String) throws {
        let on = "--on=\(event)=USR1"
        #expect(try read(on, "true").policy.handlerGrace == Profile.ios4.enterBackgroundLimit)
        #expect(try read(on, "--profile=ios5", "true").policy.handlerGrace == Profile.ios5.enterBackgroundLimit)
        #expect(try read(on, "--enter-background-limit=3", "true").policy.handlerGrace == .seconds(3))
        #expect(try read("--grace=7", on, "true").policy.grace == .seconds(7))
        #expect(try read("--grace=0", on, "true").policy.grace == .zero)
        #expect(try read(on, "--time-scale=10", "true").policy.handlerGrace == .milliseconds(500))
        #expect(try read("--on=didBecomeActive=USR1", "true").policy.handlerGrace == nil)
    }

    @Test("--settings-signal is --on settingsDidChange, and needs --settings")
    func settings() throws {
        let changed = EventSignal(event: "settingsDidChange", signal: 1)
        let read = try read("--settings-signal", "HUP", "--settings", "app.conf", "true")
        #expect(read.plan.manifest.settingsPath == "app.conf")
        #expect(read.plan.manifest.eventSignals == [changed])
        #expect(read.policy.announcesEvents)
        let lines = [
            ["--settings-signal=HUP", "--on=settingsDidChange=USR1", "--settings=x"],
            ["--on=settingsDidChange=HUP", "--settings-signal=USR1", "--settings=x"],
        ]
        for line in lines {
            let plan = try Argv.withReader("run", line + ["true"], RunArguments.parse)
            #expect(plan.manifest.eventSignals == [EventSignal(event: "settingsDidChange", signal: 10)])
        }
        #expect(
            problem("--settings-signal=HUP", "true")
                == "curfew: run: --settings-signal needs --settings FILE, the file whose changes it tells of")
    }

    @Test("A number set on its own holds before and after --profile")
    func overridesProfile() throws {
        var expected = Self.policy(.ios13)
        expected.backgroundBudget = .seconds(7)
        #expect(try read("--budget", "7", "--profile", "ios13", "true").policy == expected)
        #expect(try read("--profile", "ios13", "--budget", "7", "true").policy == expected)
    }

    @Test("Of an option given twice the last one counts")
    func lastCounts() throws {
        let read = try read(
            "--budget", "7", "--name=a", "--profile=ios7", "--budget=8", "--name=b", "--profile=ios5", "true")
        #expect(read.policy.backgroundBudget == .seconds(8))
        #expect(read.plan.manifest.name == "b")
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
            #expect(plan.manifest.policy.backgroundBudget == .seconds(2))
            #expect(plan.manifest.policy.grace == .seconds(1))
            #expect(plan.manifest.policy.timeLimit == .seconds(60))
            #expect(plan.manifest.policy.wakeLimit == .infinite)
            #expect(plan.manifest.policy.terminateLimit == Profile.ios4.terminateLimit.scaled(by: 60))
        }
        #expect(try read("--time-scale", "0.5", "true").policy.terminateLimit == .seconds(10))
        #expect(try read("--time-scale", "1", "true").policy == Self.policy(.ios4))
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
        #expect(read.plan.manifest.name == "x")
        #expect(read.command == ["cmd", "--name", "y", "--help"])
    }

    @Test("A value is the next word, whatever it looks like")
    func dashedValues() throws {
        #expect(try read("--report", "--", "true").plan.options.reportPath == "--")
        #expect(try read("--report", "--help", "true").plan.options.reportPath == "--help")
        #expect(try read("--report=a=b", "true").plan.options.reportPath == "a=b")
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

    @Test("A soft limit above the fatal one would never warn")
    func softLimits() {
        #expect(
            problem("--memory=200M", "--memory-high=300M", "x")
                == "curfew: run: --memory-high 300 MiB is above --memory 200 MiB: it would never warn")
        #expect(
            problem("--memory=200M", "--background-memory-high=300M", "x")
                == "curfew: run: --background-memory-high 300 MiB is above --memory 200 MiB: it would never warn")
        #expect(
            problem("--memory=1G", "--background-memory=100M", "--background-memory-high=300M", "x")
                == "curfew: run: --background-memory-high 300 MiB is above --background-memory 100 MiB: it would never warn"
        )
        #expect(problem("--memory=200M", "--memory-high=200M", "x") == nil)
        #expect(problem("--memory=200M", "--memory-high=inf", "x") == nil)
        #expect(problem("--memory-high=300M", "--background-memory=200M", "x") == nil)
    }

    @Test("A mistake in what is told of events is told in one line")
    func eventMistakes() {
        let word = "letters, digits, - _ and . (first a letter), 64 at most"
        let signal = "a signal: a name such as USR1 or SIGUSR1, or a number from 1 to 64"
        let ours = """
            can't be used: Curfew suspends, resumes and kills by STOP, CONT and KILL; another signal, such as USR1, is \
            needed
            """
        let lifecycle = "is an event of the lifecycle; only Curfew delivers it, so yours needs another name"
        let mistakes = [
            (["--wake"], "--wake needs a value: an event's name: \(word)"),
            (["--wake=", "y"], "--wake: \"\" isn't an event's name: \(word)"),
            (["--wake=a b", "y"], "--wake: \"a b\" isn't an event's name: \(word)"),
            (["--wake=willTerminate", "y"], "--wake: willTerminate \(lifecycle)"),
            (["--launch-option"], "--launch-option needs a value: KEY=VALUE, such as reason=nightly"),
            (["--launch-option=x", "y"], "--launch-option: \"x\" isn't KEY=VALUE, such as reason=nightly"),
            (["--launch-option==v", "y"], "--launch-option: \"\" isn't a KEY: \(word)"),
            (["--on"], "--on needs a value: EVENT=SIGNAL, such as didEnterBackground=USR1"),
            (["--on=HUP", "y"], "--on: \"HUP\" isn't EVENT=SIGNAL, such as didEnterBackground=USR1"),
            (["--on==HUP", "y"], "--on: \"\" isn't an event's name: \(word)"),
            (["--on=tick=", "y"], "--on: \"\" isn't \(signal)"),
            (["--on=tick=FOO", "y"], "--on: \"FOO\" isn't \(signal)"),
            (["--on=tick=65", "y"], "--on: \"65\" isn't \(signal)"),
            (["--on=tick=KILL", "y"], "--on: \"KILL\" \(ours)"),
            (["--on=tick=18", "y"], "--on: \"18\" \(ours)"),
            (
                ["--on=didEnterBackgroud=HUP", "y"],
                "--on: there is no event \"didEnterBackgroud\"; did you mean didEnterBackground?"
            ),
            (
                ["--on=backgroundtaskwillexpire=HUP", "y"],
                "--on: there is no event \"backgroundtaskwillexpire\"; did you mean backgroundTaskWillExpire?"
            ),
            (
                ["--on=settingsDidChang=HUP", "y"],
                "--on: there is no event \"settingsDidChang\"; did you mean settingsDidChange?"
            ),
            (["--exec-on"], "--exec-on needs a value: EVENT=COMMAND, such as didEnterBackground='sync'"),
            (["--exec-on=x", "y"], "--exec-on: \"x\" isn't EVENT=COMMAND, such as didEnterBackground='sync'"),
            (
                ["--exec-on=tick= ", "y"],
                "--exec-on: tick has no COMMAND; accepted is EVENT=COMMAND, such as didEnterBackground='sync'"
            ),
            (
                ["--exec-on=DidBecomeActive=x", "y"],
                "--exec-on: there is no event \"DidBecomeActive\"; did you mean didBecomeActive?"
            ),
            (["--settings"], "--settings needs a value: the path of a file"),
            (["--settings-signal"], "--settings-signal needs a value: \(signal)"),
            (["--settings-signal=STOP", "--settings=x", "y"], "--settings-signal: \"STOP\" \(ours)"),
            (["--journal=", "y"], "--journal: \"\" isn't the path of a file"),
            (["--state-dir"], "--state-dir needs a value: the path of a directory"),
            (["--state-dir=", "y"], "--state-dir: \"\" isn't the path of a directory"),
            (["--watchdog=soon", "y"], "--watchdog: \"soon\" isn't \(DurationArgument.accepted)"),
            (["--exits-on-suspend=no", "y"], "--exits-on-suspend takes no value; it was given \"no\""),
        ]
        for (words, line) in mistakes { #expect(problem(words) == "curfew: run: " + line) }
        let many = (1...17).map { "--launch-option=k\($0)=v" }
        #expect(
            problem(many + ["y"])
                == "curfew: run: --launch-option: \"k17\" is one too many: an event carries 16 pairs at most")
        let long = ["--launch-option=a=" + String(repeating: "v", count: 4_000), "y"]
        #expect(
            problem(long)
                == "curfew: run: --launch-option: the pairs are too long: an event has 4096 bytes at most, all in all")
    }
}
