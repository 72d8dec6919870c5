import CurfewCore

/// What each verb accepts, for its parser, for "did you mean", and for the test that holds the help to it.
public enum VerbSyntax {
    /// Every verb whose command line is read in Curfew's own way, in the order of `curfew --help`; `timeout` has another.
    public static var all: [String] {
        CommandLineTool.verbs.filter { !["task", "timeout", "test"].contains($0) }
            + TaskVerbs.subverbs.map { "task \($0)" }
    }

    /// The options of a verb, `--help` aside, as typed.
    public static func options(of verb: String) -> [String] {
        switch verb {
        case "run": RunOption.allCases.map(\.rawValue)
        case "task begin": TaskBeginArguments.Option.allCases.map(\.rawValue)
        case "events": ["--json", "--follow"]
        case "sleep": ["--json", "--all", "--stay"]
        case "timeline": ["--output", "--title", "--record"]
        case "wait": ["--json", "--server", "--limit"]
        case "quit": ["--json", "--server", "--all"]
        case "home", "open", "switch", "fetch": ["--json", "--server"]
        case "history": ["--json", "--server", "--limit"]
        case "schedule": ["--json", "--server", "--run", "--expire"]
        case "submit":
            [
                "--json", "--server", "--refresh", "--processing", "--earliest", "--in", "--needs-network",
                "--needs-power", "--cancel", "--cancel-all",
            ]
        case "apps": ["--json", "--server", "--sources"]
        case "launch": LaunchArguments.options
        case "push": ["--json", "--server", "--apns-id"]
        case "notify":
            [
                "--json", "--server", "--at", "--in", "--zone", "--repeat", "--title", "--action", "--badge", "--sound",
                "--info", "--id", "--cancel", "--cancel-all",
            ]
        case "serve":
            [
                "--name", "--apps", "--foreground", "--memory-low", "--disk-low", "--log-size", "--containment",
                "--source", "--source-apps", "--stop",
            ]
        case "remove": ["--json", "--server", "--purge"]
        case "log": ["--json", "--follow", "--since", "--run"]
        case "reload": ["--json", "--server", "--environment"]
        case "interrupt", "dismiss", "wake", "post", "warn", "pressure", "advance", "reclaim", "ps", "status", "report",
            "check", "doctor", "task remaining", "task list":
            ["--json"]
        default: []
        }
    }

    /// What an option that takes a value accepts, of those that `VerbArguments` reads; nil for a flag.
    static func value(of option: String, _ verb: String) -> String? {
        switch option {
        case "--run" where verb == "schedule", "--expire": NotifyValues.acceptedID
        case "--limit" where verb == "history": HistoryLimit.accepted
        case "--limit": DurationArgument.accepted
        case "--since": LogMoment.accepted
        case "--run": LogRunNumber.accepted
        case "--at", "--earliest": WrittenTime.accepted
        case "--in": NotifyValues.acceptedSpan
        case "--zone": "local, or a zone's name such as Europe/Berlin"
        case "--repeat": NotifyValues.acceptedRepetition
        case "--title": "a title"
        case "--action": "a word for its button, or none"
        case "--badge": NotifyValues.acceptedBadge
        case "--sound": "a sound's name"
        case "--apns-id": "an id, 1 to 64 bytes"
        case "--info": InfoArgument.accepted
        case "--id", "--cancel": NotifyValues.acceptedID
        default: nil
        }
    }

    /// How many operands a verb that has only flags takes.
    static func operands(of verb: String) -> ClosedRange<Int> {
        switch verb {
        case "log", "remove", "fetch", "open", "interrupt", "dismiss", "reclaim", "replay", "task end",
            "task keep-alive", "task fetch-interval", "task payload":
            1...1
        case "wake", "post": 2...2 + Info.maximumCount
        case "warn", "notify", "push", "submit": 1...2
        case "check": 0...Int.max
        case "advance", "pressure", "wait": 2...2
        case "home", "quit", "history", "schedule", "status", "events", "report", "sleep": 0...1
        default: 0...0
        }
    }

    /// What to say when an operand is missing; `given` are there.
    static func missingOperand(of verb: String, given: Int) -> String {
        switch verb {
        case "task end": "a task's number is needed, as `curfew task begin` printed it"
        case "task keep-alive": "a time is needed, such as: curfew task keep-alive 10m"
        case "task fetch-interval": "a time is needed, such as: curfew task fetch-interval 1h"
        case "task payload": "a push's number is needed, as the event has it: info.push"
        case "replay": "a file is needed, as `curfew run --journal FILE` wrote it"
        case "wake" where given == 1, "post" where given == 1:
            "an event's name is needed, such as: curfew \(verb) backup fetch"
        case "pressure" where given == 1: "a level is needed: normal, warning or critical"
        case "advance" where given == 1: "a time is needed, such as: curfew advance backup 10m"
        case "log", "remove", "notify", "fetch", "push", "submit":
            "an app is needed, by its name; `curfew apps` lists those that have run"
        case "wait" where given == 1: "a state is needed: \(WaitArguments.accepted)"
        default: "an app is needed: its name or its pid; `curfew ps` lists those that run"
        }
    }

    /// What to say of an operand too many.
    static func surplusHint(of verb: String) -> String {
        switch verb {
        case "wake", "post": "an event carries \(Info.maximumCount) pairs at most"
        default: "`curfew \(verb) --help` shows what is accepted"
        }
    }
}
