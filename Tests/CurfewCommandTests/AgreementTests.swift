import ArgumentParser
import CurfewArguments
import Testing

@testable import CurfewCommand

/// The command line has two readers: the fast path that runs, and the definitions that help and completions come from.
@Suite("The fast path and the definitions agree")
struct AgreementTests {
    /// A good value for each option that takes one.
    private static let samples = [
        "--name": "backup", "--report": "/tmp/report.json", "--profile": "ios13", "--budget": "10m",
        "--expiration-lead": "1.5s", "--grace": "3", "--enter-background-limit": "500ms", "--terminate-limit": "inf",
        "--launch-limit": "1h30min", "--wake-limit": "30", "--processing-limit": "5m",
        "--time-limit": "2d", "--time-scale": "60",
        "--memory": "200M", "--containment": "tree", "--suspend": "sigstop", "--terminate-suspended": "wake",
        "--on-supervisor-exit": "resume", "--owner": "42", "--wake": "fetch", "--launch-option": "reason=test",
        "--on": "didEnterBackground=USR1", "--exec-on": "didBecomeActive=true", "--settings": "/tmp/app.conf",
        "--settings-signal": "SIGHUP", "--watchdog": "10", "--journal": "/tmp/journal",
        "--state-dir": "/tmp/state",
        "--memory-high": "150M", "--background-memory": "50M", "--background-memory-high": "40M", "--memory-low": "10%",
        "--disk-low": "1G", "--background-cpu": "80%/60s", "--cpu-limit-action": "log", "--background-priority": "low",
        "--locks": "defer", "--lock-wait": "2s", "--page-out": "10s", "--page-out-above": "16M", "--resume-limit": "20",
        "--sleep-when-idle": "10m,force", "--idle-cpu": "0.5%", "--wake-on": "connections:80:443,pipes",
        "--quiet": "2s",
        "--output": "/tmp/run.svg", "--title": "a run", "--record": "1s", "--server": "work", "--limit": "30",
        "--at": "2096-12-01 08:00", "--in": "10m", "--zone": "Europe/Berlin", "--repeat": "daily", "--action": "Answer",
        "--badge": "3", "--apns-id": "7f3a", "--sound": "bell", "--info": "from=ada", "--id": "n1", "--cancel": "n1",
        "--since": "10m", "--run": "3", "--expire": "3", "--earliest": "08:00", "--foreground": "2",
        "--log-size": "16M",
        "--source": "mqtt.sh -h broker", "--source-apps": "mail,chat", "--apps": "/tmp/apps",
    ]

    /// What an option can't be without.
    private static let companions = [
        "--settings-signal": ["--settings", "x"], "--lock-wait": ["--locks", "defer"],
        "--page-out-above": ["--page-out", "1"], "--idle-cpu": ["--wake-on", "all"],
        "--quiet": ["--sleep-when-idle", "1m"], "--server": ["--join"],
    ]

    /// Of other verbs --server isn't about joining.
    private static func companions(of option: String, _ verb: String) -> [String] {
        option == "--server" && verb != "run" ? [] : companions[option, default: []]
    }

    /// Values good for some options and bad for others, or for all.
    private static let probes =
        [
            "backup", "10m", "1.5s", "500ms", "1h30min", "2d", "60", "200M", "tree", "wake", "ios13", "/tmp/x.json", "",
            " ", "-", "--", "-1", "0", "1", "+1", "1.5", "007", "1e3", "90x", "abc", "nan", "INF", "infinity", "1 h",
            "1,5", "0x10", "1KB", "1.5G", "0M", "64KiB", "a/b", "..", ".", "-x", "@", "a b", "é", "auto", "cgroup2",
            "cgroup3", "both", "freezer", "kill", "ios4", "ios6", "iOS4", "0.001", "0.0009", "1000000", "1000001",
            "1e999", "99999999999", String(repeating: "a", count: 64), String(repeating: "a", count: 65), "--budget",
            "--json", "x=y", "=", "10%", "0%", "100%", "101%", "12.5%", "%", "-5%", "1e2%", "80%/60s", "80%/", "/60s",
            "80/60", "150%/1s/2s", "80%/inf", "80%/1ms", "80%/10ms", "1000000%", "10001", "10000", "3/1min", "3/",
            "3/0", "3/inf", "/3", "inf%", "defer",
            "throttle", "low", "10m,force", "10m,", "9ms", "10ms", ",force", "all", "none", "terminal,pipes,timers",
            "connections:1,all",
            "connections:65536", "connections:0", "connections:", "pipes:80", "terminal,", "0.5%", "100.5%", "x.svg",
            "mail,", ",", "a,b,c",
            ".svg", "a/.svg", "x.SVG", "x.html", "x.json", "x.png", "svg", "08:00", "24:00", "2096-12-01 08:00",
            "2096-12-01T08:00:00Z", "@1", "daily", "60", "59",
            "1d", "1.5m", "2147483648", "a.b-c_d",
        ]

    /// The same for what is said of events.
    private static let eventProbes =
        [
            "x=y", "=", "x=", "=y", "x", "a.b-c_d=1", "1a=b", "a b=c", "x=y=z", "-x=y",
            "didEnterBackground=USR1", "didEnterBackground=sigusr1", "willTerminate=15", "tick=RTMIN+1", "tick=64",
            "tick=65", "tick=0", "tick=-1", "tick=KILL", "tick=SIGSTOP", "tick=18", "tick= ", "didEnterBackgroud=HUP",
            "didenterbackground=HUP", "didEnterBackground", "settingsDidChange", "USR1", "sighup", "RTMAX-30",
            "RTMIN-1",
            "9", "33", "fetch", "tick=echo a=b", String(repeating: "k", count: 64) + "=v",
            String(repeating: "k", count: 65) + "=v", "x=" + String(repeating: "v", count: 3_000),
            "x=" + String(repeating: "v", count: 4_096), "x=" + String(repeating: "\"", count: 2_000), "x=a\nb", "",
            " ", "-", "--", "a/b", "a b", "é", "kill", "1", "0", "--json",
        ]

    /// What a verb needs besides options.
    private static func operands(_ verb: String) -> [String] {
        switch verb {
        case "run": ["true"]
        case "home", "open", "sleep", "interrupt", "dismiss", "quit", "reclaim", "warn", "task begin": ["backup"]
        case "pressure": ["backup", "critical"]
        case "advance": ["backup", "10m"]
        case "wait": ["backup", "suspended"]
        case "launch": ["--", "true"]
        case "remove", "log", "notify", "fetch", "push": ["backup"]
        case "submit": ["backup", "index", "--refresh"]
        case "wake", "post": ["backup", "fetch"]
        case "replay": ["journal"]
        case "task end": ["3"]
        case "task keep-alive", "task fetch-interval": ["10m"]
        case "task payload": ["7"]
        case "task run": ["backup", "true"]
        default: []
        }
    }

    /// The same beside an option that goes with less, or needs more.
    private static func operands(_ verb: String, beside option: String) -> [String] {
        switch (verb, option) {
        case ("submit", "--refresh"), ("submit", "--processing"): ["backup", "index"]
        case ("submit", "--cancel"), ("submit", "--cancel-all"), ("schedule", "--run"), ("schedule", "--expire"):
            ["backup"]
        default: operands(verb)
        }
    }

    private func bothSay(_ verdict: Verdict, _ verb: String, onlyOf option: String? = nil, _ words: [String]) {
        #expect(Verdict.ofFastPath(verb, words) == verdict, "fast path: curfew \(verb) \(words)")
        #expect(Self.definitions(verb, onlyOf: option, words) == verdict, "definitions: curfew \(verb) \(words)")
    }

    private func bothAgree(_ verb: String, onlyOf option: String? = nil, _ words: [String]) {
        let fast = Verdict.ofFastPath(verb, words)
        #expect(Self.definitions(verb, onlyOf: option, words) == fast, "fast path \(fast): curfew \(verb) \(words)")
    }

    /// Where it is about one option's value, the other groups of `run` are left out.
    private static func definitions(_ verb: String, onlyOf option: String?, _ words: [String]) -> Verdict {
        guard let option, let group = RunGroups.with(option), verb == "run" else {
            return Verdict.ofDefinitions(verb, words)
        }
        return Verdict.of(group, words)
    }

    /// The options in the help of a verb, `--help` aside, and whether each takes a value.
    private static func definedOptions(_ verb: String) throws -> [String: Bool] {
        let path = verb.split(separator: " ").map(String.init)
        let help = try HelpRequest.help(path).text()
        let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") && !$0.hasPrefix("  -h") }
        let pairs = lines.map { line in
            // What a short name stands for comes behind it.
            let words = line.split(separator: " ").drop { !$0.hasPrefix("--") }
            return (String(words.first ?? ""), words.dropFirst().first?.hasPrefix("<") == true)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test("The same verbs")
    func verbs() {
        let defined = Curfew.configuration.subcommands.flatMap { command in
            let name = command.configuration.commandName ?? ""
            let inner = command.configuration.subcommands.map { "\(name) \($0.configuration.commandName ?? "")" }
            return inner.isEmpty ? [name] : inner
        }
        // TimeoutArgumentsTests holds the one that is read in another way.
        #expect(defined.filter { $0 != "timeout" && $0 != "test" } == VerbSyntax.all)
        #expect(Curfew.configuration.subcommands.map { $0.configuration.commandName } == CommandLineTool.verbs)
    }

    @Test("The same options", arguments: VerbSyntax.all)
    func options(verb: String) throws {
        let defined = try Self.definedOptions(verb)
        #expect(Set(defined.keys) == Set(VerbSyntax.options(of: verb)))
        for (option, takesValue) in defined {
            #expect((Self.samples[option] != nil) == takesValue, "\(option)")
        }
    }

    @Test("Each option is accepted by both", arguments: VerbSyntax.all)
    func acceptsEach(verb: String) {
        bothSay(.accepted, verb, Self.operands(verb))
        for option in VerbSyntax.options(of: verb) {
            let operands = Self.operands(verb, beside: option)
            if let value = Self.samples[option] {
                let rest = Self.companions(of: option, verb) + operands
                bothSay(.accepted, verb, [option, value] + rest)
                bothSay(.accepted, verb, onlyOf: option, ["\(option)=\(value)"] + rest)
                bothSay(.refused, verb, onlyOf: option, [option])
            } else {
                bothSay(.accepted, verb, [option] + operands)
                bothSay(.refused, verb, onlyOf: option, ["\(option)=1"] + operands)
            }
        }
    }

    @Test("An option of neither is refused by both", arguments: VerbSyntax.all)
    func refusesUnknown(verb: String) {
        for option in ["--bogus", "--bogus=1", "-x", "-json", "--Json", "--nam", "-n", "--json-"] {
            bothSay(.refused, verb, [option] + Self.operands(verb))
        }
    }

    /// The definitions know the same options and no others, and refuse whatever they don't know.
    @Test("Options of other verbs are refused", arguments: VerbSyntax.all)
    func refusesOthers(verb: String) {
        let own = VerbSyntax.options(of: verb)
        for option in Set(VerbSyntax.all.flatMap(VerbSyntax.options(of:))) where !own.contains(option) {
            let value = Self.samples[option].map { "=\($0)" } ?? ""
            let words = [option + value] + Self.operands(verb)
            #expect(Verdict.ofFastPath(verb, words) == .refused, "curfew \(verb) \(words)")
        }
    }

    @Test("Every option of run is in one of its groups")
    func groups() {
        for option in VerbSyntax.options(of: "run") { #expect(RunGroups.with(option) != nil, "\(option)") }
    }

    @Test("Each option takes the same kind of value", arguments: ["run", "task begin"])
    func kinds(verb: String) {
        for option in VerbSyntax.options(of: verb) where Self.samples[option] != nil {
            let rest = Self.companions[option, default: []] + Self.operands(verb)
            for value in ["1.5s", "200M", "0.0001", "a/b", "ios7", "tree", "both", "kill", "--json", "a=b", "a=HUP"] {
                bothAgree(verb, onlyOf: option, [option, value] + rest)
            }
        }
    }

    @Test(
        "Each kind of value is the same",
        arguments: [
            "--name", "--report", "--profile", "--budget", "--time-scale", "--memory", "--owner",
            "--memory-low", "--disk-low", "--background-cpu", "--resume-limit", "--locks", "--lock-wait",
            "--page-out-above",
            "--cpu-limit-action", "--output", "--record", "--server", "--limit", "--since", "--run",
            "--foreground", "--log-size", "--at", "--in", "--repeat", "--badge", "--id", "--cancel", "--earliest",
            "--expire", "--apps",
        ])
    func values(option: String) { bothAgreeOnValues(of: option, Self.probes) }

    @Test(
        "Each kind of what is said of events is the same",
        arguments: ["--wake", "--launch-option", "--on", "--exec-on", "--settings-signal"])
    func eventValues(option: String) { bothAgreeOnValues(of: option, Self.eventProbes) }

    private func bothAgreeOnValues(of option: String, _ values: [String]) {
        let verbs = [
            "--owner": "task begin", "--output": "timeline", "--record": "timeline", "--server": "wait",
            "--limit": "wait", "--since": "log", "--run": "log", "--foreground": "serve", "--log-size": "serve",
            "--at": "notify", "--in": "notify", "--repeat": "notify", "--badge": "notify", "--id": "notify",
            "--cancel": "notify", "--earliest": "submit", "--expire": "schedule", "--apps": "serve",
        ]
        let verb = verbs[option] ?? "run"
        let rest = Self.companions[option, default: []] + Self.operands(verb, beside: option)
        for (index, value) in values.enumerated() {
            bothAgree(verb, onlyOf: option, (index % 2 == 0 ? [option, value] : ["\(option)=\(value)"]) + rest)
        }
    }

    @Test("How many runs are told of is no time")
    func historyLimits() {
        for value in Self.probes + ["100000", "100001", "30s"] {
            bothAgree("history", ["--limit", value])
            bothAgree("history", ["--limit=\(value)", "--limit", "3", "mail"])
        }
    }

    @Test("The operands of a posted event are the same", arguments: ["wake", "post"])
    func postedOperands(verb: String) {
        for value in Self.eventProbes {
            bothAgree(verb, ["--", "backup", value])
            bothAgree(verb, ["--", "backup", "fetch", value])
        }
        let pairs = (1...17).map { "k\($0)=v" }
        bothSay(.accepted, verb, ["backup", "fetch"] + pairs.prefix(16))
        bothSay(.refused, verb, ["backup", "fetch"] + pairs)
        bothSay(.accepted, verb, ["backup", "fetch", "a=1", "--json", "b=2"])
        bothSay(.accepted, verb, ["backup", "fetch", "a=" + String(repeating: "v", count: 1_900)])
        let long = String(repeating: "v", count: 2_000)
        bothSay(.refused, verb, ["backup", "fetch"] + pairs.prefix(2).map { $0 + long })
    }

    @Test("Options that are given more than once, and those that need each other")
    func repeated() {
        func options(_ count: Int, _ value: (Int) -> String) -> [String] {
            (1...count).flatMap { ["--launch-option", value($0)] }
        }
        bothSay(.accepted, "run", options(16) { "k\($0)=v" } + ["true"])
        bothSay(.refused, "run", options(17) { "k\($0)=v" } + ["true"])
        bothSay(.accepted, "run", options(40) { "k\($0 % 16)=v" } + ["true"])
        let long = String(repeating: "v", count: 2_000)
        bothSay(.refused, "run", options(2) { "k\($0)=\(long)" } + ["true"])
        bothSay(.accepted, "run", options(2) { _ in "k=\(long)" } + ["true"])
        let signals = (1...40).flatMap { ["--on", "e\($0)=USR1", "--exec-on=e\($0)=true"] }
        bothSay(.accepted, "run", signals + ["true"])
        bothSay(.refused, "run", ["--settings-signal", "HUP", "true"])
        bothSay(.accepted, "run", ["--settings-signal", "HUP", "--settings", "x", "true"])
        bothSay(.accepted, "run", ["--settings", "x", "true"])
        bothSay(.accepted, "run", ["--wake", "a", "--wake", "b", "--background", "true"])
    }

    @Test("The same operands are accepted", arguments: VerbSyntax.all)
    func operands(verb: String) {
        let operands = Self.operands(verb)
        for count in 0...operands.count + 2 {
            let words = Array((operands + ["7", "8", "9"]).prefix(count))
            bothAgree(verb, words)
            bothAgree(verb, ["--"] + words)
        }
    }

    @Test("Help is help, before a command and not after it", arguments: VerbSyntax.all)
    func help(verb: String) {
        for option in ["--help", "-h"] {
            bothSay(.help, verb, [option])
            bothSay(.help, verb, [option] + Self.operands(verb))
        }
        guard verb.hasSuffix("run") else { return }
        bothSay(.accepted, verb, Self.operands(verb) + ["--help"])
        bothSay(.accepted, verb, Self.operands(verb) + ["--", "-h", "--json", "--name"])
    }

    @Test("What an option can't be without is asked for by both", arguments: companions.keys.sorted())
    func companion(option: String) {
        bothSay(.refused, "run", [option, Self.samples[option] ?? ""] + Self.operands("run"))
    }

    @Test("Random command lines are judged alike", arguments: VerbSyntax.all)
    func random(verb: String) {
        var generator = SplitMix64(seed: 13)
        // In an order that the seed repeats.
        let options = Set(VerbSyntax.all.flatMap(VerbSyntax.options(of:))).sorted()
        let words = options.flatMap { [$0, $0 + "=1"] } + options.compactMap { Self.samples[$0] }
        for _ in 0..<40 {
            let count = Int.random(in: 0...5, using: &generator)
            let line = (0..<count).compactMap { _ in words.randomElement(using: &generator) }
            bothAgree(verb, line + (Bool.random(using: &generator) ? Self.operands(verb) : []))
        }
    }
}
