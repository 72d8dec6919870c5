import CurfewCore
import CurfewEngine
import CurfewLinux
import Glibc

/// `curfew timeout [options] DURATION COMMAND [ARG…]`, read as timeout(1) reads it, into a plan of the same kind as
/// `curfew run`'s.
///
/// A class, as `Manifest` is.
public final class TimeoutArguments {
    /// What messages begin with, and what is to be typed for help.
    private let caller: String
    private let name: String

    private var policy = TimeoutPolicy()
    private var limit = Span.infinite
    private var profile: Profile?
    private var memory = MemoryLimits()
    private var containment = ContainmentKind.auto
    private var scale = 1.0
    private var reportPath: String?
    private var verbosity = 0

    /// What is asked for.
    public enum Request {
        case run(RunPlan)
        case help
        case version
    }

    /// `from`: where what belongs to it begins; 1 where argv[0] is its name.
    public static func parse(
        _ arguments: ArgumentReader.Arguments, count: Int, from position: Int
    ) throws(UsageError) -> Request {
        let reader = TimeoutArguments(calledBy: position == 1 ? arguments[0] : nil)
        do throws(GetoptError) {
            return try reader.read(GetoptReader(arguments, count: count, from: position))
        } catch {
            throw reader.usage(error)
        }
    }

    private init(calledBy word: UnsafeMutablePointer<CChar>?) {
        name = word.map { String(cString: $0) } ?? "curfew timeout"
        caller = word == nil ? "curfew: timeout" : name
    }

    private func usage(_ error: GetoptError) -> UsageError {
        let problem = error.problem.isEmpty ? [] : ["\(caller): \(error.problem)"]
        return UsageError(
            "timeout", lines: problem + ["Try '\(name) --help' for more information."], status: ExitStatus.curfewFailed)
    }

    private func read(_ reader: GetoptReader) throws(GetoptError) -> Request {
        var reader = reader
        while let (option, value) = try reader.next() {
            switch option {
            case .help: return .help
            case .version: return .version
            default: try set(option, to: value)
            }
        }
        let operands = reader.rest
        // timeout(1) says no more than where to find help.
        guard operands.count > 1, let duration = operands.arguments[0] else { throw GetoptError("") }
        limit = try Self.span(String(cString: duration))
        return .run(plan((operands.arguments + 1, operands.count - 1)))
    }

    private func set(_ option: TimeoutOption, to value: String) throws(GetoptError) {
        switch option {
        case .foreground: policy.sparesDescendants = true
        case .killAfter:
            let span = try Self.span(value)
            policy.killAfter = span == .zero ? nil : span
        case .preserveStatus: policy.preservesStatus = true
        case .signal: policy.signal = try Self.signal(value)
        case .verbose: verbosity += 1
        case .help, .version: break
        case .containment: containment = try Self.choice(option, value)
        case .memory:
            guard let bytes = SizeArgument.parse(value) else { throw Self.bad(option, value, SizeArgument.accepted) }
            memory.fatal = bytes == .max ? nil : bytes
        case .profile: profile = try Self.choice(option, value) as Profile
        case .report:
            guard !value.isEmpty else { throw Self.bad(option, value, "the path of a file") }
            reportPath = value
        case .timeScale:
            guard let number = ScaleArgument.parse(value) else { throw Self.bad(option, value, ScaleArgument.accepted) }
            scale = number
        }
    }

    // MARK: Values

    private static func span(_ text: String) throws(GetoptError) -> Span {
        guard let nanoseconds = DurationArgument.parse(text) ?? DurationArgument.parseAsTimeout(text) else {
            throw GetoptError("invalid time interval \(Quoted.text(text))")
        }
        return Span(nanoseconds: nanoseconds)
    }

    private static func signal(_ text: String) throws(GetoptError) -> Int32 {
        guard let signal = SignalArgument.parseAsTimeout(text) else {
            throw GetoptError("\(Quoted.text(text)): invalid signal")
        }
        return signal
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: TimeoutOption, _ text: String
    ) throws(GetoptError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            throw bad(option, text, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    private static func bad(_ option: TimeoutOption, _ text: String, _ accepted: String) -> GetoptError {
        GetoptError("--\(option.rawValue): \"\(text)\" isn't \(accepted)")
    }

    // MARK: The plan

    private func plan(_ command: (arguments: ArgumentReader.Arguments, count: Int)) -> RunPlan {
        let manifest = Manifest(
            arguments: UnsafePointer(command.arguments), argumentCount: command.count, policy: wholePolicy)
        let options = SupervisorOptions()
        options.caller = caller
        // Without a profile there is no background to go to, and nobody to tell of it, as under timeout(1).
        manifest.hasLifecycle = profile != nil
        options.isVerbose = verbosity > 0
        options.tellsProcesses = verbosity > 1
        manifest.containment = containment
        manifest.memory = memory
        options.timeScale = scale
        options.reportPath = reportPath
        return RunPlan(manifest, options)
    }

    private var wholePolicy: Policy {
        var whole = Policy(profile: profile ?? .ios4)
        whole.timeLimit = limit == .zero ? .infinite : limit
        whole.timeout = policy
        if profile != nil {
            var limits = CPUPolicy.standard
            limits.processors = Processors.count
            whole.backgroundCPU = limits
        }
        return scale == 1 ? whole : whole.scaled(by: scale)
    }
}
