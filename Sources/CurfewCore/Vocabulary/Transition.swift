/// The rows of an app's life: between which states each leads, and what an aware app hears, in order.
///
/// The transitions of `App` deliver what stands here, and `docs/states.md` is drawn from it.
/// Source: Apple, "Managing your app's life cycle" and "About the background execution sequence"; the path of an app
/// that exits on suspend from an iOS 5 era guide.
public enum Transition: String, Sendable, Hashable, CaseIterable {
    case launch
    case launchInBackground = "launch in background"
    case home
    case homeExiting = "home, exits on suspend"
    case interruption
    case interruptionIgnored = "interruption ignored"
    case interruptionAccepted = "interruption accepted"
    case openFromBackground = "open from background"
    case suspension
    case openFromSuspended = "open from suspended"
    case wakingEvent = "waking event"
    case fallingAsleep = "falling asleep"
    case wakingUp = "waking up"
    case termination
    case terminationWhileSuspended = "termination while suspended"
    case exit

    /// What is delivered, in order; coalesced changes come before `didBecomeActive`, a waking event last.
    public var events: [LifecycleEvent] {
        switch self {
        case .launch: [.didFinishLaunching, .didBecomeActive]
        case .launchInBackground: [.didFinishLaunching, .didEnterBackground]
        case .home: [.willResignActive, .didEnterBackground]
        case .homeExiting, .interruptionAccepted, .wakingEvent: [.didEnterBackground]
        case .interruption: [.willResignActive]
        case .interruptionIgnored: [.didBecomeActive]
        case .openFromBackground, .openFromSuspended: [.willEnterForeground, .didBecomeActive]
        case .termination: [.willTerminate]
        case .suspension, .fallingAsleep, .wakingUp, .terminationWhileSuspended, .exit: []
        }
    }

    public var from: [LifecycleState] {
        switch self {
        case .launch, .launchInBackground: [.notRunning]
        case .home, .interruption, .fallingAsleep: [.active]
        case .homeExiting: [.active, .inactive]
        case .interruptionIgnored, .interruptionAccepted: [.inactive]
        case .openFromBackground, .suspension: [.background]
        case .openFromSuspended, .wakingEvent, .wakingUp, .terminationWhileSuspended: [.suspended]
        case .termination: [.active, .inactive, .background]
        case .exit: [.active, .inactive, .background, .suspended]
        }
    }

    public var to: LifecycleState {
        switch self {
        case .launch, .openFromBackground, .openFromSuspended, .interruptionIgnored, .wakingUp: .active
        case .interruption: .inactive
        case .launchInBackground, .home, .homeExiting, .interruptionAccepted, .wakingEvent: .background
        case .suspension, .fallingAsleep: .suspended
        case .termination, .terminationWhileSuspended, .exit: .notRunning
        }
    }

    /// What brings it about, in a few words.
    public var cause: String {
        switch self {
        case .launch: "`curfew run`; events come at `hello`"
        case .launchInBackground: "`curfew run --background` or `--wake`; then the waking event, if there is one"
        case .home: "Ctrl-Z, `curfew home`, another app is opened"
        case .homeExiting: "the same with `--exits-on-suspend`; then it is terminated"
        case .interruption: "`curfew interrupt`"
        case .interruptionIgnored: "`curfew dismiss`, `curfew open`"
        case .interruptionAccepted: "`curfew home`, another app is opened"
        case .openFromBackground: "`fg`, `curfew open`; changes come before `didBecomeActive`"
        case .suspension: "no task, nothing to acknowledge, no grace left: SIGSTOP"
        case .openFromSuspended: "SIGCONT; `fg`, `curfew open`; changes come before `didBecomeActive`"
        case .wakingEvent: "SIGCONT; `curfew wake`; then changes, then the event; suspended again when it is handled"
        case .fallingAsleep:
            "`--sleep-when-idle`, `curfew sleep`; SIGSTOP, and nothing is told"
        case .wakingUp:
            "SIGCONT; input of `--wake-on`, `curfew open`; it goes on where it was, and nothing is told"
        case .termination: "`curfew quit`; SIGKILL once its limit is over"
        case .terminationWhileSuspended:
            "`curfew quit`; SIGKILL at once. With `--terminate-suspended=wake` it is resumed first"
        case .exit: "the program ends by itself, or is killed"
        }
    }
}
