import ArgumentParser

@testable import CurfewArguments
@testable import CurfewCommand

/// What a parser makes of a command line.
enum Verdict: Equatable {
    case accepted, refused, help

    /// The fast path's, which is what really runs.
    static func ofFastPath(_ verb: String, _ words: [String]) -> Verdict {
        do throws(UsageError) {
            try Argv.withReader(verb, words) { reader throws(UsageError) in
                switch verb {
                case "run": _ = try RunArguments.parse(reader)
                case "wake", "post": _ = try PostingArguments.parse(reader)
                case "advance": _ = try AdvanceArguments.parse(reader)
                case "notify": _ = try NotifyArguments.parse(reader)
                case "submit": _ = try SubmitArguments.parse(reader)
                case "schedule": _ = try ScheduleArguments.parse(reader)
                case "log": _ = try LogArguments.parse(reader)
                case "launch": _ = try LaunchArguments.parse(reader)
                case "wait": _ = try WaitArguments.parse(reader)
                case "history": _ = try HistoryArguments.parse(reader)
                case "warn", "pressure": _ = try LevelArguments.parse(reader)
                case "serve": _ = try ServeArguments.parse(reader)
                case "timeline": _ = try TimelineArguments.parse(reader)
                case "task begin": _ = try TaskBeginArguments.parse(reader)
                case "task end": _ = try TaskVerbs.taskNumber(reader)
                case "task keep-alive": _ = try TaskVerbs.keepAliveTime(reader)
                case "task fetch-interval": _ = try TaskVerbs.fetchIntervalTime(reader)
                case "task payload": _ = try TaskVerbs.pushNumber(reader)
                case "task run": _ = try TaskRunArguments.parse(reader)
                default: _ = try VerbArguments(reader)
                }
            }
            return .accepted
        } catch {
            return error.asksForHelp ? .help : .refused
        }
    }

    /// The definitions', which make help and completions.
    ///
    /// The verb's own definition is asked: the library checks all below the root again at each parse.
    static func ofDefinitions(_ verb: String, _ words: [String]) -> Verdict {
        let names = verb.split(separator: " ").map(String.init)
        return of(names.reduce(Curfew.self as any ParsableCommand.Type) { $0.subcommand($1) ?? $0 }, words)
    }

    /// That definition's.
    static func of(_ definition: any ParsableCommand.Type, _ words: [String]) -> Verdict {
        do {
            let command = try definition.parseAsRoot(words)
            return type(of: command) == definition ? .accepted : .help
        } catch {
            // To find the exit code the library makes the whole message, which takes milliseconds.
            guard words.contains("--help") || words.contains("-h") else { return .refused }
            return Curfew.exitCode(for: error) == .success ? .help : .refused
        }
    }
}
