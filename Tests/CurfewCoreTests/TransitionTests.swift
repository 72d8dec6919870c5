import CurfewCore
import Testing

/// The public table of transitions against what the core does.
@Suite("The table of transitions")
struct TransitionTests {
    /// One state a row begins in.
    struct Step: Sendable, CustomTestStringConvertible {
        var row: Transition
        var from: LifecycleState
        var testDescription: String { "\(row.rawValue), from \(from)" }
    }

    static let steps = Transition.allCases.flatMap { row in row.from.map { Step(row: row, from: $0) } }

    @Test("The events of each row, as the specification has them")
    func events() {
        #expect(Transition.launch.events == [.didFinishLaunching, .didBecomeActive])
        #expect(Transition.launchInBackground.events == [.didFinishLaunching, .didEnterBackground])
        #expect(Transition.home.events == [.willResignActive, .didEnterBackground])
        #expect(Transition.homeExiting.events == [.didEnterBackground])
        #expect(Transition.interruption.events == [.willResignActive])
        #expect(Transition.interruptionIgnored.events == [.didBecomeActive])
        #expect(Transition.interruptionAccepted.events == [.didEnterBackground])
        #expect(Transition.openFromBackground.events == [.willEnterForeground, .didBecomeActive])
        #expect(Transition.suspension.events == [])
        #expect(Transition.openFromSuspended.events == [.willEnterForeground, .didBecomeActive])
        #expect(Transition.wakingEvent.events == [.didEnterBackground])
        #expect(Transition.termination.events == [.willTerminate])
        #expect(Transition.terminationWhileSuspended.events == [])
        #expect(Transition.exit.events == [])
        #expect(Transition.fallingAsleep.events == [])
        #expect(Transition.wakingUp.events == [])
    }

    @Test("Each row delivers its events, in order, and leads to its state", arguments: steps)
    func row(_ step: Step) {
        let scenario = scenario(in: step.from, for: step.row)
        #expect(scenario.state() ?? .notRunning == step.from)
        let past = scenario.history.count
        perform(step.row, scenario)
        let effects = scenario.history.dropFirst(past)
        #expect(lifecycleEvents(effects) == step.row.events)
        #expect(stateChanges(effects) == ["\(step.from) -> \(step.row.to)"])
        #expect(scenario.state() ?? .notRunning == step.row.to)
    }

    @Test("It is stopped on the way to suspended, and continued on the way from it", arguments: steps)
    func stops(_ step: Step) {
        let scenario = scenario(in: step.from, for: step.row)
        let past = scenario.history.count
        perform(step.row, scenario)
        let effects = scenario.history.dropFirst(past)
        #expect(effects.contains(.suspend(.a, includingStopped: false)) == (step.row.to == .suspended))
        let isResumed = effects.contains(.resume(.a, includingStopped: false))
        #expect(isResumed == (step.from == .suspended && step.row.to != .notRunning))
    }

    @Test("The last row of an app that exits on suspend follows its home")
    func exits() {
        let scenario = scenario(in: .active, for: .homeExiting)
        scenario.home()
        let past = scenario.history.count
        scenario.ack(3)
        scenario.leaderExits(0)
        #expect(lifecycleEvents(scenario.history.dropFirst(past)) == Transition.termination.events)
    }

    @Test("Each state is left")
    func everyStateIsLeft() {
        for state in LifecycleState.allCases { #expect(Transition.allCases.contains { $0.from.contains(state) }) }
    }

    @Test("Each state is reached")
    func everyStateIsReached() {
        #expect(Set(Transition.allCases.map(\.to)) == Set(LifecycleState.allCases))
    }

    @Test("No row leads from a state to itself, and every one says what brings it about")
    func sane() {
        for row in Transition.allCases {
            #expect(!row.from.contains(row.to))
            #expect(!row.cause.isEmpty)
        }
    }

    @Test("Every event but the expiration stands in the table")
    func everyEvent() {
        let missing = Set(LifecycleEvent.allCases).subtracting(Transition.allCases.flatMap(\.events))
        #expect(missing == [.backgroundTaskWillExpire, .didReceiveMemoryWarning])
    }

    // MARK: Driving

    /// An aware app in this state, as the row needs it.
    private func scenario(in state: LifecycleState, for row: Transition) -> Scenario {
        let policy = Policy.with { $0.exitsOnSuspend = row == .homeExiting }
        switch state {
        case .notRunning: return .empty()
        case .active: return .aware(policy)
        case .inactive:
            let scenario = Scenario.aware(policy)
            scenario.interrupt()
            return scenario
        case .background: return .awareInBackground(policy)
        case .suspended where row == .wakingUp:
            let scenario = Scenario.aware(policy)
            perform(.fallingAsleep, scenario)
            return scenario
        case .suspended: return .awareSuspended(policy)
        }
    }

    private func perform(_ row: Transition, _ scenario: Scenario) {
        switch row {
        case .launch:
            scenario.start(.a)
            scenario.hello()
        case .launchInBackground:
            scenario.start(.a, inBackground: true)
            scenario.hello()
        case .home, .homeExiting, .interruptionAccepted: scenario.home()
        case .interruption: scenario.interrupt()
        case .interruptionIgnored: scenario.dismiss()
        case .openFromBackground, .openFromSuspended: scenario.open()
        case .suspension: scenario.end(1)
        case .fallingAsleep: scenario.send(.app(.a, .sleep(stays: false, request: nil)))
        case .wakingUp: scenario.open()
        case .wakingEvent: scenario.wake()
        case .termination:
            scenario.quit()
            scenario.leaderExits(0)
            scenario.treeGone()
        case .terminationWhileSuspended: scenario.quit()
        case .exit:
            scenario.leaderExits(0)
            scenario.treeGone()
        }
    }

    private func lifecycleEvents(_ effects: ArraySlice<Effect>) -> [LifecycleEvent] {
        effects.compactMap { effect in
            guard case .deliver(_, let delivery) = effect, case .lifecycle(let event) = delivery.event else {
                return nil
            }
            return event
        }
    }

    private func stateChanges(_ effects: ArraySlice<Effect>) -> [String] {
        effects.compactMap { effect in
            guard case .stateChanged(_, let from, let to) = effect else { return nil }
            return "\(from) -> \(to)"
        }
    }
}
