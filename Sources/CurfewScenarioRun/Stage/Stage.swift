import CurfewWire

/// The app of a scenario and its helpers, as the runner sees them; everything takes real time.
public protocol Stage: AnyObject {
    /// Of a clock that never jumps, in nanoseconds.
    var now: Int64 { get }
    var record: AppRecord { get set }

    /// Starts the app and waits until its supervisor can be asked, or it has ended.
    func launch(_ app: AppCommand) throws(StageProblem)
    /// Asks its supervisor; the lines before the final one, and that.
    func ask(_ message: Message) throws(StageProblem) -> (items: [Message], final: Message)
    /// Takes in whatever comes until something has come, or until that time; false then.
    func wait(until deadline: Int64) throws(StageProblem) -> Bool
    /// To its input, or to its terminal where it has one.
    func write(_ bytes: [UInt8]) throws(StageProblem)
    func killSupervisor() throws(StageProblem)

    /// Runs a helper to its end; nil when it hasn't ended by then.
    func run(_ command: [String], until deadline: Int64) throws(StageProblem) -> HelperEnd?
    /// Starts one that runs on beside.
    func begin(_ command: [String]) throws(StageProblem)

    /// The text of a file, its beginning where it is very long; nil when there is none.
    func contents(of path: String) throws(StageProblem) -> String?
    func exists(_ path: String) -> Bool
}

/// What is launched, and how.
public struct AppCommand: Sendable, Hashable {
    /// Of `curfew run`.
    public var options: [String]
    public var command: [String]
    /// Whether only `advance` moves its lifecycle time.
    public var isTimeHeld: Bool
    /// Whether it runs in a terminal.
    public var hasTerminal: Bool

    public init(options: [String], command: [String], isTimeHeld: Bool = true, hasTerminal: Bool = false) {
        self.options = options
        self.command = command
        self.isTimeHeld = isTimeHeld
        self.hasTerminal = hasTerminal
    }

    /// Whether it goes on where its supervisor is killed.
    var outlivesSupervisor: Bool {
        let name = "--on-supervisor-exit"
        return options.contains("\(name)=resume")
            || zip(options, options.dropFirst()).contains { $0 == name && $1 == "resume" }
    }

    /// What stands for the status of one that goes on: that of `curfew run` where supervision fails.
    static let unsupervisedStatus = 125
}

/// How a helper ended, and the last that it wrote.
public struct HelperEnd: Sendable, Hashable {
    /// As a shell tells it.
    public var status: Int
    public var output: [String]

    public init(status: Int, output: [String]) {
        self.status = status
        self.output = output
    }
}

/// Why something couldn't be done with the app or a helper.
public enum StageProblem: Error, Sendable, Hashable {
    /// There is no app to ask: it has ended, or was never launched.
    case gone
    /// Its supervisor said no: the code, and its words.
    case refused(code: String, message: String)
    /// Something that isn't the program's fault, in words.
    case broken(String)
}
