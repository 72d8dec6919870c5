import CurfewCore
import Glibc

@testable import CurfewEngine

/// Job control somewhere, with what is so there; a test says what happens, and what it was like then.
struct Job {
    enum Place {
        /// Typed into a shell, with the terminal to itself.
        case inFront
        /// Between others, or inside a script: it shares a group that another process leads.
        case inPipeline
        /// A terminal, but not in front: `&`, or output into a file.
        case inBackground
        case withoutTerminal
    }

    private(set) var control: JobControl
    var facts: JobFacts
    /// How many stops of the proxy have been wished for.
    private(set) var stops: UInt32 = 0

    init(
        _ place: Place = .inFront, _ state: LifecycleState = .active,
        _ change: (inout JobControl.Setting) -> Void = { _ in }
    ) {
        var setting = JobControl.Setting()
        setting.hasTerminal = place != .withoutTerminal
        setting.ownsTerminal = place == .inFront
        setting.givesOwnGroup = place == .inFront || place == .withoutTerminal
        setting.proxyLeadsGroup = place != .inPipeline
        change(&setting)
        control = JobControl(setting)
        facts = JobFacts(state: state, hasShell: place != .withoutTerminal)
    }

    /// As under `curfew timeout`, without a lifecycle, in its caller's group.
    static func timeout(_ signal: Int32 = SIGTERM, hasLifecycle: Bool = false, mask: Int32...) -> Job {
        Job(.inBackground) {
            $0.hasLifecycle = hasLifecycle
            $0.timeout = TimeoutPolicy(signal: signal)
            $0.commandsMask = mask.reduce(0) { $0 | 1 << UInt64($1 - 1) }
        }
    }

    /// Sent home by the stop key, so that its proxy is stopped.
    static func stopped(_ place: Place = .inFront, _ state: LifecycleState = .suspended) -> Job {
        var job = Job(place)
        _ = job.gets(.wentHome(by: SIGTSTP))
        job.facts.state = state
        return job
    }

    mutating func gets(_ input: JobInput, where change: (inout JobFacts) -> Void = { _ in }) -> [JobAction] {
        var facts = facts
        change(&facts)
        let actions = control.handle(input, facts)
        for case .stopProxy(_, let number) in actions { stops = number }
        return actions
    }

    /// From the proxy, which has met all wishes so far, by a key or the terminal's end.
    mutating func proxyGets(_ signal: Int32, where change: (inout JobFacts) -> Void = { _ in }) -> [JobAction] {
        gets(.proxyGot(signal, from: .kernel, stops: stops), where: change)
    }

    /// The same by a process that stands there.
    mutating func proxyGets(
        _ signal: Int32, from side: SignalSender.Side, where change: (inout JobFacts) -> Void = { _ in }
    ) -> [JobAction] {
        gets(.proxyGot(signal, from: .process(7), stops: stops)) {
            $0.side = side
            change(&$0)
        }
    }
}
