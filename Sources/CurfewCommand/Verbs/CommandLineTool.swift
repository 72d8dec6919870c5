import CCurfew
import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew VERB …`: reads the verb and hands the rest to it.
public enum CommandLineTool {
    public static let version = "0.1.0"
    public static let versionLine = "curfew \(version)"
    public static let verbs = [
        "run", "timeout", "launch", "home", "open", "switch", "sleep", "interrupt", "dismiss", "wake", "post", "notify",
        "fetch", "push", "submit",
        "warn",
        "pressure",
        "advance",
        "reclaim", "quit", "remove", "reload", "ps", "top", "apps", "history", "schedule", "log",
        "status", "events", "wait", "report", "replay", "timeline", "test", "serve", "check", "doctor", "task",
    ]

    /// Does what argv asks for and exits with its status.
    ///
    /// A reader of our output that goes away ends us by SIGPIPE, as it does any filter; quietly, where that is ignored.
    public static func main(_ arguments: ArgumentReader.Arguments, count: Int) -> Never {
        StandardDescriptors.fillGaps()
        do throws(UsageError) {
            curfew_exit(try perform(arguments, count: count))
        } catch {
            if error.asksForHelp { curfew_exit(Helper.run(arguments)) }
            exit(error)
        }
    }

    /// The same for the executable that a verb has of its own, which has become of `curfew VERB …` with argv as that was.
    package static func main(
        _ verb: String, _ arguments: ArgumentReader.Arguments, count: Int,
        _ body: (ArgumentReader) throws(UsageError) -> Int32
    ) -> Never {
        StandardDescriptors.fillGaps()
        let isNamed = count > 1 && arguments[1].map { strcmp($0, verb) == 0 } == true
        do throws(UsageError) {
            curfew_exit(try body(ArgumentReader(verb: verb, arguments, count: count, from: isNamed ? 2 : 1)))
        } catch {
            if error.asksForHelp { curfew_exit(Helper.run(arguments)) }
            exit(error)
        }
    }

    /// Says what is wrong with the command line.
    public static func exit(_ error: UsageError) -> Never {
        StandardError.print(lines: error.lines)
        curfew_exit(error.status)
    }

    private static func perform(_ arguments: ArgumentReader.Arguments, count: Int) throws(UsageError) -> Int32 {
        // A link of that name comes here with no verb.
        let options = curfew_timeout_options(Int32(clamping: count), arguments)
        if options > 0 { return try timeout(arguments, count: count, from: Int(options)) }
        guard count > 1, let word = arguments[1] else {
            throw UsageError("", "no verb given; it is one of \(listed); `curfew --help` tells more")
        }
        let verb = String(cString: word)
        let reader = ArgumentReader(verb: verb, arguments, count: count, from: 2)
        switch verb {
        case "run": Proxy.run(try RunArguments.parse(reader))
        case "launch": return try LaunchVerb.run(reader)
        case "home": return try HomeVerb.run(reader)
        case "open": return try OpenVerb.run(reader)
        case "interrupt", "dismiss": return try DrivingVerbs.drive(reader)
        case "sleep": return try SleepVerb.run(reader)
        case "wake", "post": return try DrivingVerbs.post(reader)
        case "warn", "pressure": return try DrivingVerbs.warn(reader)
        case "advance": return try AdvanceVerb.run(reader)
        case "quit": return try QuitVerb.run(reader)
        case "reclaim": return try DrivingVerbs.end(try VerbArguments(reader))
        case "switch": return try ServerVerbs.switch(reader)
        case "remove": return try ServerVerbs.remove(reader)
        case "reload": return try ServerVerbs.reload(reader)
        case "apps": return try ServerVerbs.apps(reader)
        case "history": return try ServerVerbs.history(reader)
        case "notify": return try ScheduleVerbs.notify(reader)
        case "push": return try PushVerb.run(reader)
        case "fetch": return try ScheduleVerbs.fetch(reader)
        case "submit": return try ScheduleVerbs.submit(reader)
        case "schedule": return try ScheduleVerbs.schedule(reader)
        case "log": return try LogVerb.run(reader)
        case "ps": return try SeeingVerbs.ps(reader)
        case "status": return try SeeingVerbs.status(reader)
        case "events": return try SeeingVerbs.events(reader)
        case "wait": return try WaitVerb.run(reader)
        case "report": return try ReportVerb.run(reader)
        case "replay": return try ReplayVerb.run(reader)
        case "doctor": return try DoctorVerb.run(reader)
        case "task": return try TaskVerbs.run(arguments, count: count)
        case "--version":
            Output.print(versionLine)
            return ExitStatus.success
        case ShellLibrary.option: return try ShellLibrary.printPath(reader)
        default:
            if let executable = Helper.executable(of: verb) {
                return Helper.become(executable, for: verb, arguments)
            }
            if Helper.knows(verb) { return Helper.run(arguments) }
            throw unknown(verb)
        }
    }

    private static func timeout(
        _ arguments: ArgumentReader.Arguments, count: Int, from position: Int
    ) throws(UsageError) -> Int32 {
        switch try TimeoutArguments.parse(arguments, count: count, from: position) {
        case .run(let plan): Proxy.run(plan)
        case .help:
            Output.print(document: "\(TimeoutHelp.text)", orExit: ExitStatus.curfewFailed)
            return ExitStatus.success
        case .version:
            Output.print("timeout (Curfew) \(version)", orExit: ExitStatus.curfewFailed)
            return ExitStatus.success
        }
    }

    private static func unknown(_ word: String) -> UsageError {
        let kind = word.hasPrefix("-") ? "unknown option \(word)" : "there is no verb \"\(word)\""
        let question = NearestWord.question(word, among: verbs + ["help", "--help", "--version", ShellLibrary.option])
        let hint = question.isEmpty ? "; the verbs are \(listed);" : question
        return UsageError("", "\(kind)\(hint) `curfew --help` tells more")
    }

    private static var listed: String { verbs.joined(separator: ", ") }
}

/// The entry that Sources/curfew/main.c calls; see there.
@_cdecl("curfew_main")
public func curfewMain(_ count: Int32, _ arguments: ArgumentReader.Arguments) {
    CommandLineTool.main(arguments, count: Int(count))
}
