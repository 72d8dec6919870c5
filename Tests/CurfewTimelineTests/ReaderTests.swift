import CurfewWire
import Testing

@testable import CurfewTimeline

@Suite("Reading events, reports and journals")
struct ReaderTests {
    private func timeline(_ text: String) throws(Unreadable) -> Timeline {
        try TimelineFile(name: "life", codes: ["memory-limit": "jetsam 7"]).timeline(Array(text.utf8))
    }

    private func problem(_ text: String) -> Unreadable? {
        do throws(Unreadable) {
            _ = try timeline(text)
            return nil
        } catch { return error }
    }

    private let event = #"{"name":"stateDidChange","number":1,"time":5.5,"app":"a","from":"notRunning","to":"active"}"#

    // MARK: Events

    @Test("Events, a line each, of several apps")
    func events() throws {
        let other = event.replacing(#""a""#, with: #""b""#)
        let drawn = try timeline("\(event)\n\n\(other)\n")
        #expect(drawn.clock == .calendar)
        #expect(drawn.runs.map(\.name) == ["a", "b"])
        #expect(drawn.runs[0].from == 5_500_000_000)
        #expect(drawn.runs[0].bands.map(\.state) == ["active"])
    }

    @Test("A damaged line is named by its number")
    func damagedEvent() {
        #expect(
            problem("\(event)\n{\"name\":\n\(event)\n")
                == Unreadable("it isn't whole JSON: a value is missing at byte 8", line: 2))
        #expect(problem("\(event)\n\n{}\n")?.line == 3)
        #expect(problem("\(event)\n[1]\n") == Unreadable("it is no event of `curfew events --json`", line: 2))
    }

    @Test("What the writer didn't come to the end of is left out")
    func cutEvents() throws {
        #expect(try timeline("\(event)\n{\"name\":\"did").runs.count == 1)
        #expect(try timeline(event).runs.count == 1)
    }

    // MARK: Reports

    private let report = """
        {"version": 1, "app": "web", "command": ["./web", "-x"], "status": 124, "started": 10.0, "ended": 14.0, "state":
        "background", "cpuSeconds": 0.5, "peakMemoryBytes": 2097152, "limits": {"budgetSeconds": 3.0, "memoryBytes": 4194304},
        "limit": {"footprintBytes": 1048576},
        "events": [{"time": 10.0, "name": "stateDidChange", "from": "notRunning", "to": "active"},
        {"time": 11.0, "name": "stateDidChange", "from": "active", "to": "background"},
        {"time": 14.0, "name": "didEnd", "status": 124}]}
        """

    @Test("A report")
    func readsReport() throws {
        let run = try #require(try timeline(report).runs.first)
        #expect(run.name == "web")
        #expect(run.bands.map(\.state) == ["active", "background"])
        #expect(run.budget.first?.map(\.value) == [3_000_000_000, 0])
        #expect(run.memory.map(\.value) == [1_048_576])
        #expect(run.memoryLimits == [.init(time: 10 * Samples.second, value: 4_194_304)])
        #expect(run.cpu.map(\.value) == [500_000_000])
        #expect(run.end?.status == "124")
        #expect(run.facts.map(\.text) == ["2 MiB of 4 MiB at most", "./web -x"])
    }

    @Test("A report's limits: the memory of the state it was killed in, the CPU time it was killed for")
    func readsReportLimits() throws {
        let killed = report.replacing(
            #""limit": {"footprintBytes": 1048576}"#,
            with: """
                "reason": "cpu-limit", "limit": {"footprintBytes": 1048576, "memoryBytes": 2097152, "cpuSeconds": 0.75,
                "elapsedSeconds": 1.0}
                """
        ).replacing(
            #""budgetSeconds": 3.0"#,
            with: #""budgetSeconds": 3.0, "backgroundCPUSeconds": 0.5, "backgroundCPUWindowSeconds": 1.0"#)
        let run = try #require(try timeline(killed).runs.first)
        let second = Samples.second
        #expect(
            run.memoryLimits == [
                .init(time: 10 * second, value: 4_194_304), .init(time: 11 * second, value: 2_097_152),
            ])
        #expect(run.cpuLimit == .init(used: second / 2, elapsed: second))
        #expect(run.cpuExcess == .init(used: second / 4 * 3, elapsed: second))
    }

    @Test("Of a report whose time was held, the budget isn't drawn by the calendar")
    func heldReport() throws {
        let held = report.replacing(#""status": 124,"#, with: #""status": 124, "clock": "manual","#)
        #expect(try timeline(held).runs.first?.budget.isEmpty == true)
        #expect(try timeline(held).runs.first?.bands.count == 2)
    }

    @Test("A report that begins after the run did says so")
    func laterReport() throws {
        let run = try #require(try timeline(report.replacing(#""started": 10.0"#, with: #""started": 2.0"#)).runs.first)
        #expect(run.facts.first?.text == "only the last 3 events are known")
    }

    @Test("Where its events have numbers, these tell whether it is whole", arguments: [(1, false), (7, true)])
    func numberedReport(number: Int, isLater: Bool) throws {
        let first = #"{"time": 10.0, "name": "stateDidChange","#
        let text = report.replacing(first, with: first + #" "number": \#(number),"#)
            .replacing(#""started": 10.0"#, with: #""started": \#(isLater ? 10.0 : 2.0)"#)
        let facts = try #require(try timeline(text).runs.first).facts
        #expect((facts.first?.text == "only the last 3 events are known") == isLater)
    }

    @Test("A report without events is one state from its start to its end")
    func bareReport() throws {
        let bare = #"{"version":1,"app":"a","status":0,"state":"active","started":1.0,"ended":3.0}"#
        let run = try #require(try timeline(bare).runs.first)
        #expect(run.bands == [.init(state: "active", from: 1_000_000_000, to: 3_000_000_000)])
    }

    @Test(
        "What is no report",
        arguments: [
            (#"{"app": "a"}"#, "it is no report of Curfew's: it has no app, version or status"),
            (#"{"app": "a", "version": 2, "status": 1}"#, "its version is 2; this curfew reads 1"),
            (
                #"{"app": "a", "version": 1, "status": 1}"#,
                "it tells of no time at all: the app was never started, or only its end is known"
            ),
            (#"{"app": "a", "version": 1, "status": 1, "events": [{}]}"#, "event 1 of it has no name or no time"),
        ])
    func noReport(text: String, problem words: String) { #expect(problem(text) == Unreadable(words)) }

    @Test("A damaged report names the line")
    func damagedReport() {
        let damaged = problem("{\"app\": \"a\",\n\"version\": }\n")
        #expect(damaged == Unreadable("it isn't whole JSON: a value is missing at byte 24", line: 2))
    }

    // MARK: Journals

    private let journal = """
        curfew-journal version=1
        input at=1000000000 name=launch app=1 budget=3000000000
        input at=1000000000 name=started app=1
        effect name=stateChanged app=1 from=notRunning to=active
        effect name=limitMemory app=1 fatal=4096
        input at=2000000000 name=beginTask app=1 task-name=x owner=0 request=1
        effect name=note app=1 note=taskDidBegin task=1 title="two words"
        input at=3000000000 real=7 name=home app=1 stopped=false
        effect name=stateChanged app=1 from=active to=background
        input at=4000000000 name=footprintMeasured app=1 bytes=5000
        effect name=kill app=1 reason=memory-limit state=background limit=3000000000 footprint=5000
        effect name=stateChanged app=1 from=background to=notRunning
        input at=5000000000 name=treeGone app=1
        effect name=ended app=1 state=background status=137 reason=memory-limit

        """

    @Test("A journal, by the app's own time")
    func readsJournal() throws {
        let drawn = try timeline(journal)
        let run = try #require(drawn.runs.first)
        #expect(drawn.clock == .app)
        #expect(run.name == "life")
        #expect(run.bands.map(\.state) == ["active", "background", "notRunning"])
        #expect(run.tasks.map(\.name) == ["two words"])
        #expect(run.memory.map(\.value) == [5000, 5000])
        #expect(run.memoryLimits.map(\.value) == [4096])
        #expect(run.budget.first?.map(\.value) == [3_000_000_000, 2_000_000_000])
        #expect(run.end == .init(time: 5_000_000_000, status: "137", reason: "memory-limit", code: "jetsam 7"))
        #expect(run.marks.first?.detail.contains("limit=3 s") == true)
    }

    @Test("What was measured for those who asked, once the app is there")
    func readsMeasures() throws {
        let start = "effect name=limitMemory app=1 fatal=4096\n"
        let lines = """
            measured at=1500000000 app=1 footprint=3000 cpu=20000000
            measured at=1600000000 real=5 app=2 footprint=9 cpu=9

            """
        let early = "measured at=900000000 app=1 footprint=1 cpu=1\n"
        let measured = journal.replacing(start, with: start + lines).replacing(
            "version=1\n", with: "version=1\n" + early)
        let runs = try timeline(measured).runs
        #expect(runs.count == 1)
        #expect(runs.first?.memory.map(\.value) == [3000, 5000, 5000])
        #expect(runs.first?.cpu == [.init(time: 1_500_000_000, value: 20_000_000)])
        #expect(runs.first?.from == 1_000_000_000)
    }

    @Test("Where the app's own time never moved, by the real time, and without a budget")
    func stoodStill() throws {
        let still = """
            curfew-journal version=1
            input at=100 real=1000000000 name=launch app=1 budget=3000000000
            effect name=stateChanged app=1 from=notRunning to=active
            input at=100 real=3000000000 name=home app=1 stopped=false
            effect name=stateChanged app=1 from=active to=background
            input at=100 real=6000000000 name=treeGone app=1
            effect name=ended app=1 state=background status=0

            """
        let drawn = try timeline(still)
        let run = try #require(drawn.runs.first)
        #expect(drawn.clock == .real)
        #expect(run.bands.map { ($0.to - $0.from) / Samples.second } == [2, 3])
        #expect(run.budget.isEmpty)
        #expect(SVGPicture(drawn).text.contains("real time since its launch; its own stood still"))
        #expect(try timeline(still.replacing("at=100 real=6", with: "at=101 real=6")).clock == .app)
        #expect(try timeline(still.replacing(#/ real=[0-9]+/#, with: "")).clock == .app)
    }

    @Test("What a journal says of CPU time: the limit, and what it was killed for")
    func readsCPULimit() throws {
        let limits = "budget=3000000000 background-cpu=500000000 background-cpu-window=1000000000"
        let killed = journal.replacing("budget=3000000000", with: limits)
            .replacing("reason=memory-limit", with: "reason=cpu-limit cpu=900000000 elapsed=1000000000")
        let run = try #require(try timeline(killed).runs.first)
        #expect(run.cpuLimit == .init(used: 500_000_000, elapsed: Samples.second))
        #expect(run.cpuExcess == .init(used: 900_000_000, elapsed: Samples.second))
        #expect(try timeline(journal).runs.first?.cpuLimit == nil)
    }

    @Test("Its last line may be half a line")
    func cutJournal() throws {
        #expect(try timeline(journal + "input at=60").runs.first?.to == 5_000_000_000)
        #expect(try timeline(journal + "input at=6000000000").runs.first?.to == 5_000_000_000)
    }

    @Test(
        "A damaged journal names the line",
        arguments: [
            ("input at=1 name=\"x\n", "byte 16: a quote is not closed"), ("effect app=1\n", "it has no name"),
            ("input name=tick\n", "an input has no time"),
            ("measured app=1\n", "what was measured has no time"),
            ("other name=x\n", "\"other\" is neither input nor effect"),
        ])
    func damagedJournal(line: String, problem words: String) {
        #expect(problem(journal + line) == Unreadable(words, line: 15))
    }

    @Test("A journal of another version, and one that tells of nothing")
    func emptyJournal() {
        #expect(
            problem("curfew-journal version=2\n") == Unreadable("its version is 2; this curfew reads 1", line: 1))
        #expect(problem("curfew-journal version=1\n") == Unreadable("it tells of no app: nothing was started"))
    }

    // MARK: Neither

    @Test(
        "What is none of them",
        arguments: [
            ("", "it is empty"), ("\n \n", "it is empty"), ("hello\n", TimelineFile.isNone),
            ("[1]", TimelineFile.isNone),
        ])
    func nothing(text: String, problem words: String) { #expect(problem(text) == Unreadable(words)) }

    @Test("Rubbish never crashes a reader", arguments: 1...200)
    func fuzz(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        for text in [journal, report, "\(event)\n\(event)\n"] {
            var bytes = Array(text.utf8)
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let drawn = try? TimelineFile(name: "x").timeline(bytes) else { continue }
            #expect(SVGPicture(drawn).text.hasSuffix("</svg>\n"))
        }
    }
}
