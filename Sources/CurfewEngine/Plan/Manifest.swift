import CurfewCore
import CurfewLinux

/// An app as the engine holds it, with a server or without: its command as the kernel wants it, its policy and its limits.
///
/// A class: copies of so wide a struct instantiate its fields' metadata at run time, 50 µs of a launch.
public final class Manifest {
    /// The command as the kernel wants it; the pointers are the process's own argv.
    public var arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>
    public var argumentCount: Int
    /// Whether the app is named, has a control channel and a life in background; else it runs as if nobody were there.
    public var hasLifecycle = true
    /// The name asked for; nil: the command's basename, made unique.
    public var name: String?
    public var policy: Policy
    public var launch = LaunchOptions()
    public var containment = ContainmentKind.auto
    public var suspension = SuspensionMethod.both
    /// In front; without any limit memory isn't watched.
    public var memory = MemoryLimits()
    /// Behind; nil where it is as in front, the greatest number where there is none.
    public var backgroundMemory: UInt64?
    public var backgroundMemoryHigh: UInt64?
    /// The directory that is its `CURFEW_STATE_DIR`, made where it is missing; nil: the caller's variable, if there is one.
    public var stateDirectory: String?
    /// The file whose changes are posted as `settingsDidChange`.
    public var settingsPath: String?
    /// Signals that the program gets for events.
    public var eventSignals: [EventSignal] = []
    /// Commands that are run outside the app for events.
    public var eventHooks: [EventHook] = []
    /// What wakes it while it is stopped.
    public var inputFilter = InputFilter(kinds: [])
    public var dropsCapabilities = false
    public var setsNoNewPrivileges = false

    public init(
        arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>, argumentCount: Int, policy: Policy
    ) {
        self.arguments = arguments
        self.argumentCount = argumentCount
        self.policy = policy
    }

    /// The command as typed, for people.
    public var command: String { arguments[0].map { String(cString: $0) } ?? "" }

    public var commandLine: [String] {
        (0..<argumentCount).compactMap { index in arguments[index].map { String(cString: $0) } }
    }

    /// The same, as the kernel gets it.
    var words: [ByteString] {
        (0..<argumentCount).compactMap { index in arguments[index].map { ByteString(cString: $0) } }
    }
}

extension Manifest {
    /// Whether any limit of memory was asked for.
    var limitsMemory: Bool { memory != MemoryLimits() || backgroundLimits != MemoryLimits() }

    /// Whether a report that can't be kept is told of. timeout(1)'s words are all that `curfew timeout` says.
    var tellsOfReports: Bool { policy.timeout == nil || hasLifecycle }

    /// What holds behind: each of the two is as in front unless it was given.
    var backgroundLimits: MemoryLimits {
        func finite(_ bytes: UInt64?) -> UInt64? { bytes == .max ? nil : bytes }
        return MemoryLimits(
            fatal: finite(backgroundMemory ?? memory.fatal), soft: finite(backgroundMemoryHigh ?? memory.soft))
    }
}

/// A signal for the program at an event of this name.
public struct EventSignal: Sendable, Hashable {
    public var event: String
    public var signal: Int32

    public init(event: String, signal: Int32) {
        self.event = event
        self.signal = signal
    }
}

/// A command for sh, run outside the app at an event of this name.
public struct EventHook: Sendable, Hashable {
    public var event: String
    public var command: String

    public init(event: String, command: String) {
        self.event = event
        self.command = command
    }
}
