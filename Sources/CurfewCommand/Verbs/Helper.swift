import CCurfew
import CurfewEngine
import Glibc

/// The executables beside this one, for what would cost the hot verbs: their libraries take milliseconds once entered.
package enum Helper {
    /// It knows every verb's help and completions.
    static let name = "curfew-help"

    /// Whether argv's first word is its business alone.
    static func knows(_ word: String) -> Bool {
        ["help", "--help", "-h"].contains(word) || word.hasPrefix("--generate-completion-script")
    }

    /// The executable that a verb has of its own; nil for one that is done here.
    static func executable(of verb: String) -> String? {
        switch verb {
        case "timeline": "curfew-timeline"
        case "test": "curfew-test"
        case "check": "curfew-apps"
        case "top": "curfew-top"
        case "serve": "curfew-serve"
        default: nil
        }
    }

    /// Has `curfew-help` answer what argv asks for.
    ///
    /// It becomes it, or where this process is waited for by a proxy, has it run: the proxy knows the supervisor's end by
    /// its exit signal, and execve(2) changes that to SIGCHLD.
    static func run(_ arguments: ArgumentReader.Arguments) -> Int32 {
        guard curfew_proxy()?.pointee.role == CURFEW_ROLE_SUPERVISOR else { return help(arguments) }
        let child = curfew_fork(SIGCHLD)
        if child == 0 { curfew_exit(help(arguments)) }
        var info = curfew_wait_info()
        while child > 0, curfew_waitid(Int32(P_PID.rawValue), child, WEXITED, &info) == -EINTR {}
        return child > 0 && info.code == CLD_EXITED ? info.status : ExitStatus.curfewFailed
    }

    /// Becomes a verb's own executable, with argv as it is; where it can't, says so.
    static func become(_ executable: String, for verb: String, _ arguments: ArgumentReader.Arguments) -> Int32 {
        let problem = replace(by: executable, arguments)
        StandardError.print("curfew: \(verb): \(problem)")
        return ExitStatus.unavailable
    }

    private static func help(_ arguments: ArgumentReader.Arguments) -> Int32 {
        let problem = replace(by: name, arguments)
        if let text = ShortHelp.text(arguments) {
            Output.print(document: text)
            return ExitStatus.success
        }
        StandardError.print("curfew: help: \(problem)")
        return ExitStatus.unavailable
    }

    /// Installed it is in `../libexec/curfew/`, in a build folder beside us, as it is where we are in libexec ourselves.
    ///
    /// Returns only where there is none that can be run: what is wrong with the installed one.
    private static func replace(by executable: String, _ arguments: ArgumentReader.Arguments) -> String {
        let folder = OwnExecutable.folder()
        let installed = "\(folder)/../libexec/curfew/\(executable)"
        for path in [installed, "\(folder)/\(executable)"] { execv(path, arguments) }
        return "can't start \(installed): \(String(cString: strerror(errno))); reinstall Curfew"
    }
}
