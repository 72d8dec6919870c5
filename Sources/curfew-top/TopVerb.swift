import CCurfew
import CNcurses
import CurfewCommand
import CurfewEngine
import CurfewLinux
import Glibc

/// `curfew top`: looks whether there is a terminal for it, and shows the apps there.
enum TopVerb {
    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        guard curfew_is_terminal(0) == 1, curfew_is_terminal(1) == 1 else {
            throw UsageError(
                arguments.verb, "it takes a terminal, for its keys and its screen; `curfew ps` lists the apps once")
        }
        let isUnicode = screen_choose_locale()
        if let problem = terminalProblem() {
            StandardError.print("curfew: \(arguments.verb): \(problem)")
            return ExitStatus.failure
        }
        _ = DescriptorLimit.raised()
        return TerminalGuard.run { TopLoop(isUnicode: isUnicode).run() }
    }

    private static func terminalProblem() -> String? {
        let name = getenv("TERM").map { String(cString: $0) } ?? ""
        switch screen_describe() {
        case SCREEN_IS_WELL: return nil
        case SCREEN_WITHOUT_CURSOR:
            return
                "a terminal called \"\(name)\" (TERM) can't be written to at any place; `curfew ps` lists the apps once"
        default:
            return "nothing is known of a terminal called \"\(name)\"; set TERM to what it is, such as xterm or vt100"
        }
    }
}
