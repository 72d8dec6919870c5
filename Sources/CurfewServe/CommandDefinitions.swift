import CurfewCommand
import CurfewEngine
import CurfewLinux

/// What an app is that has nothing but its command line: read as `curfew run` reads it, so that names, values and messages are one.
final class CommandDefinitions: AppDefinitions {
    func definition(of name: String) -> ServedDefinition? { nil }

    func definition(of order: LaunchOrder) throws(DefinitionRefusal) -> ServedDefinition {
        let name = order.name ?? AppName.fromCommand(order.command[0])
        guard AppName.isValid(name) else {
            throw DefinitionRefusal("name=\(name) isn't a name; accepted: \(AppName.accepted)")
        }
        let words = OwnedStrings(order.options + ["--"] + order.command)
        let plan = try plan(of: words)
        let definition = ServedDefinition(name: name, plan: plan, owner: words)
        definition.directory = order.directory
        definition.environment = order.environment
        definition.umask = order.umask
        definition.limits = order.limits
        return definition
    }

    private func plan(of words: OwnedStrings) throws(DefinitionRefusal) -> RunPlan {
        do throws(UsageError) {
            return try RunArguments.parse(ArgumentReader(verb: "launch", words.pointer, count: words.count, from: 0))
        } catch {
            throw DefinitionRefusal(error.lines.joined(separator: "; "))
        }
    }
}
