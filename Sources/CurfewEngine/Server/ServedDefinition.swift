import CurfewCore
import CurfewLinux

/// An app as a server launches it: the plan of its run, and besides that where it starts, what environment its program finds,
/// and whether it is launched again.
///
/// A class, as `Manifest` is.
public final class ServedDefinition {
    public let name: String
    public let plan: RunPlan
    /// Where that stands, and by which words; for what is kept of it.
    public var source = DefinitionSource.bare
    public var options: [String] = []
    /// How it is launched, where a launch doesn't say otherwise.
    let launch: LaunchOptions
    /// Where it starts; nil: in the server's directory.
    public var directory: ByteString?
    /// All of its environment, `KEY=VALUE`; nil: the server's, with `addedEnvironment`.
    public var environment: [ByteString]?
    /// What it has besides the server's environment, or in place of that.
    public var addedEnvironment: [(key: String, value: String)] = []
    /// Nil: the server's.
    public var umask: UInt32?
    /// Those that aren't the server's.
    public var limits: [ResourceLimit] = []
    public var restart = RestartCondition.never
    /// What the plan's pointers lead into.
    public let owner: AnyObject

    public init(name: String, plan: RunPlan, owner: AnyObject) {
        self.name = name
        self.plan = plan
        launch = plan.manifest.launch
        self.owner = owner
    }

    /// What an app of a server can't have, in words that say what to do; nil where there is nothing of that.
    var obstacle: String? {
        let (manifest, options) = (plan.manifest, plan.options)
        if !manifest.eventHooks.isEmpty {
            return "--exec-on isn't for an app of a server; `curfew events --follow` tells the same"
        }
        if options.journalPath != nil { return "--journal isn't for an app of a server" }
        if options.reportPath != nil {
            return "--report isn't for an app of a server; `curfew report` finds what is kept of each kill"
        }
        if options.holdsTime { return "--manual-clock isn't for an app of a server" }
        if options.memoryLow != nil || options.diskLow != nil {
            return "--memory-low and --disk-low are about the machine: `curfew serve` takes them"
        }
        if options.joinedServer != nil {
            return "--join is for `curfew run`: an app of a server is in its front already"
        }
        if options.onSupervisorExit == .resume {
            return "--on-supervisor-exit=resume isn't for an app of a server: the next one couldn't take it over, "
                + "and would launch it beside itself"
        }
        return nil
    }
}

/// Why a definition can't be had, for people.
public struct DefinitionRefusal: Error, Sendable, Hashable {
    public var problem: String

    public init(_ problem: String) { self.problem = problem }
}

/// Knows what apps there are: whoever composes a server.
public protocol AppDefinitions: AnyObject {
    /// Reads what is written of apps for the first time, before anything is made. Throws where somebody has named what is to be
    /// read, and it can't be.
    func load() throws(DefinitionRefusal) -> ReloadedDefinitions
    /// Reads what is written of apps again; apps that run keep what they were launched with.
    func reload() -> ReloadedDefinitions
    /// Whether what is written of an app isn't any more what it was launched with.
    func differs(from definition: ServedDefinition) -> Bool
    /// What a manifest says that the app of that name is, as it was read last; nil where there is none. Throws for one that
    /// can't be read.
    func manifestDefinition(of name: String) throws(DefinitionRefusal) -> ServedDefinition?
    /// The same of a desktop entry that is installed, which is looked for now.
    func desktopDefinition(of name: String) throws(DefinitionRefusal) -> ServedDefinition?
    /// What a bare command is.
    func definition(of order: LaunchOrder) throws(DefinitionRefusal) -> ServedDefinition
}

/// What is written of apps, as it was just read.
public struct ReloadedDefinitions: Sendable, Hashable {
    /// How many there are that can be launched.
    public var apps: Int
    /// A line for people each, with file and line; those apps aren't launched.
    public var problems: [String]
    /// The same of what may not be meant; those apps are launched.
    public var warnings: [String]
    /// The names of those that are launched when the server starts, in order.
    public var launchedAtStart: [String]
    /// Of those that say how often they fetch; zero: as often as may be.
    public var fetchIntervals: [String: Span]
    /// The path of what was read, where somebody has named that; nil: of what this user's apps are.
    public var folder: String?

    public init(
        apps: Int = 0, problems: [String] = [], warnings: [String] = [], launchedAtStart: [String] = [],
        fetchIntervals: [String: Span] = [:], folder: String? = nil
    ) {
        self.apps = apps
        self.problems = problems
        self.warnings = warnings
        self.launchedAtStart = launchedAtStart
        self.fetchIntervals = fetchIntervals
        self.folder = folder
    }
}
