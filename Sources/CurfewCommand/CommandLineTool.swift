import CCurfew
import CurfewEngine
import CurfewLinux
import Glibc

/// `curfew VERB …`: reads the verb and hands the rest to it.
public enum CommandLineTool {
    public static let version = "0.1.0"
    public static let verbs = ["run", "home", "open", "quit", "ps", "status", "events", "task"]

    /// Does what argv asks for and exits with its status.
    public static func main(_ arguments: ArgumentReader.Arguments, count: Int) -> Never {
        // A reader of our output that goes away ends us by EPIPE, not by a signal in the middle of something.
        do throws(UsageError) {
            curfew_exit(try perform(arguments, count: count))
        } catch {
            StandardError.print(error.line)
            curfew_exit(ExitStatus.usage)
        }
    }

    private static func perform(_ arguments: ArgumentReader.Arguments, count: Int) throws(UsageError) -> Int32 {
        guard count > 1, let word = arguments[1] else {
            throw UsageError("", "say what to do: \(verbs.joined(separator: ", ")); `curfew --help` tells more")
        }
        let verb = String(cString: word)
        if wantsHelp(arguments, count: count, verb: verb) { return Helper.run(arguments, count: count) }
        let reader = ArgumentReader(verb: verb, arguments, count: count, from: 2)
        switch verb {
        case "run": Front.run(try RunArguments.parse(reader))
        case "home": return try DrivingVerbs.home(reader)
        case "open": return try DrivingVerbs.open(reader)
        case "quit": return try DrivingVerbs.quit(reader)
        case "ps": return try SeeingVerbs.ps(reader)
        case "status": return try SeeingVerbs.status(reader)
        case "events": return try SeeingVerbs.events(reader)
        case "task": return try TaskVerbs.run(arguments, count: count)
        case "--version":
            Output.print("curfew \(version)")
            return ExitStatus.success
        default:
            throw UsageError("", "\"\(verb)\" isn't one of \(verbs.joined(separator: ", ")); `curfew --help` tells more")
        }
    }

    /// Help is asked for by word, or by option before any operand that could be a command's own.
    private static func wantsHelp(_ arguments: ArgumentReader.Arguments, count: Int, verb: String) -> Bool {
        if verb == "help" || verb == "--help" || verb == "-h" { return true }
        if verb.hasPrefix("--generate-completion-script") { return true }
        for index in 2..<max(2, count) {
            guard let argument = arguments[index], strcmp(argument, "--") != 0 else { return false }
            if strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 { return true }
            // Options of `run` may have values; the first word that isn't an option nor follows one is the command.
            if argument[0] != 45, !mayBeValue(arguments[index - 1]), !isSubverb(verb, index) { return false }
        }
        return false
    }

    private static func mayBeValue(_ previous: UnsafeMutablePointer<CChar>?) -> Bool {
        guard let previous else { return false }
        return previous[0] == 45 && strchr(previous, 61) == nil
    }

    private static func isSubverb(_ verb: String, _ index: Int) -> Bool { verb == "task" && index == 2 }
}
