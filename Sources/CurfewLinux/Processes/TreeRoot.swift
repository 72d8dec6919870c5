/// What makes a process one of an app's.
public enum TreeRoot: Sendable, Hashable {
    /// It is below this one, to which orphans come, its subreaper; or it is in the app's cgroup.
    case descendants(of: Int32)
    /// It is in the app's cgroup of version 2, and nothing else counts: others' are below the same supervisor.
    case cgroup
    /// It is this process's child of that number or below it, or of the group that that one leads: all that can be known below a
    /// supervisor of several apps where no cgroup tells. What has lost its line and left the group is nobody's.
    case line(of: Int32)

    /// Whose descendants are the app's, all of them; nil where nobody's are.
    var ancestor: Int32? {
        if case .descendants(of: let pid) = self { pid } else { nil }
    }
}
