import CurfewCore
import CurfewEngine
import CurfewLinux

/// `curfew run [options] [--] COMMAND [ARG…]`, read into a plan.
public struct RunArguments {
    private var profile = Profile.ios4
    private var overrides: [(WritableKeyPath<Policy, Span>, Span)] = []
    private var grace: Span?
    private var scale = 1.0
    private var requiresHello = false
    private var waitsForTree = false
    private var terminateSuspended = TerminateSuspended.kill
    private var name: String?
    private var startsInBackground = false
    private var containment = ContainmentKind.auto
    private var suspension = SuspensionMethod.both
    private var memoryLimit: UInt64?
    private var reportPath: String?
    private var onSupervisorExit = OnSupervisorExit.kill
    private var dropsCapabilities = false
    private var setsNoNewPrivileges = false

    /// Throws for an unknown option, a bad value, or no command.
    public static func parse(_ reader: ArgumentReader) throws(UsageError) -> RunPlan {
        var reader = reader
        var arguments = RunArguments()
        while let token = try reader.next() {
            guard case .option(let text) = token else {
                reader.endOptions()
                break
            }
            guard let option = RunOption.named(text) else { throw reader.unknown(text) }
            try arguments.read(option, &reader)
        }
        return try arguments.plan(reader)
    }

    private mutating func read(_ option: RunOption, _ reader: inout ArgumentReader) throws(UsageError) {
        switch option {
        case .name: name = try reader.appName()
        case .background: startsInBackground = true
        case .aware: requiresHello = true
        case .waitAll: waitsForTree = true
        case .report: reportPath = try reader.path()
        case .profile: profile = try reader.choice()
        case .budget: try override(\.backgroundBudget, &reader)
        case .expirationLead: try override(\.expirationLead, &reader)
        case .grace: grace = Span(nanoseconds: try reader.duration())
        case .enterBackgroundLimit: try override(\.enterBackgroundLimit, &reader)
        case .terminateLimit: try override(\.terminateLimit, &reader)
        case .launchLimit: try override(\.launchLimit, &reader)
        case .wakeLimit: try override(\.wakeLimit, &reader)
        case .timeLimit:
            // As GNU timeout has it, 0 is no limit.
            let limit = Span(nanoseconds: try reader.duration())
            overrides.append((\.timeLimit, limit == .zero ? .infinite : limit))
        case .timeScale: scale = try reader.scale()
        case .memory: memoryLimit = try reader.size()
        case .containment: containment = try reader.choice()
        case .suspend: suspension = try reader.choice()
        case .terminateSuspended: terminateSuspended = try reader.choice()
        case .onSupervisorExit: onSupervisorExit = try reader.choice()
        case .dropCaps: dropsCapabilities = true
        case .noNewPrivs: setsNoNewPrivileges = true
        }
    }

    private mutating func override(
        _ number: WritableKeyPath<Policy, Span>, _ reader: inout ArgumentReader
    ) throws(UsageError) {
        overrides.append((number, Span(nanoseconds: try reader.duration())))
    }

    private func plan(_ reader: ArgumentReader) throws(UsageError) -> RunPlan {
        let command = reader.rest
        guard command.count > 0 else {
            throw reader.error("no command given; usage: curfew run [options] [--] COMMAND [ARG…]")
        }
        let plan = RunPlan(arguments: UnsafePointer(command.arguments), argumentCount: command.count, policy: policy)
        plan.name = name
        plan.startsInBackground = startsInBackground
        plan.containment = containment
        plan.suspension = suspension
        plan.memoryLimit = memoryLimit
        plan.reportPath = reportPath
        plan.onSupervisorExit = onSupervisorExit
        plan.dropsCapabilities = dropsCapabilities
        plan.setsNoNewPrivileges = setsNoNewPrivileges
        return plan
    }

    private var policy: Policy {
        var policy = Policy(profile: profile)
        for (number, span) in overrides { policy[keyPath: number] = span }
        policy.grace = grace
        policy.requiresHello = requiresHello
        policy.waitsForTree = waitsForTree
        policy.terminateSuspended = terminateSuspended
        return scale == 1 ? policy : policy.scaled(by: scale)
    }
}
