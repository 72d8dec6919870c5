/// What makes a process one of an app's.
public enum TreeRoot: Sendable, Hashable {
    /// It is below this one, to which orphans come, its subreaper; or it is in the app's cgroup.
    case descendants(of: Int32)
    /// It is in the app's cgroup of version 2, and nothing else counts: others' are below the same supervisor.
    case cgroup
    /// It is below this child of ours, to which the app's orphans come and nobody else's; see `Subreaper`.
    case reaper(Int32)
    /// It was below a reaper that was killed, and has come to us. Of several such it can't be told whose it was.
    case strays
    /// It is this process's child of that number or below it, or of the group that that one leads: all that can be known below a
    /// supervisor of several apps where no cgroup tells and there can be no reaper. What has lost its line and left the group
    /// is nobody's.
    case line(of: Int32)

    /// Whose descendants are the app's, all of them; nil where nobody's are.
    var ancestor: Int32? {
        switch self {
        case .descendants(of: let pid), .reaper(let pid): pid
        case .cgroup, .strays, .line: nil
        }
    }
}
