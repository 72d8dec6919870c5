/// What makes a process one of an app's.
public enum TreeRoot: Sendable, Hashable {
    /// It is below this one, to which orphans come, its subreaper; or it is in the app's cgroup.
    case descendants(of: Int32)
    /// It is in the app's cgroup of version 2, and nothing else counts: others' are below the same supervisor.
    case cgroup

    /// Whose descendants are the app's; nil where nobody's are.
    var ancestor: Int32? {
        if case .descendants(of: let pid) = self { pid } else { nil }
    }
}
