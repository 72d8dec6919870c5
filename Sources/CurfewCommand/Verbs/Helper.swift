import CCurfew
import CurfewEngine
import Glibc

/// The executable that knows every verb's help and completions; its library would cost the hot verbs milliseconds.
enum Helper {
    static let name = "curfew-help"

    /// Whether argv's first word is its business alone.
    static func knows(_ word: String) -> Bool {
        ["help", "--help", "-h"].contains(word) || word.hasPrefix("--generate-completion-script")
    }

    /// Becomes it, or where this process is waited for by a front, has it run.
    ///
    /// The front knows the supervisor's end by its exit signal, and execve(2) changes that to SIGCHLD.
    static func run(_ arguments: ArgumentReader.Arguments) -> Int32 {
        guard curfew_front()?.pointee.role == CURFEW_ROLE_SUPERVISOR else { return become(arguments) }
        let child = curfew_fork(SIGCHLD)
        if child == 0 { curfew_exit(become(arguments)) }
        var info = curfew_wait_info()
        while child > 0, curfew_waitid(Int32(P_PID.rawValue), child, WEXITED, &info) == -EINTR {}
        return child > 0 && info.code == CLD_EXITED ? info.status : ExitStatus.curfewFailed
    }

    /// Installed it is in `../libexec/curfew/`, in a build folder beside us.
    private static func become(_ arguments: ArgumentReader.Arguments) -> Int32 {
        let folder = OwnExecutable.folder()
        for path in ["\(folder)/../libexec/curfew/\(name)", "\(folder)/\(name)"] { execv(path, arguments) }
        if let text = ShortHelp.text(arguments) {
            Output.print(document: text)
            return ExitStatus.success
        }
        let reason = String(cString: strerror(errno))
        let installed = "\(folder)/../libexec/curfew/\(name)"
        StandardError.print("curfew: help: can't start \(installed): \(reason); reinstall Curfew")
        return ExitStatus.unavailable
    }
}
