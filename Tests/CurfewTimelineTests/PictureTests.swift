import CurfewWire
import Testing

@testable import CurfewTimeline

@Suite("Pictures, pages and traces")
struct PictureTests {
    private func sample(_ name: String) throws -> Timeline {
        let base = name.split(separator: ".").first.map(String.init) ?? name
        return try TimelineFile(name: base, codes: ["background-task-timeout": "0x2182bad2"])
            .timeline(Samples.bytes(name))
    }

    private func count(_ part: String, in text: String) -> Int {
        text.split(separator: part, omittingEmptySubsequences: false).count - 1
    }

    // MARK: SVG

    @Test("The picture of a few events, to the letter")
    func golden() throws {
        #expect(SVGPicture(try sample("upload.events")).text == Samples.text("upload.svg"))
    }

    @Test("The picture in docs/timeline.md is what the command there draws")
    func document() throws {
        #expect(SVGPicture(try sample("photo-sync.journal")).text == Samples.document("docs/timeline.svg"))
    }

    @Test("Nothing is known: a picture all the same")
    func empty() {
        let text = SVGPicture(Timeline(clock: .calendar, runs: [])).text
        #expect(text.contains("Nothing is known of any app."))
        #expect(text.hasSuffix("</svg>\n"))
    }

    @Test("One event is a picture")
    func oneEvent() {
        let run = Samples.run([Samples.change(1, "notRunning", "active")])
        let text = SVGPicture(Timeline(clock: .calendar, runs: [run])).text
        #expect(text.contains("class=\"band active"))
        #expect(!text.contains("nan") && !text.contains("inf"))
    }

    @Test("Ten thousand events are some hundred marks, and it says so")
    func many() {
        let run = Samples.busy(events: 10_000)
        let text = SVGPicture(Timeline(clock: .calendar, runs: [run])).text
        let places = MarkLayout(run.marks, TimeScale(from: run.from, to: run.to, left: 92, width: 844)).drawn.count
        #expect(places <= 300)
        #expect(count("<circle", in: text) <= places)
        #expect(count("class=\"band", in: text) <= 850)
        #expect(count("class=\"task", in: text) <= 2 * 10 * 850)
        #expect(text.contains("\(run.marks.count) events at \(places) places"))
        #expect(text.utf8.count < 2_000_000)
    }

    @Test(
        "Names can't end an element", arguments: ["</svg><script>x</script>", "\" onload=\"x", "]]>", "a\nb\u{202e}"])
    func hostile(name: String) {
        let run = Samples.run(
            [
                Samples.change(0, "notRunning", "active"), (1, "taskDidBegin", ["task=1", "title=\(name)"]),
                (2, "didNotifyStatus", ["text=\(name)"]), (3, "willKill", ["reason=\(name)", "why=\(name)"]),
                (3, "stateDidChange", ["from=active", "to=\(name)"]), (4, "didEnd", ["status=1"]),
            ], app: name)
        let text = SVGPicture(Timeline(clock: .calendar, runs: [run])).text
        #expect(!text.contains("<script") && !text.contains(" onload=\"") && !text.contains("\u{202e}"))
        #expect(count("</svg>", in: text) == 1)
        let page = HTMLPage(Timeline(clock: .calendar, runs: [run])).text
        #expect(count("<script", in: page) == 2)
        #expect(count("</script>", in: page) == 2)
        #expect(!page.contains(" onload=\"") && !page.contains("\u{202e}"))
    }

    @Test("Several apps are below each other, on one axis")
    func several() {
        let runs = ["web", "db"].map { name in
            Samples.run([Samples.change(0, "notRunning", "active")], app: name, until: 5)
        }
        let text = SVGPicture(Timeline(clock: .calendar, runs: runs)).text
        #expect(count(">web</text>", in: text) == 1)
        #expect(count(">db</text>", in: text) == 1)
        #expect(count("time since", in: text) == 1)
    }

    @Test("A limit far above what was used doesn't press the line flat, and is named")
    func farLimit() {
        let run = Samples.run([Samples.change(0, "notRunning", "active")], until: 5) { recorder in
            recorder.memoryLimit(100 << 20, at: 0)
            recorder.memory(1 << 10, at: Samples.second)
            recorder.memory(2 << 10, at: 2 * Samples.second)
        }
        let text = SVGPicture(Timeline(clock: .calendar, runs: [run])).text
        #expect(text.contains("the limit, 100 MiB, is far above"))
        #expect(text.contains(">2 KiB</text>"))
    }

    // MARK: Chrome's trace

    @Test("The trace of a few events, to the letter")
    func goldenTrace() throws {
        #expect(ChromeTrace(try sample("upload.events")).text == Samples.text("upload.trace.json"))
    }

    @Test("Every event is in the trace, and durations of a thread don't overlap")
    func trace() throws {
        let run = Samples.busy(events: 2_000)
        guard case .array(let events) = try JSON.parse(ChromeTrace(Timeline(clock: .calendar, runs: [run])).text) else {
            Issue.record("it is no array")
            return
        }
        func all(_ phase: String) -> [JSON] { events.filter { $0["ph"] == .string(phase) } }
        #expect(all("i").count == run.marks.count)
        #expect(all("X").count == run.tasks.count + run.bands.filter { $0.to > $0.from }.count)
        #expect(all("C").count == run.memory.count)
        var ends: [Int64: Double] = [:]
        for event in all("X") {
            guard case .integer(let thread)? = event["tid"], let start = number(event["ts"]),
                let length = number(event["dur"])
            else {
                Issue.record("no times: \(event.text)")
                continue
            }
            if thread < 10 { #expect(start >= ends[thread, default: 0] - 0.001) }
            ends[thread] = start + length
        }
    }

    private func number(_ json: JSON?) -> Double? {
        switch json {
        case .integer(let number)?: Double(number)
        case .number(let number)?: number
        default: nil
        }
    }

    // MARK: HTML

    @Test("The page fetches nothing, and no attribute of it is a script")
    func page() throws {
        let text = HTMLPage(try sample("photo-sync.journal")).text
        #expect(!text.contains("src=") && !text.contains("href=") && !text.contains("@import"))
        #expect(count("http://", in: text) == 1)
        #expect(!text.contains("https://"))
        for handler in ["onclick", "onload", "onwheel", "onerror"] { #expect(!text.contains(handler)) }
        #expect(text.contains("default-src 'none'"))
    }

    @Test("The page has all of it, however much there is")
    func wholePage() throws {
        let run = Samples.busy(events: 10_000)
        let text = HTMLPage(Timeline(clock: .calendar, runs: [run])).text
        let start = try #require(text.split(separator: "id=\"data\">").last)
        let data = try JSON.parse(String(try #require(start.split(separator: "</script>").first)))
        guard case .array(let runs)? = data["runs"], case .array(let marks)? = runs.first?["marks"] else {
            Issue.record("there are no marks")
            return
        }
        #expect(marks.count == run.marks.count)
        #expect(text.utf8.count < 2_000_000)
    }
}
