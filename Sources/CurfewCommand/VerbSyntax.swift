/// What each verb accepts, for its parser, for "did you mean", and for the test that holds the help to it.
public enum VerbSyntax {
    /// Every verb whose command line is read here, in the order of `curfew --help`.
    public static var all: [String] {
        CommandLineTool.verbs.filter { $0 != "task" } + TaskVerbs.subverbs.map { "task \($0)" }
    }

    /// The options of a verb, `--help` aside, as typed.
    public static func options(of verb: String) -> [String] {
        switch verb {
        case "run": RunOption.allCases.map(\.rawValue)
        case "task begin": TaskBeginArguments.Option.allCases.map(\.rawValue)
        case "events": ["--json", "--follow"]
        case "home", "open", "quit", "ps", "status", "task remaining", "task list": ["--json"]
        default: []
        }
    }

    /// How many operands a verb that has only flags takes.
    static func operands(of verb: String) -> ClosedRange<Int> {
        switch verb {
        case "home", "open", "quit", "task end": 1...1
        case "status", "events": 0...1
        default: 0...0
        }
    }

    /// What to say when an operand is missing.
    static func missingOperand(of verb: String) -> String {
        switch verb {
        case "task end": "a task's number is needed, as `curfew task begin` printed it"
        default: "an app is needed: its name or its pid; `curfew ps` lists those that run"
        }
    }
}
