import CurfewCore
import CurfewLinux

@testable import CurfewEngine

extension Instance {
    /// Of a tree that nothing holds. `leader`: nobody, unless it is said; `below`: whose descendants its processes are, the
    /// leader's own unless it is said.
    static func sample(
        _ id: AppID = AppID(1), leader: Int32 = .max - 1, below supervisor: Int32? = nil, manifest: Manifest = .sample()
    ) -> Instance {
        let tree = ProcessTree(
            containment: .tree, leader: leader, ownGroup: 0, method: .both, root: .descendants(of: supervisor ?? leader)
        )
        return Instance(id, name: "app", manifest, tree, startedAt: Instant(nanoseconds: 0))
    }
}

extension Manifest {
    /// Of this very process's words.
    static func sample() -> Manifest {
        Manifest(
            arguments: UnsafePointer(CommandLine.unsafeArgv), argumentCount: Int(CommandLine.argc),
            policy: Policy(profile: .ios4))
    }
}
