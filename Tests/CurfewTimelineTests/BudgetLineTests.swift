import Testing

@testable import CurfewTimeline

@Suite("The budget's line")
struct BudgetLineTests {
    private let second = Samples.second

    private func lines(_ run: AppRun) -> [[String]] {
        run.budget.map { line in line.map { "\(Double($0.time) / 1e9) \(Double($0.value) / 1e9)" } }
    }

    private let life = [
        Samples.change(0, "notRunning", "active"), Samples.change(2, "active", "background"),
        Samples.change(5, "background", "suspended"), Samples.change(7, "suspended", "background"),
        Samples.change(8, "background", "active"), Samples.change(9, "active", "background"),
    ]

    @Test("It falls in background, stands while suspended, and is whole again in the next stay")
    func falls() {
        let run = Samples.run(life, budget: 10 * second, until: 11)
        #expect(lines(run) == [["2.0 10.0", "5.0 7.0", "7.0 7.0", "8.0 6.0"], ["9.0 10.0", "11.0 8.0"]])
    }

    @Test("It doesn't fall below nothing")
    func spent() {
        let run = Samples.run(life, budget: 1 * second, until: 11)
        #expect(lines(run).last == ["9.0 1.0", "10.0 0.0", "11.0 0.0"])
    }

    @Test("Launched in background it has one from the start")
    func fromLaunch() {
        let run = Samples.run([Samples.change(0, "notRunning", "background")], budget: 10 * second, until: 4)
        #expect(lines(run) == [["0.0 10.0", "4.0 6.0"]])
    }

    @Test("While a debugger holds the app it stands")
    func traced() {
        let run = Samples.run(
            [
                Samples.change(0, "notRunning", "background"), (1, "tracerDidChange", ["traced=true"]),
                (3, "tracerDidChange", ["traced=false"]),
            ], budget: 10 * second, until: 4)
        #expect(lines(run) == [["0.0 10.0", "1.0 9.0", "3.0 9.0", "4.0 8.0"]])
    }

    @Test("It ends where the app begins to be ended")
    func beingEnded() {
        let run = Samples.run(
            [Samples.change(0, "notRunning", "background"), (2, "didDeliver", ["event=willTerminate"])],
            budget: 10 * second, until: 4)
        #expect(lines(run) == [["0.0 10.0", "2.0 8.0"]])
    }

    @Test("Of a stay whose beginning isn't known nothing is said, unless a status tells what is left")
    func unknownBeginning() {
        let middle = [Samples.change(5, "suspended", "background")]
        #expect(Samples.run(middle, budget: 10 * second, until: 7).budget.isEmpty)
        let told = Samples.run(middle, budget: 10 * second, until: 7) {
            $0.remaining(3 * Samples.second, at: 7 * Samples.second)
        }
        #expect(lines(told) == [["5.0 5.0", "7.0 3.0"]])
    }

    @Test("Nothing is said where the budget isn't known, has no end, or time is held")
    func unknownBudget() {
        #expect(Samples.run(life, until: 11).budget.isEmpty)
        #expect(Samples.run(life, budget: .max, until: 11).budget.isEmpty)
        #expect(Samples.run(life, budget: 10 * second, until: 11) { $0.hasHeldTime() }.budget.isEmpty)
    }

    @Test("Nor where it was killed for a spent budget, and by this clock it wasn't")
    func contradicted() {
        let kill = (11.0, "willKill", ["reason=background-task-timeout"])
        #expect(Samples.run(life + [kill], budget: 10 * second, until: 11).budget.isEmpty)
        #expect(Samples.run(life + [kill], budget: 2 * second, until: 11).budget.count == 2)
    }
}
