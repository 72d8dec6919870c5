import CurfewCore
import CurfewLinux
import Testing

@testable import CurfewEngine

/// What `curfew advance` waits for.
@Suite("Advancing held time")
struct AdvanceTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    /// Asks again and again, as the loop does, each time when it was told to.
    private struct Loop {
        var advance: Advance
        var now = AdvanceTests.start
        var owes = false
        var isSettled = true
        var hasHappened = false
        /// What is seen of the app's threads at each look.
        var activity: (Instant) -> Activity = { _ in Activity(threads: 1) }

        init(_ span: Span, settle: Span = Advance.defaultSettle) { advance = Advance(span, settle: settle, at: now) }

        mutating func next() -> Advance.Step {
            let now = now
            let activity = activity
            return advance.next(
                owes: owes, isSettled: isSettled, hasHappened: hasHappened, activity: { activity(now) }, at: now)
        }

        /// The first step that isn't waiting, and how long that took.
        mutating func afterWaiting() -> (Advance.Step, Span)? {
            let began = now
            for _ in 0..<10_000 {
                let step = next()
                guard case .wait(let until) = step else { return (step, now - began) }
                now = until
            }
            return nil
        }
    }

    @Test("Time moves at once for an app that owes nothing")
    func owesNothing() {
        var loop = Loop(.seconds(10))
        #expect(loop.next() == .jump)
    }

    @Test("Who owes something and doesn't run is waited for 50 ms")
    func quiet() throws {
        var loop = Loop(.seconds(10))
        loop.owes = true
        let waiting = loop.afterWaiting()
        let (step, waited) = try #require(waiting)
        #expect(step == .jump)
        #expect(waited == .milliseconds(50))
    }

    @Test("Or for as long as was asked for")
    func settle() throws {
        var loop = Loop(.seconds(10), settle: .milliseconds(300))
        loop.owes = true
        let waiting = loop.afterWaiting()
        let (step, waited) = try #require(waiting)
        #expect(step == .jump)
        #expect(waited == .milliseconds(300))
    }

    @Test("Who owes something and runs on is waited for 10 s")
    func spinning() throws {
        var loop = Loop(.seconds(10))
        loop.owes = true
        loop.activity = { Activity(used: UInt64($0.nanoseconds), threads: 1) }
        let waiting = loop.afterWaiting()
        let (step, waited) = try #require(waiting)
        #expect(step == .jump)
        #expect(waited == .seconds(10))
    }

    @Test("A thread that is seen running runs, however little that is")
    func seenRunning() throws {
        var loop = Loop(.seconds(10))
        loop.owes = true
        loop.activity = { Activity(threads: 1, isRunning: $0 < Self.start + .seconds(1)) }
        let waiting = loop.afterWaiting()
        let (_, waited) = try #require(waiting)
        #expect(waited >= .milliseconds(1_045))
        #expect(waited < .milliseconds(1_100))
    }

    @Test("Who has done what it owed is waited for no longer")
    func done() {
        var loop = Loop(.seconds(10))
        loop.owes = true
        #expect(loop.next() == .wait(until: Self.start + .milliseconds(5)))
        loop.owes = false
        #expect(loop.next() == .jump)
    }

    @Test("A stop that isn't confirmed is waited for")
    func unsettled() {
        var loop = Loop(.seconds(10))
        loop.isSettled = false
        #expect(loop.next() == .wait(until: Self.start + .milliseconds(5)))
        loop.isSettled = true
        #expect(loop.next() == .jump)
    }

    @Test("What happens at a jump is the answer")
    func happened() {
        var loop = Loop(.seconds(10))
        loop.advance.jumped(left: .seconds(4))
        loop.hasHappened = true
        #expect(loop.next() == .answer)
        #expect(loop.advance.left == .seconds(4))
    }

    @Test("What the app does before time moves stops nothing: how quick it is would decide")
    func happenedBefore() {
        var loop = Loop(.seconds(10))
        loop.hasHappened = true
        #expect(loop.next() == .jump)
    }

    @Test("What a jump has set off comes to its end first")
    func settlesAfterwards() {
        var loop = Loop(.seconds(10))
        loop.advance.jumped(left: .seconds(4))
        loop.hasHappened = true
        loop.isSettled = false
        #expect(loop.next() == .wait(until: Self.start + .milliseconds(5)))
        loop.isSettled = true
        #expect(loop.next() == .answer)
    }

    @Test("A jump at which nothing happened is followed by the next")
    func nothing() {
        var loop = Loop(.seconds(10))
        loop.advance.jumped(left: .seconds(4))
        #expect(loop.next() == .jump)
    }

    @Test("All of it passed: that is the answer")
    func exhausted() {
        var loop = Loop(.seconds(10))
        loop.advance.jumped(left: .zero)
        #expect(loop.next() == .answer)
    }
}

/// Lifecycle time as the engine holds it.
@Suite("Held time in the engine")
struct HeldEngineTests {
    private func held(_ change: (inout Policy) -> Void = { _ in }) -> EngineScenario {
        let scenario = EngineScenario()
        scenario.engine.holdTime()
        var policy = Policy(profile: .ios4)
        change(&policy)
        scenario.start(.a, policy)
        return scenario
    }

    @Test("Held, it doesn't move with real time")
    func still() {
        let scenario = held()
        let before = scenario.engine.now
        scenario.kernel.clock = scenario.kernel.clock + .seconds(9)
        #expect(scenario.engine.now.lifecycle == before.lifecycle)
        #expect(scenario.engine.now.real == before.real + .seconds(9))
    }

    @Test("Nothing that is due by it wakes the loop")
    func noTimer() { #expect(held { $0.timeLimit = .seconds(5) }.engine.nextDeadline == nil) }

    @Test("It moves to what is due first, and the rest is left")
    func firstDeadline() {
        let scenario = held { $0.timeLimit = .seconds(5) }
        #expect(scenario.engine.advance(by: .seconds(60)) == .seconds(55))
        #expect(scenario.journal.take().only("SIGKILL").count == 1)
    }

    @Test("With nothing due it moves by all of it")
    func nothingDue() {
        let scenario = held()
        let before = scenario.engine.now.lifecycle
        #expect(scenario.engine.advance(by: .seconds(60)) == .zero)
        #expect(scenario.engine.now.lifecycle == before + .seconds(60))
    }

    @Test("Where time runs by itself nobody moves it")
    func running() {
        let scenario = EngineScenario()
        #expect(scenario.engine.advance(by: .seconds(60)) == .seconds(60))
        #expect(!scenario.engine.isTimeHeld)
    }
}
