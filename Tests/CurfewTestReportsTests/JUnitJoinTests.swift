import Testing

@testable import CurfewTestReports

@Suite("Joining the files of shards")
struct JUnitJoinTests {
    private func file(
        _ results: [ScenarioResult], timestamp: String = "2026-11-22T21:45:00", interruption: String? = nil
    ) -> [UInt8] {
        var report = JUnitReport(timestamp: timestamp)
        for result in results { _ = report.finished(result) }
        return Array(
            report.ended(Samples.summary(results, planned: results.count + 1, interruption: interruption)).utf8)
    }

    @Test("The files of all shards together are the file of the whole run", arguments: 1...8)
    func shards(count: Int) throws {
        var generator = SplitMix64(seed: UInt64(count))
        for _ in 0..<5 {
            let results = Samples.many(generator.below(40), &generator)
            let parts = try (1...count).map { number in
                let shard = try Shard.parse("\(number)/\(count)")
                return (name: "\(number).xml", bytes: file(results.filter { shard.holds($0.id) }))
            }
            let joined = try JUnitJoin.join(parts.shuffled(using: &generator))
            let whole = try JUnitDocument.read(file(results))
            #expect(joined.sorted == whole.sorted)
            #expect(try JUnitDocument.read(Array(joined.text.utf8)) == joined)
        }
    }

    @Test("Suites of a name are one, since the earliest; interruptions are kept")
    func suites() throws {
        let joined = try JUnitJoin.join([
            ("a", file([Samples.passed], timestamp: "2026-11-22T21:45:01", interruption: "SIGINT")),
            ("b", file([Samples.failed], timestamp: "2026-11-22T21:45:00", interruption: "SIGTERM")),
        ])
        #expect(joined.suites.map(\.name) == ["curfew test", "tests/upload.curfew"])
        #expect(joined.suites.map(\.timestamp) == ["2026-11-22T21:45:00", "2026-11-22T21:45:00"])
        #expect(joined.suites.map(\.cases.count) == [2, 2])
        #expect(
            joined.text.contains(
                "<testsuites name=\"curfew test\" tests=\"4\" failures=\"1\" errors=\"2\" time=\"5.290\">"))
    }

    @Test("A file that is given twice is an error, a scenario twice in one file isn't")
    func twice() throws {
        let one = file([Samples.passed])
        #expect(throws: JUnitJoin.Problem.twice(first: "a", second: "b", scenario: "tests/upload.curfew: reclaim")) {
            try JUnitJoin.join([("a", one), ("b", one)])
        }
        #expect(throws: JUnitJoin.Problem.self) { try JUnitJoin.join([("a", one), ("a", one)]) }
        #expect(try JUnitJoin.join([("a", file([Samples.passed, Samples.passed]))]).suites[0].cases.count == 2)
        #expect(
            JUnitJoin.Problem.twice(first: "a", second: "b\n", scenario: "c").text
                == "a and b\\n both hold c; give each shard's file once, and all shards the same N and the same --durations"
        )
    }

    @Test("Nothing joined is an empty file")
    func nothing() throws {
        let empty = try JUnitJoin.join([])
        #expect(empty.suites.isEmpty)
        #expect(try JUnitDocument.read(Array(empty.text.utf8)) == empty)
    }

    /// A file that holds this after its first line, and in a suite of one case, this in the case.
    private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    private static let ours = ": only files that curfew test has written can be joined"

    private static func suite(_ attributes: String, _ contents: String = "") -> String {
        "<testsuites>\n<testsuite name=\"\" tests=\"1\" failures=\"0\" errors=\"0\"\(attributes)>\n\(contents)</testsuite></testsuites>"
    }

    private static func oneCase(_ time: String, _ contents: String) -> String {
        suite(" timestamp=\"\"", "<testcase classname=\"\" name=\"\" time=\"\(time)\">\(contents)</testcase>")
    }

    private static let refused: [(body: String, problem: String)] = [
        ("", "f:2:1: an element is missing"),
        ("<!-- x -->", "f:2:2: it has a comment, CDATA, a DOCTYPE or an instruction\(ours)"),
        ("<testsuite/>", "f:2:1: <testsuite> stands where <testsuites> should"),
        ("<testsuites/>", "f:2:1: <testsuites> has no tests="),
        (#"<testsuites tests="0" failures="0" errors="0"/>x"#, "f:2:48: something follows </testsuites>"),
        (#"<testsuites tests="2" failures="0" errors="0"/>"#, #"f:2:1: <testsuites> says tests="2", and holds 0"#),
        (#"<testsuites skipped="2"/>"#, "f:2:1: <testsuites> has skipped=, which curfew test doesn't write"),
        ("<testsuites>\n", "f:3:1: </testsuites> is missing"),
        ("<testsuites></testsuite>", "f:2:15: </testsuites> is missing"),
        (#"<testsuites a="1" a="2"/>"#, "f:2:22: a is there twice"),
        ("<testsuites a=1/>", #"f:2:14: =" is missing after a"#),
        (#"<testsuites a=""#, "f:2:16: a quote is not closed"),
        (#"<testsuites a="<""#, "f:2:16: a < stands in an attribute"),
        (#"<testsuites a="&nbsp;"/>"#, "f:2:16: there is no &nbsp;"),
        (#"<testsuites a="&#0;"/>"#, "f:2:16: there is no &#0;"),
        (#"<testsuites a="& b"/>"#, "f:2:16: a & has no ;"),
        ("<testsuites a=\"\u{1}\"/>", "f:2:16: a control character that XML can't hold"),
        ("<testsuites", "f:2:12: a > is missing"),
        ("< a>", "f:2:2: the name of an element is missing"),
        ("<testsuites>x</testsuites>", "f:2:1: <testsuites> has text"),
        ("<testsuites>x<testsuite/></testsuites>", "f:2:1: <testsuites> has text among its elements"),
        (suite(""), "f:3:1: <testsuite> has no timestamp="),
        (suite(#" timestamp="""#), #"f:3:1: <testsuite> says tests="1", and holds 0"#),
        (oneCase("-1", ""), "f:4:1: its time is no number of seconds"),
        (oneCase("1", "<rerun/>"), "f:4:41: <rerun> isn't what curfew test writes there"),
        (oneCase("1", #"<skipped message=""/><skipped message=""/>"#), "f:4:62: <skipped> is one outcome too many"),
        (oneCase("1", "<failure>x</failure>"), "f:4:41: <failure> has no message="),
        (
            oneCase("1", "<system-out>x</system-out><system-out/>"),
            "f:4:67: <system-out> isn't what curfew test writes there"
        ),
    ]

    @Test("What isn't ours is an error with its place", arguments: refused)
    func refuses(body: String, problem: String) {
        #expect(refusal(Self.head + body) == problem)
    }

    @Test("What doesn't begin as ours is an error")
    func prolog() {
        let problem = "f:1:1: it doesn't begin with <?xml version=\"1.0\" encoding=\"UTF-8\"?>\(Self.ours)"
        #expect(refusal("") == problem)
        #expect(refusal("<testsuites/>") == problem)
    }

    private func refusal(_ text: String) -> String? {
        do throws(JUnitJoin.Problem) {
            _ = try JUnitJoin.join([("f", Array(text.utf8))])
            return nil
        } catch {
            return error.text
        }
    }

    @Test("What is no UTF-8, and what is nested without end")
    func rubbish() {
        #expect(throws: JUnitJoin.Problem.unreadable(file: "f", FileProblem("it isn't UTF-8"))) {
            try JUnitJoin.join([("f", [0xff])])
        }
        let deep = Self.head + String(repeating: "<a>", count: 100_000)
        #expect(throws: JUnitJoin.Problem.self) { try JUnitJoin.join([("f", Array(deep.utf8))]) }
    }

    @Test("A file of ours with some bytes changed is read or refused, and never gives other counts than it says")
    func fuzz() throws {
        var generator = SplitMix64(seed: 11)
        let original = file(Samples.all)
        for _ in 0..<300 {
            var bytes = original
            for _ in 0...generator.below(3) {
                switch generator.below(3) {
                case 0: bytes[generator.below(bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.removeLast(generator.below(bytes.count - 1))
                default:
                    bytes.insert(
                        contentsOf: "<&;\">".utf8.shuffled(using: &generator).prefix(2),
                        at: generator.below(bytes.count))
                }
            }
            guard let read = try? JUnitDocument.read(bytes) else { continue }
            #expect(read.suites.count <= 3)
            #expect(try JUnitDocument.read(Array(read.text.utf8)).suites.count == read.suites.count)
        }
    }
}

extension JUnitDocument {
    /// Without the times, and in an order of its own.
    fileprivate var sorted: [[String]] {
        suites.map { suite in
            [suite.name, suite.timestamp]
                + suite.cases.map { "\($0.className) \($0.name) \($0.outcome) \($0.output)" }.sorted()
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
