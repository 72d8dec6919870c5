import CurfewCore
import CurfewLinux

@testable import CurfewEngine

extension ServedDefinition {
    static func sample(_ name: String, restart: RestartCondition = .never) -> ServedDefinition {
        let words = OwnedStrings(["true"])
        let manifest = Manifest(
            arguments: UnsafePointer(words.pointer), argumentCount: words.count, policy: Policy(profile: .ios4))
        let definition = ServedDefinition(name: name, plan: RunPlan(manifest, SupervisorOptions()), owner: words)
        definition.restart = restart
        return definition
    }
}
