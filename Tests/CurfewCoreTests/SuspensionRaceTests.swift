import CurfewCore
import Testing

@Suite("Messages that a suspension overtook")
struct SuspensionRaceTests {
    @Test("A begin racing a suspension takes it back")
    func beginWhileSuspending() {
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home(request: 5)
        #expect(
            scenario.begin() == [
                "note a task 1 \"t\" begun", "reply 0: task 1, 600s left", "resume a", "reply 5: background",
            ])
        #expect(scenario.send(.app(.a, .suspensionConfirmed)).isEmpty)
        #expect(scenario.state() == .background)
        #expect(scenario.untilDeadline == "595s")
    }

    @Test("A begin that arrives after the suspension was confirmed takes it back too")
    func beginWhileSuspended() {
        let scenario = Scenario.suspended()
        #expect(
            scenario.after(.seconds(1)).begin() == [
                "note a task 1 \"t\" begun", "reply 0: task 1, 600s left", "a suspended -> background", "resume a",
            ])
        #expect(scenario.after(.seconds(7)).remaining() == "593s")
    }

    @Test("A refused begin takes no suspension back")
    func refusedBegin() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.seconds(596))
        scenario.end(1)
        #expect(scenario.begin() == ["reply 0: error expired"])
        #expect(scenario.state() == .suspended)
    }

    @Test("Ending the overtaken task suspends again")
    func endAfterRace() {
        let scenario = Scenario.suspended()
        scenario.begin()
        #expect(scenario.end(1).suffix(2) == ["suspend a", "a background -> suspended"])
    }

    @Test("An end racing a suspension is logged as unknown and changes nothing")
    func endWhileSuspended() {
        let scenario = Scenario.suspended()
        #expect(scenario.end(1) == ["note a unknown task 1 ended", "reply 0: task 1 unknown"])
        #expect(scenario.state() == .suspended)
    }

    @Test("A hello while suspended delivers nothing")
    func helloWhileSuspended() {
        let scenario = Scenario.suspended()
        #expect(scenario.hello() == ["note a aware"])
        #expect(scenario.owed().isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("A hello while suspended: the launch is delivered on open, before didBecomeActive")
    func openAfterHello() {
        let scenario = Scenario.suspended()
        scenario.hello()
        #expect(
            scenario.open() == [
                "a suspended -> active", "resume a", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didBecomeActive #2 quietly to 1",
            ])
    }

    @Test("A connection that closes while suspended: plain, nothing else")
    func disconnectWhileSuspended() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.ack(4)
        #expect(scenario.disconnect() == ["note a plain"])
        #expect(scenario.open() == ["a suspended -> active", "resume a"])
    }

    @Test("An acknowledgement while suspended is unknown")
    func ackWhileSuspended() {
        let scenario = Scenario.suspended()
        #expect(scenario.ack(1) == ["note a unknown ack #1"])
        #expect(scenario.state() == .suspended)
    }

    @Test("A late second suspension answer doesn't confirm twice")
    func confirmedTwice() {
        let scenario = Scenario.suspended()
        #expect(scenario.send(.app(.a, .suspensionIncomplete)).isEmpty)
    }
}
