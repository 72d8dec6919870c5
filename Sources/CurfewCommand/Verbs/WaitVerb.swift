import CCurfew
import CurfewCore
import CurfewEngine
import CurfewWire
import Glibc

/// `curfew wait`: returns once an app is in a state.
enum WaitVerb {
    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try WaitArguments.parse(reader)
        let name = arguments.common.operands[0]
        var target = try arguments.common.lookup.target(ofAny: name)
        let wait = StateWait(state: arguments.state, app: target.app)
        // Only what asks for the app names it: events are followed of all.
        target.app = nil
        let deadline = arguments.nanoseconds.map { limit in
            let (sum, isNever) = curfew_monotonic_nanoseconds().addingReportingOverflow(limit)
            return isNever ? Int64.max : sum
        }
        do throws(ControlClient.Failure) {
            var client = try ControlClient(target)
            return report(try wait.outcome(&client, until: deadline), of: name, arguments)
        } catch {
            // What nobody holds doesn't run.
            if wait.app == nil, arguments.state == .notRunning, error.isAbsence { return reached(arguments) }
            let (line, status) = error.explained(arguments.common.verb, target)
            StandardError.print(line)
            return status
        }
    }

    private static func reached(_ arguments: WaitArguments) -> Int32 {
        if arguments.common.has("--json") {
            Output.print(.object([("state", .string(arguments.state.rawValue))]))
        }
        return ExitStatus.success
    }

    private static func report(_ outcome: StateWait.Outcome, of name: String, _ arguments: WaitArguments) -> Int32 {
        let state = arguments.state.rawValue
        switch outcome {
        case .reached: return reached(arguments)
        case .ended:
            StandardError.print("curfew: wait: \(name) has ended, and wasn't \(state) before")
            return ExitStatus.unavailable
        case .timedOut(let last):
            let limit = HumanText.duration(nanoseconds: arguments.nanoseconds ?? 0)
            StandardError.print(
                "curfew: wait: after \(limit) \(name) is \(last?.rawValue ?? "in an unknown state"), and not \(state)")
            return ExitStatus.timedOut
        }
    }
}

extension ControlClient.Failure {
    /// Whether nobody listens there.
    var isAbsence: Bool { self == .unavailable(errno: ENOENT) || self == .unavailable(errno: ECONNREFUSED) }
}
