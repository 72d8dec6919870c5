import Testing

@testable import CurfewTimeline

@Suite("Scales, words and places in the picture")
struct DrawingTests {
    @Test(
        "An axis has two to ten named times, each its own, from ten nanoseconds to ten years",
        arguments: (1...17).flatMap { power in
            let length = (0..<power).reduce(Int64(1)) { product, _ in product * 10 }
            return [length, length * 3, length * 7]
        })
    func ticks(length: Int64) {
        let ticks = TimeScale(from: 5, to: 5 + length, left: 0, width: 100).ticks
        #expect((2...11).contains(ticks.count))
        #expect(Set(ticks.map(\.label)).count == ticks.count)
        #expect(ticks[0].label == "0")
    }

    @Test("Named times are round, with their unit")
    func labels() {
        func labels(_ length: Int64) -> [String] {
            Array(TimeScale(from: 0, to: length, left: 0, width: 100).ticks.map(\.label).prefix(3))
        }
        #expect(labels(10_000_000) == ["0", "1 ms", "2 ms"])
        #expect(labels(5_000_000_000) == ["0", "0.5 s", "1 s"])
        #expect(labels(100_000_000_000) == ["0", "10 s", "20 s"])
        #expect(labels(240_000_000_000) == ["0", "30 s", "1 min"])
        #expect(labels(36_000_000_000_000) == ["0", "1 h", "2 h"])
        #expect(labels(40_000_000_000_000) == ["0", "2 h", "4 h"])
    }

    @Test("A run of no length has a place")
    func noLength() {
        let scale = TimeScale(from: 7, to: 7, left: 10, width: 100)
        #expect(scale.x(7) == 10)
        #expect(scale.ticks.count == 2)
    }

    @Test(
        "Elapsed time in words",
        arguments: [
            (0, "0 s"), (1, "1 ns"), (1_500, "1.5 µs"), (12_345_678, "12.3 ms"), (1_683_400_000, "1.683 s"),
            (60_000_000_000, "1 min"), (63_450_000_000, "1 min 3.4 s"), (3_725_900_000_000, "1 h 2 min 5 s"),
            (90_000_000_000_000, "1 d 1 h"), (-1_000_000, "-1 ms"),
        ] as [(Int64, String)])
    func elapsed(nanoseconds: Int64, words: String) { #expect(ElapsedText.text(nanoseconds) == words) }

    @Test(
        "Moments of the calendar",
        arguments: [
            (0, "1970-01-01 00:00:00.000 UTC"), (951_782_400, "2000-02-29 00:00:00.000 UTC"),
            (1_763_729_109, "2025-11-21 12:45:09.000 UTC"), (4_102_444_799, "2099-12-31 23:59:59.000 UTC"),
        ] as [(Int64, String)])
    func calendar(seconds: Int64, words: String) { #expect(CalendarText.text(seconds * 1_000_000_000) == words) }

    @Test("Words are cut where they don't fit, and broken at blanks")
    func width() {
        #expect(TextWidth.cut("upload", to: 100) == "upload")
        #expect(TextWidth.cut("upload", to: 30) == "upl…")
        #expect(TextWidth.cut("upload", to: 20) == "")
        #expect(TextWidth.of("漢字") == 4 * TextWidth.small)
        #expect(TextWidth.wrapped("one two three four", to: 60, lines: 3) == ["one two", "three", "four"])
        #expect(TextWidth.wrapped("one two three four", to: 60, lines: 2) == ["one two", "three f…"])
        #expect(TextWidth.wrapped("", to: 60, lines: 2) == [])
    }

    @Test("Tasks that overlap have rows of their own")
    func rows() {
        func bar(_ from: Int64, _ to: Int64) -> AppRun.TaskBar {
            .init(number: 1, name: "", from: from, to: to, outcome: .ended)
        }
        #expect(TaskRows.pack([bar(0, 5), bar(1, 3), bar(3, 9), bar(5, 6)]) == [0, 1, 1, 0])
    }

    private func layout(_ times: [Double], _ names: [String] = []) -> (MarkLayout, [AppRun.Mark]) {
        let marks = times.enumerated().map { index, time in
            AppRun.Mark(
                time: Int64(time * 1e9), name: index < names.count ? names[index] : "didBecomeReady", fields: [])
        }
        return (MarkLayout(marks, TimeScale(from: 0, to: 100_000_000_000, left: 92, width: 844)), marks)
    }

    @Test("No label lies upon another, or on another's line", arguments: 1...100)
    func overlaps(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        let count = Int.random(in: 1...300, using: &generator)
        let times = (0..<count).map { _ in Double.random(in: 0...100, using: &generator) }.sorted()
        let names = times.map { _ in
            ["willKill", "memoryWarning", "didBecomeReady", "didBecomeAware"].randomElement(using: &generator) ?? ""
        }
        let (layout, _) = layout(times, names)
        let placed = layout.drawn.compactMap { drawn in
            drawn.row.map { row in
                let width = TextWidth.of(drawn.label)
                let from = drawn.isLeftOf ? drawn.x - 4 - width : drawn.x + 4
                return (row: row, from: from, to: from + width, x: drawn.x)
            }
        }
        #expect(!placed.isEmpty)
        for (index, one) in placed.enumerated() {
            #expect(one.from >= 0 && one.to <= SVGPicture.width)
            for other in placed[(index + 1)...] {
                if one.row == other.row { #expect(one.to < other.from || other.to < one.from) }
                let (near, far) = one.row < other.row ? (one, other) : (other, one)
                if near.row < far.row { #expect(far.x < near.from || far.x > near.to) }
            }
        }
    }

    @Test("A handful of marks are all named")
    func allNamed() {
        let (layout, _) = layout([0, 7, 12, 19, 40, 41, 95, 99], ["memoryWarning"])
        #expect(layout.named == 8)
    }

    @Test("Marks at one place are one mark, the most important of them")
    func gathered() {
        let (layout, marks) = layout([10, 10.01, 10.02, 50], ["didBecomeReady", "willKill", "isStopping"])
        #expect(layout.drawn.count == 2)
        #expect(marks[layout.drawn[0].index].name == "willKill")
        #expect(layout.drawn[0].others.sorted() == [0, 2])
        #expect(layout.drawn[0].label == "willKill +2")
    }

    @Test("A line is thinned to what a picture shows, and keeps its peaks")
    func thinned() {
        let samples = (0..<100_000).map { AppRun.Sample(time: Int64($0), value: $0 == 777 ? 1_000 : Int64($0 % 7)) }
        let kept = SampleLine.thinned(samples, TimeScale(from: 0, to: 100_000, left: 0, width: 844))
        #expect(kept.count <= 4 * 846)
        #expect(kept.map(\.value).max() == 1_000)
        #expect(kept.first == samples.first)
        #expect(kept.last == samples.last)
        #expect(SampleLine.thinned(Array(samples.prefix(3)), TimeScale(from: 0, to: 3, left: 0, width: 1)).count == 3)
    }

    @Test("Text can't end an element or an attribute")
    func escape() {
        #expect(Markup.escape("<a href='x'>&\"") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;")
        #expect(Markup.escape("a\u{0}b\u{202e}c\u{ffff}") == "a\\x00b\\u{202e}c\u{fffd}")
    }

    @Test("Coordinates have one decimal at most")
    func numbers() {
        #expect([0, 1.25, -0.04, -0.05, -3.5, 10].map(Markup.number) == ["0", "1.3", "0", "-0.1", "-3.5", "10"])
    }
}
