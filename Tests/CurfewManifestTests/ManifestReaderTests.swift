import CurfewCommand
import CurfewCore
import CurfewEngine
import Testing

@testable import CurfewManifest

@Suite("Manifests")
struct ManifestReaderTests {
    /// As TOML has it, and the words of `run` that come of it.
    private static let samples: [String: (toml: String, words: [String])] = [
        "background": ("true", []), "aware": ("true", []), "wait-all": ("true", []), "drop-caps": ("true", []),
        "no-new-privs": ("true", []), "exits-on-suspend": ("true", []), "profile": ("\"ios5\"", ["ios5"]),
        "budget": ("90", ["90"]), "expiration-lead": ("1.5", ["1.5"]), "grace": ("\"10m\"", ["10m"]),
        "sleep-when-idle": ("\"10m,force\"", ["10m,force"]), "idle-cpu": ("\"2%\"", ["2%"]),
        "wake-on": ("\"connections:80\"", ["connections:80"]), "quiet": ("2", ["2"]),
        "enter-background-limit": ("3", ["3"]), "terminate-limit": ("inf", ["inf"]), "launch-limit": ("9", ["9"]),
        "wake-limit": ("30", ["30"]), "processing-limit": ("\"5m\"", ["5m"]),
        "time-limit": ("\"2d\"", ["2d"]), "memory": ("\"200M\"", ["200M"]),
        "memory-high": ("\"150M\"", ["150M"]), "background-memory": ("\"50M\"", ["50M"]),
        "background-memory-high": ("\"40M\"", ["40M"]), "background-cpu": ("\"80%/60s\"", ["80%/60s"]),
        "cpu-limit-action": ("\"log\"", ["log"]), "background-priority": ("\"low\"", ["low"]),
        "locks": ("\"defer\"", ["defer"]), "lock-wait": ("2", ["2"]), "page-out": ("10", ["10"]),
        "page-out-above": ("\"16M\"", ["16M"]), "resume-limit": ("20", ["20"]), "containment": ("\"tree\"", ["tree"]),
        "suspend": ("\"sigstop\"", ["sigstop"]), "terminate-suspended": ("\"wake\"", ["wake"]),
        "wake": ("\"fetch\"", ["fetch"]), "launch-option": ("[\"a=1\", \"b=2\"]", ["a=1", "b=2"]),
        "on": ("[\"tick=USR1\", \"tock=USR2\"]", ["tick=USR1", "tock=USR2"]),
        "settings": ("\"/tmp/x\"", ["/tmp/x"]), "settings-signal": ("\"HUP\"", ["HUP"]), "watchdog": ("10", ["10"]),
        "state-dir": ("\"/tmp/x\"", ["/tmp/x"]),
    ]

    /// What some can't be without.
    private static let companions = [
        "settings-signal": "settings = \"/tmp/x\"", "lock-wait": "locks = \"defer\"", "page-out-above": "page-out = 1",
        "idle-cpu": "wake-on = \"all\"", "quiet": "wake-on = \"all\"",
    ]

    @Test("Each option of run is a key of its own name, but for a supervisor's", arguments: RunOption.allCases)
    func eachOption(option: RunOption) throws {
        guard option.otherPlace == nil else {
            #expect(Self.samples[option.key] == nil)
            #expect(complaints("\(option.key) = 1") == ["web.toml:2: \(option.key): \(option.otherPlace ?? "")"])
            return
        }
        let sample = try #require(Self.samples[option.key])
        let companion = Self.companions[option.key].map { $0 + "\n" } ?? ""
        let read = checked("command = [\"true\"]\n\(companion)\(option.key) = \(sample.toml)\n")
        #expect(read.problems == [])
        let options = try #require(read.definition).options
        let words = sample.words.isEmpty ? [option.rawValue] : sample.words.flatMap { [option.rawValue, $0] }
        #expect(options.indices.contains { options[$0...].starts(with: words) }, "\(options)")
    }

    @Test("A value that is no option's is refused in run's own words")
    func badValues() {
        let duration = DurationArgument.accepted
        #expect(complaints("budget = \"10x\"") == ["web.toml:2: budget: \"10x\" isn't \(duration)"])
        #expect(complaints("\n\nmemory = 0") == ["web.toml:4: memory: \"0\" isn't \(SizeArgument.accepted)"])
        #expect(complaints("budget = true") == ["web.toml:2: budget: true where \(duration) is accepted"])
        #expect(complaints("budget = [1]") == ["web.toml:2: budget: an array where \(duration) is accepted"])
        #expect(complaints("aware = \"yes\"") == ["web.toml:2: aware: a string where true or false is accepted"])
        #expect(
            complaints("on = [\"tick=USR1\", \"tick=KILL\", 3]").map { $0.prefix(23) }
                == ["web.toml:2: on: \"KILL\" ", "web.toml:2: on: \"3\" isn"])
        #expect(
            complaints("on = true") == [
                "web.toml:2: on: true where EVENT=SIGNAL, such as didEnterBackground=USR1, or an array of such, is accepted"
            ])
    }

    @Test("A flag that is false is as if it weren't there")
    func falseFlag() {
        #expect(checked("command = \"x\"\naware = false").definition?.options == [])
    }

    @Test("An unknown key is told with the nearest that there is")
    func unknownKeys() {
        #expect(complaints("bugdet = 1") == ["web.toml:2: bugdet: unknown key; did you mean budget?"])
        #expect(complaints("\"--memory\" = 1") == ["web.toml:2: --memory: unknown key; did you mean memory?"])
        #expect(complaints("comand = 1") == ["web.toml:2: comand: unknown key; did you mean command?"])
        #expect(
            complaints("x = 1") == [
                "web.toml:2: x: unknown key; accepted are command, directory, environment, launch-at-start, restart, "
                    + "background-modes, minimum-fetch-interval, and the options of `curfew run` without their --"
            ])
        #expect(complaints("\n[service]\nbudget = 1").map { $0.prefix(30) } == ["web.toml:3: service: unknown k"])
    }

    @Test("All that is wrong with a file is told at once, by line")
    func allAtOnce() {
        let text =
            "restart = \"sometimes\"\nbudget = \"x\"\nname = \"web\"\ncommand = []\nbackground-modes = [\"voice\", \"fetch\"]\n"
        let told = checked(text).problems.map { "\($0.line ?? 0) \($0.key ?? "")" }
        #expect(told == ["1 restart", "2 budget", "3 name", "4 command", "5 background-modes"])
        #expect(checked(text).definition == nil)
        #expect(
            checked("budget = 1").problems.map(\.text) == [
                "no command; a manifest needs one, such as command = [\"redis-server\"]"
            ])
    }

    @Test("What doesn't go together is told where it stands, each of it")
    func together() {
        #expect(
            complaints("memory = \"200M\"\nmemory-high = \"300M\"\nlock-wait = 1") == [
                "web.toml:3: memory-high: memory-high 300 MiB is above memory 200 MiB: it would never warn",
                "web.toml:4: lock-wait: lock-wait needs locks defer, which waits",
            ])
        let tooMany = (0...16).map { "\"k\($0)=\"" }.joined(separator: ", ")
        #expect(
            complaints("launch-option = [\(tooMany)]") == [
                "web.toml:2: launch-option: \"k16\" is one too many: an event carries 16 pairs at most"
            ])
    }

    @Test("A command is an array, or a string as in sh")
    func commands() throws {
        #expect(checked("command = [\"a b\", \"\", \"--budget\"]").definition?.command == ["a b", "", "--budget"])
        #expect(checked("command = \"env 'a b' \\\"c\\\"\"").definition?.command == ["env", "a b", "c"])
        #expect(checked("command = [1]").problems.map(\.text) == ["a number where a string is accepted"])
        #expect(
            checked("command = 1").problems.map(\.text) == ["a number where \(ManifestKey.command.values) is accepted"])
        #expect(checked("command = [\"\"]").problems.map(\.text) == ["its first word is empty, and names no program"])
        #expect(
            checked("command = \" \"").problems.map(\.text) == [
                "it is empty; a program is needed, such as [\"redis-server\"]"
            ])
    }

    @Test("Directory and environment")
    func place() throws {
        let text = "command = \"x\"\ndirectory = \"/srv\"\n[environment]\nB = \"2\"\nA = \"1 \\\"\"\n"
        let definition = try #require(checked(text).definition)
        #expect(definition.directory == "/srv")
        #expect(definition.environment.map { "\($0.0)=\($0.1)" } == ["A=1 \"", "B=2"])
        #expect(
            complaints("directory = \"srv\"") == [
                "web.toml:2: directory: \"srv\" isn't the absolute path of a directory; nothing is expanded here"
            ])
        #expect(
            complaints("[environment]\nA = 1\n\"B=\" = \"\"") == [
                "web.toml:3: environment.A: a number where a string is accepted",
                "web.toml:4: environment.B=: a variable's name is never empty, and has no =",
            ])
        #expect(complaints("environment.A = \"1\"").isEmpty)
        #expect(complaints("environment = { A = \"1\" }").isEmpty)
    }

    @Test("When it runs")
    func schedule() throws {
        let text = """
            command = "x"
            launch-at-start = true
            restart = "always"
            background-modes = ["fetch", "processing", "fetch"]
            minimum-fetch-interval = "1h"
            """
        #expect(checked(text).problems.isEmpty)
        let definition = try #require(checked(text).definition)
        #expect(definition.launchAtStart)
        #expect(definition.restart == .always)
        #expect(definition.backgroundModes == [.fetch, .processing])
        #expect(definition.minimumFetchInterval == .every(.seconds(3_600)))
        #expect(
            complaints("restart = \"alwas\"") == [
                "web.toml:2: restart: \"alwas\" isn't one of never, on-failure, always; did you mean always?"
            ])
        #expect(
            complaints("background-modes = [\"fetsh\"]") == [
                "web.toml:2: background-modes: \"fetsh\" isn't one of voip, fetch, remote-notification, processing, continuous; "
                    + "did you mean fetch?"
            ])
        #expect(complaints("background-modes = \"voip\"").count == 1)
        #expect(complaints("minimum-fetch-interval = \"soon\"").count == 1)
        #expect(complaints("minimum-fetch-interval = \"never\"").isEmpty)
    }

    @Test("A VoIP app waits for connections, and is launched again; what is said by hand goes before that")
    func voip() throws {
        let definition = try #require(checked("command = \"x\"\nbackground-modes = [\"voip\"]").definition)
        #expect(definition.options == ["--wake-on", "connections"])
        #expect(definition.launchAtStart)
        #expect(definition.restart == .onFailure)
        let text =
            "command = \"x\"\nbackground-modes = [\"voip\"]\nwake-on = \"all\"\nrestart = \"never\"\nlaunch-at-start = false"
        let other = try #require(checked(text).definition)
        #expect(other.options == ["--wake-on", "all"])
        #expect(!other.launchAtStart)
        #expect(other.restart == .never)
        let warned = checked("command = \"x\"\nbackground-modes = [\"voip\"]\nprofile = \"ios13\"")
        #expect(warned.problems.map { "\($0.line ?? 0) \($0.isWarning)" } == ["2 true"])
        #expect(warned.definition != nil)
    }

    @Test("What is never suspended can't be asked to sleep or to end for it")
    func continuous() {
        let text = "background-modes = [\"continuous\"]\nsleep-when-idle = \"1m\"\nexits-on-suspend = true"
        let why = "isn't for background-modes = [\"continuous\"]: such an app is never suspended"
        #expect(complaints(text) == ["web.toml:3: sleep-when-idle: \(why)", "web.toml:4: exits-on-suspend: \(why)"])
        #expect(complaints("background-modes = [\"continuous\"]\nexits-on-suspend = false").isEmpty)
    }

    @Test("An app that would be suspended as soon as it is launched is warned of")
    func suspendedAtOnce() {
        let warned = complaints("launch-at-start = true")
        #expect(warned.map { $0.prefix(43) } == ["web.toml:2: warning: launch-at-start: unles"])
        #expect(complaints("launch-at-start = true\naware = true").isEmpty)
        #expect(complaints("launch-at-start = true\nwake-on = \"connections\"").isEmpty)
        #expect(complaints("launch-at-start = true\nbackground-modes = [\"continuous\"]").isEmpty)
        #expect(
            complaints("background-modes = [\"fetch\"]\nminimum-fetch-interval = \"1h\"").isEmpty)
        #expect(
            complaints("minimum-fetch-interval = \"minimum\"").map { $0.prefix(45) } == [
                "web.toml:2: warning: minimum-fetch-interval: "
            ])
    }

    @Test(
        "A file is called as an app can be",
        arguments: ["a b.toml", ".toml", "12.toml", "web.txt", "-x.toml", "é.toml"])
    func names(file: String) {
        let read = ManifestReader.read(Array("command = \"x\"".utf8), path: "/etc/" + file)
        #expect(read.name == nil)
        #expect(read.problems.map(\.text.first) == ["a"])
    }

    @Test("The engine's manifest is made of it by the reader of `curfew run`")
    func plan() throws {
        let definition = try #require(
            checked("command = [\"a\", \"--b\"]\nbudget = \"10m\"\nprofile = \"ios5\"").definition)
        let words = definition.runArguments
        let manifest = try RunArguments.parse(words.reader(verb: "run")).manifest
        #expect(manifest.commandLine == ["a", "--b"])
        #expect(manifest.name == "web")
        #expect(manifest.policy.backgroundBudget == .seconds(600))
        withExtendedLifetime(words) {}
    }
}
