import CurfewCore
import CurfewLinux

/// All that `curfew serve` has decided before it starts anything.
public struct ServerPlan {
    /// One per user.
    public let name: String
    public let containment: ContainmentKind
    public let options: SupervisorOptions
    /// Bytes of one app's output that are kept.
    public let logSize: Int64
    public let sources: [SourcePlan]

    public init(
        name: String, containment: ContainmentKind = .auto, logSize: Int64 = OutputWriter.defaultLimit,
        sources: [SourcePlan] = [], options: SupervisorOptions
    ) {
        self.name = name
        self.containment = containment
        self.logSize = logSize
        self.sources = sources
        self.options = options
    }

    /// Of what nobody has named.
    public static let usualName = "home"

    /// What its cgroup is called; `supervisor`: its pid.
    func cgroupName(_ supervisor: Int32) -> String {
        Cgroup2.prefix + "server-" + name + "." + decimal(Int(supervisor))
    }
}
