import CurfewEngine

/// What help there is where the executable was copied alone: enough to go on with.
enum ShortHelp {
    private static let general: StaticString = """
        Treat programs the way iOS treats apps.

        usage: curfew VERB [options] ...
               curfew run [options] [--] COMMAND [ARG...]   wrap a program; Ctrl-Z is the home button, fg opens it
               curfew timeout DURATION COMMAND [ARG...]     GNU timeout, and nothing escapes it
               curfew ps                                    what runs
               curfew home|open|quit|status APP             an APP is a name, as `curfew ps` shows it, or a pid
               curfew report last                           why the last that was killed was killed
               curfew doctor                                what can be enforced on this machine
        """

    private static let run: StaticString = """
        Run a program as an app.

        usage: curfew run [options] [--] COMMAND [ARG...]
               --name NAME            as what others know it
               --time-limit D         kill it after this; D is such as 90, 1.5s, 10m, 1h30min
               --memory SIZE          kill it beyond this; SIZE is such as 200M or 1.5G
               --profile NAME         whose numbers: ios4, ios5, ios7 or ios13
               --budget D             time in background while background tasks are open
               --terminate-limit D    time to end when it is asked to, and for what it left behind
               --wait-all             when COMMAND exits, wait for what it left behind
               --report FILE          write a JSON report of the run
        """

    /// Of argv as typed; nil where that asks for something else.
    static func text(_ arguments: ArgumentReader.Arguments) -> String? {
        let first = arguments[1].map { String(cString: $0) } ?? ""
        if first.hasPrefix("--generate") { return nil }
        let second = first == "help" ? arguments[2].map { String(cString: $0) } ?? "" : first
        if second == "timeout" { return "\(TimeoutHelp.text)" }
        let verbs = CommandLineTool.verbs.joined(separator: ", ")
        let usage = second == "run" ? "\(run)" : "\(general)\n\nThe verbs are \(verbs)."
        return usage + "\n\nThe whole help isn't installed: \(Helper.name), in libexec/curfew beside curfew's bin."
    }
}
