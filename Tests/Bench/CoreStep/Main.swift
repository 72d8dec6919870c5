import CurfewCore
import Glibc

/// Prints how much CPU time one step of the core takes, in nanoseconds: a line for each life, all its inputs counted.
///
/// `core-step STEPS`: as an engine drives it, with one array of effects that is kept, and asked for its next deadline after
/// each step. The lives take turns, so that what slows the machine down slows each of them.
@main
enum Main {
    private static let turns = 20

    static func main() {
        let steps = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let lives = [
            Course("aware", Life(isAware: true, apps: 1)), Course("plain", Life(isAware: false, apps: 1)),
            Course("ten", Life(isAware: true, apps: 10)), Course("thousand", Life(isAware: true, apps: 1_000)),
            Course("thousands", Life(isAware: true, apps: 5_000)),
        ]
        for _ in 0..<turns {
            for life in lives { life.run(steps / turns) }
        }
        for life in lives { life.report() }
    }
}

/// A life and what it took.
private final class Course {
    private let name: String
    private var life: Life
    private var steps = 0
    private var nanoseconds: Int64 = 0

    init(_ name: String, _ life: Life) {
        self.name = name
        self.life = life
    }

    func run(_ count: Int) {
        let end = steps + count
        let start = Self.now()
        while steps < end { steps += life.cycle() }
        nanoseconds += Self.now() - start
    }

    func report() {
        let text =
            "\(name)\t\(Double(nanoseconds) / Double(max(1, steps)))\t\(life.effectCount / max(1, steps / 1000))\n"
        _ = text.withCString { write(1, $0, strlen($0)) }
    }

    private static func now() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}

/// An app that is sent home and opened again, for ever: a task begun, warned of nothing, ended, a stop, a start. The others,
/// if there are any, are in background; three of four have a deadline, hours away.
private struct Life {
    private var core = Supervisor()
    private var effects: [Effect] = []
    private var now = Instant(nanoseconds: 1_000_000_000_000)
    private let app: AppID
    private let isAware: Bool
    private var lastTask = 0
    private(set) var effectCount = 0
    /// So that nobody leaves the question out.
    private var deadlines = 0

    init(isAware: Bool, apps: Int) {
        self.isAware = isAware
        app = AppID(apps)
        for number in 1..<apps { launchOther(AppID(number)) }
        step(.app(app, .launch(Policy(profile: .ios4), LaunchOptions())))
        step(.app(app, .started))
        if isAware { step(.app(app, .hello(ConnectionID(1)))) }
        acknowledge()
    }

    /// Without a budget that runs down, for which a debugger would be looked for each second.
    private mutating func launchOther(_ id: AppID) {
        let number = Int64(id.rawValue)
        var policy = Policy(profile: .ios4)
        policy.backgroundBudget = .infinite
        if number % 4 != 3 { policy.timeLimit = .seconds(100_000 + number * 7919 % 65_536) }
        step(.app(id, .launch(policy, LaunchOptions(inBackground: true))))
        step(.app(id, .started))
        step(.app(id, .beginTask(name: "sync", owner: OwnerID(1), connection: nil, request: RequestID(1))))
        guard number.isMultiple(of: 2) else { return }
        step(.app(id, .endTask(TaskID(1), request: RequestID(2))))
        step(.app(id, .tracerChecked(isTraced: false)))
        step(.app(id, .suspensionConfirmed))
    }

    private mutating func step(_ input: Input) {
        now = now + .microseconds(50)
        effects.removeAll(keepingCapacity: true)
        core.handle(input, at: Moment(now), into: &effects)
        effectCount += effects.count
        if core.nextDeadline.earliest != nil { deadlines += 1 }
    }

    /// What it was told last and owes an answer for.
    private mutating func acknowledge() {
        for effect in effects {
            if case .deliver(_, let delivery) = effect, delivery.event.needsAcknowledgement {
                step(.app(app, .acknowledge(sequence: delivery.sequence)))
                return
            }
        }
        step(.machine(.tick))
    }

    /// One round; returns its steps.
    mutating func cycle() -> Int {
        lastTask += 1
        step(.app(app, .beginTask(name: "upload", owner: OwnerID(1), connection: nil, request: RequestID(1))))
        step(.app(app, .home(stopped: false, request: nil)))
        acknowledge()
        step(.app(app, .cpuTimeMeasured(.seconds(1))))
        step(.machine(.tick))
        step(.app(app, .endTask(TaskID(lastTask), request: RequestID(2))))
        step(.app(app, .tracerChecked(isTraced: false)))
        step(.app(app, .suspensionConfirmed))
        step(.app(app, .post(PostedEvent("settingsDidChange"), request: nil)))
        step(.app(app, .open(request: nil)))
        return 10
    }
}
