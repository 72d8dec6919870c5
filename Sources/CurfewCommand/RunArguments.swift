import CurfewCore
import CurfewEngine
import CurfewLinux

/// `curfew run [options] [--] COMMAND [ARG…]`, read into a plan.
public struct RunArguments {
    /// Every option; those of `CurfewArguments.Run` must be the same.
    public static let optionNames = [
        "--name", "--grace", "--background", "--aware", "--profile", "--budget", "--expiration-lead",
        "--enter-background-limit", "--terminate-limit", "--launch-limit", "--wake-limit", "--time-scale", "--memory",
        "--time-limit", "--report", "--containment", "--suspend", "--terminate-suspended", "--wait-all",
        "--on-supervisor-exit", "--drop-caps", "--no-new-privs",
    ]

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
            guard case .option(let option) = token else {
                reader.endOptions()
                break
            }
            try arguments.read(option, &reader)
        }
        return try arguments.plan(reader)
    }

    private mutating func read(_ option: String, _ reader: inout ArgumentReader) throws(UsageError) {
        switch option {
        case "--name": name = try appName(&reader)
        case "--grace": grace = Span(nanoseconds: try reader.duration())
        case "--background": startsInBackground = true
        case "--aware": requiresHello = true
        case "--profile": profile = try reader.choice()
        case "--budget": try override(\.backgroundBudget, &reader)
        case "--expiration-lead": try override(\.expirationLead, &reader)
        case "--enter-background-limit": try override(\.enterBackgroundLimit, &reader)
        case "--terminate-limit": try override(\.terminateLimit, &reader)
        case "--launch-limit": try override(\.launchLimit, &reader)
        case "--wake-limit": try override(\.wakeLimit, &reader)
        case "--time-limit": try override(\.timeLimit, &reader)
        case "--time-scale": scale = try reader.scale()
        default: try readMechanism(option, &reader)
        }
    }

    private mutating func readMechanism(_ option: String, _ reader: inout ArgumentReader) throws(UsageError) {
        switch option {
        case "--memory": memoryLimit = try reader.size()
        case "--report": reportPath = try reader.value()
        case "--containment": containment = try reader.choice()
        case "--suspend": suspension = try reader.choice()
        case "--terminate-suspended": terminateSuspended = try reader.choice()
        case "--wait-all": waitsForTree = true
        case "--on-supervisor-exit": onSupervisorExit = try reader.choice()
        case "--drop-caps": dropsCapabilities = true
        case "--no-new-privs": setsNoNewPrivileges = true
        default: throw reader.unknown(option)
        }
    }

    private mutating func override(
        _ number: WritableKeyPath<Policy, Span>, _ reader: inout ArgumentReader
    ) throws(UsageError) {
        overrides.append((number, Span(nanoseconds: try reader.duration())))
    }

    private func appName(_ reader: inout ArgumentReader) throws(UsageError) -> String {
        let name = try reader.value()
        guard AppName.isValid(name) else {
            throw reader.error("--name: \"\(name)\" isn't a name; accepted: \(AppName.accepted)")
        }
        return name
    }

    private func plan(_ reader: ArgumentReader) throws(UsageError) -> RunPlan {
        let command = reader.rest
        guard command.count > 0 else {
            throw reader.error("no command given; usage: curfew run [options] [--] COMMAND [ARG…]")
        }
        var plan = RunPlan(arguments: UnsafePointer(command.arguments), argumentCount: command.count, policy: policy)
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
