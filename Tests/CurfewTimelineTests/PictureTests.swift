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
        #expect(count("class=\"band", in: text) <= 3 * 850)
        #expect(count("class=\"task", in: text) <= 2 * 10 * 850)
        #expect(text.contains("\(run.marks.count) events at \(places) places"))
        #expect(text.utf8.count < 2_000_000)
    }

    @Test("States that alternate faster than pixels are drawn by their shares, not as one of them")
    func dense() {
        let states = ["active", "background"]
        let changes = (0..<10_000).map { Samples.change(Double($0), states[($0 + 1) % 2], states[$0 % 2]) }
        let text = SVGPicture(Timeline(clock: .calendar, runs: [Samples.run(changes, until: 10_000)])).text
        let drawn = states.map { state in
            text.split(separator: "\n").filter { $0.contains("class=\"band \(state) thin\"") }.compactMap { line in
                line.split(separator: "height=\"").last?.split(separator: "\"").first.flatMap { Double($0) }
            }
        }
        #expect(drawn[0].count > 700)
        #expect(drawn[0].count == drawn[1].count)
        for (active, background) in zip(drawn[0], drawn[1]) {
            #expect(abs(active + background - 28) < 0.2)
            #expect(abs(active - background) < 3)
        }
    }

    @Test("Each state is told without its colour: by the height of its band")
    func heights() {
        let states = ["active", "inactive", "background", "suspended"]
        let changes = states.enumerated().map { index, state in
            Samples.change(Double(index), index == 0 ? "notRunning" : states[index - 1], state)
        }
        let text = SVGPicture(Timeline(clock: .calendar, runs: [Samples.run(changes, until: 4)])).text
        // In the legend first, then in the lane.
        for place in 0...1 {
            let heights = states.map { state in
                let before = text.split(separator: "class=\"band \(state)\"")[place]
                return String(before.split(separator: "height=\"").last ?? "")
            }
            #expect(Set(heights).count == 4)
        }
    }

    @Test("States that are drawn are in the legend, however short; that nothing runs at the end isn't drawn as one")
    func legend() {
        let run = Samples.run([
            Samples.change(0, "notRunning", "active"), Samples.change(2, "active", "background"),
            Samples.change(2, "background", "suspended"), Samples.change(9, "suspended", "notRunning"),
            (9, "didEnd", ["status=0"]),
        ])
        let text = SVGPicture(Timeline(clock: .calendar, runs: [run])).text
        #expect(count(">background</text>", in: text) == 1)
        #expect(!text.contains("notRunning</text>") && !text.contains("band notRunning"))
    }

    @Test("What matters most is drawn above what is beside it")
    func order() throws {
        let run = Samples.run(
            [
                Samples.change(0, "notRunning", "active"), (5, "willKill", []), (5.04, "memoryWarning", []),
                (5.08, "didBecomeReady", []), (5.12, "didBecomeAware", []),
            ], until: 10)
        let text = SVGPicture(Timeline(clock: .calendar, runs: [run])).text
        let places = try ["minor", "plain", "warning", "fatal"].map { rank in
            try #require(text.firstRange(of: "class=\"\(rank)\"")).lowerBound
        }
        #expect(places == places.sorted())
    }

    @Test("The limit on CPU time is said beside it, and what it was killed for")
    func cpuLimit() {
        let run = Samples.run([Samples.change(0, "notRunning", "background")], until: 5) { recorder in
            recorder.cpuLimit(Samples.second / 2, in: Samples.second)
            recorder.cpuExcess(900_000_000, in: Samples.second)
            recorder.cpu(Samples.second, at: 2 * Samples.second)
        }
        let timeline = Timeline(clock: .calendar, runs: [run])
        let words = "limit in background 50 % over 1 s; killed for 90 % over 1 s"
        #expect(SVGPicture(timeline).text.contains(">\(words)</text>"))
        #expect(HTMLPage(timeline).text.contains("\"\(words)\""))
    }

    @Test("A limit that held for a moment only is named too")
    func shortLimit() {
        let run = Samples.run([Samples.change(0, "notRunning", "active")], until: 5) { recorder in
            recorder.memory(1 << 20, at: 4_990_000_000)
            recorder.memoryLimit(2 << 20, at: 4_999_000_000)
        }
        #expect(SVGPicture(Timeline(clock: .calendar, runs: [run])).text.contains(">limit 2 MiB</text>"))
    }

    @Test("Units are those of the axis")
    func units() { #expect([812_000, 5_000_000_000].map(RunText.duration) == ["812 µs", "5 s"]) }

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

    @Test("What is left of the budget falls in steps, and is whole again in front")
    func budgetSteps() throws {
        let run = Samples.run(
            [
                Samples.change(0, "notRunning", "active"), Samples.change(2, "active", "background"),
                Samples.change(5, "background", "suspended"), Samples.change(7, "suspended", "active"),
            ], budget: 10 * Samples.second, until: 9)
        guard case .array(let events) = try JSON.parse(ChromeTrace(Timeline(clock: .calendar, runs: [run])).text) else {
            Issue.record("it is no array")
            return
        }
        let samples = events.filter { $0["name"] == .string("budget left") }.compactMap { event in
            number(event["ts"]).flatMap { time in
                number(event["args"]?["seconds"]).map { (time: time / 1e6, left: $0) }
            }
        }
        #expect((100...110).contains(samples.count))
        for sample in samples where sample.time < 5 { #expect(abs(sample.left - (12 - sample.time)) < 0.001) }
        #expect(samples.suffix(2).map(\.time) == [7, 7])
        #expect(samples.suffix(2).map(\.left) == [7, 10])
    }

    @Test("An event's own fields keep their names")
    func arguments() {
        let run = Samples.run([(0, "didAcknowledge", ["event=didEnterBackground"])])
        let text = ChromeTrace(Timeline(clock: .calendar, runs: [run])).text
        #expect(count("\"event\":", in: text.replacing(" ", with: "")) == 1)
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
