import CurfewCore
import Glibc

/// Prints how much CPU time one step of the core takes, in nanoseconds: a line for each of three apps' lives, all inputs counted.
///
/// `core-step STEPS`: as an engine drives it, with one array of effects that is kept.
@main
enum Main {
    static func main() {
        let steps = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        report("aware", steps, Life(isAware: true, apps: 1))
        report("plain", steps, Life(isAware: false, apps: 1))
        report("ten", steps, Life(isAware: true, apps: 10))
    }

    private static func report(_ name: String, _ steps: Int, _ life: Life) {
        var life = life
        let start = nanoseconds()
        var done = 0
        while done < steps { done += life.cycle() }
        let perStep = Double(nanoseconds() - start) / Double(done)
        let text = "\(name)\t\(perStep)\t\(life.effectCount / max(1, done / 1000))\n"
        _ = text.withCString { write(1, $0, strlen($0)) }
    }

    private static func nanoseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}

/// An app that is sent home and opened again, for ever: a task begun, warned of nothing, ended, a stop, a start.
private struct Life {
    private var core = Supervisor()
    private var effects: [Effect] = []
    private var now = Instant(nanoseconds: 1_000_000_000_000)
    private let app: AppID
    private let isAware: Bool
    private var lastTask = 0
    private(set) var effectCount = 0

    init(isAware: Bool, apps: Int) {
        self.isAware = isAware
        app = AppID(apps)
        for number in 1...apps {
            step(.launch(AppID(number), Policy(profile: .ios4), LaunchOptions()))
            step(.started(AppID(number)))
        }
        if isAware { step(.hello(app, ConnectionID(1))) }
        acknowledge()
    }

    private mutating func step(_ input: Input) {
        now = now + .microseconds(50)
        effects.removeAll(keepingCapacity: true)
        core.handle(input, at: Moment(now), into: &effects)
        effectCount += effects.count
    }

    /// What it was told last and owes an answer for.
    private mutating func acknowledge() {
        for effect in effects {
            if case .deliver(_, let delivery) = effect, delivery.event.needsAcknowledgement {
                step(.acknowledge(app, sequence: delivery.sequence))
                return
            }
        }
        step(.tick)
    }

    /// One round; returns its steps.
    mutating func cycle() -> Int {
        lastTask += 1
        step(.beginTask(app, name: "upload", owner: OwnerID(1), connection: nil, request: RequestID(1)))
        step(.home(app, stopped: false, request: nil))
        acknowledge()
        step(.cpuTimeMeasured(app, .seconds(1)))
        step(.tick)
        step(.endTask(app, TaskID(lastTask), request: RequestID(2)))
        step(.tracerChecked(app, isTraced: false))
        step(.suspensionConfirmed(app))
        step(.post(app, PostedEvent("settingsDidChange"), request: nil))
        step(.open(app, request: nil))
        return 10
    }
}
