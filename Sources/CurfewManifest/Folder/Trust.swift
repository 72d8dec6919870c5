import CCurfew
import Glibc

/// Whether nobody but this user, and root, could have written what a file or directory has.
enum Trust {
    /// What is wrong with its owner or mode, and what to do; nil if nothing is.
    static func problem(_ status: curfew_file_status, path: String) -> DefinitionProblem? {
        if status.uid != geteuid(), status.uid != 0 {
            return DefinitionProblem(
                "belongs to user \(status.uid), who could have any program started here; make it your own: chown \(geteuid()) \(path)"
            )
        }
        // A directory's sticky bit keeps others from replacing files, and not from adding any.
        guard status.mode & 0o022 != 0 else { return nil }
        let mode = String(status.mode & 0o7777, radix: 8)
        return DefinitionProblem(
            "others can write to it (mode 0\(mode)), and could have any program started here; chmod go-w \(path)")
    }
}
