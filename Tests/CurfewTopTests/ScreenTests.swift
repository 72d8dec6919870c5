import CurfewWire
import Testing

@testable import CurfewTop

@Suite("The screen, line by line")
struct ScreenTests {
    private let now = Fixture.now
    private let second = Fixture.second

    @Test(
        "Every kind of app, to the letter",
        arguments: [(80, 24), (200, 50), (120, 30), (60, 16), (40, 10), (20, 5)] as [(Int, Int)])
    func kinds(columns: Int, rows: Int) {
        Fixture.expect(Fixture.lines(Fixture.kinds(), columns, rows), toBe: "kinds-\(columns)x\(rows)")
    }

    @Test("Without anything but ASCII")
    func ascii() {
        let lines = Fixture.lines(Fixture.kinds(), 80, 24, isUnicode: false)
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { (32..<127).contains($0) } })
        Fixture.expect(lines, toBe: "ascii-80x24")
    }

    @Test("What is selected, its tasks below")
    func details() {
        var model = Fixture.kinds()
        model.settle(rows: 17, at: now + second)
        for _ in 0..<3 { _ = model.press(.down) }
        #expect(model.selected == "backup")
        Fixture.expect(Fixture.lines(model, 80, 24), toBe: "backup-80x24")
        for _ in 0..<2 { _ = model.press(.down) }
        #expect(model.selected == "cache")
        Fixture.expect(Fixture.lines(model, 80, 24), toBe: "cache-80x24")
    }

    @Test("The picture in README.md and docs/top.md is such a screen", arguments: ["README.md", "docs/top.md"])
    func document(path: String) {
        var model = Fixture.kinds()
        model.settle(rows: 17, at: now + second)
        for _ in 0..<3 { _ = model.press(.down) }
        let text = Fixture.document(path)
        for line in Fixture.lines(model, 80, 24) {
            let line = Fixture.trimmed(line)
            #expect(line.isEmpty || text.contains(line + "\n"))
        }
    }

    @Test("Many apps, scrolled to the last")
    func many() {
        var model = Fixture.named((100..<200).map { "app\($0)" }, rows: 17)
        _ = model.press(.last)
        Fixture.expect(Fixture.lines(model, 80, 24), toBe: "many-80x24")
    }

    @Test(
        "Where a server has no app it is the server that is told of, as far as there is room",
        arguments: [
            (["home"], 80, "The server home has no app; `curfew launch -- COMMAND` starts one."),
            (["home"], 40, "The server home has no app."), (["home"], 20, "No app is running."),
            (["home", "work"], 80, "The servers home, work have no app; `curfew launch -- COMMAND` starts one."),
            ([], 80, "No app is running; `curfew run -- COMMAND` starts one, and it shows here."),
        ] as [([String], Int, String)])
    func emptyServer(servers: [String], columns: Int, text: String) {
        var model = Fixture.named([])
        model.servers = servers
        #expect(Fixture.lines(model, columns, 24).map(Fixture.trimmed).contains(text))
        model = Fixture.named(["mail"])
        model.servers = servers
        #expect(!Fixture.lines(model, columns, 24).map(Fixture.trimmed).contains(text))
    }

    @Test("No app, and none that matches")
    func none() {
        var model = Fixture.named([])
        Fixture.expect(Fixture.lines(model, 80, 24), toBe: "none-80x24")
        model = Fixture.kinds()
        model.filter = "xyz"
        Fixture.expect(Fixture.lines(model, 60, 16), toBe: "unmatched-60x16")
    }

    @Test("Help", arguments: [(80, 24), (40, 10)] as [(Int, Int)])
    func help(columns: Int, rows: Int) {
        var model = Fixture.kinds()
        _ = model.press(.character("?"))
        _ = model.press(.down)
        Fixture.expect(Fixture.lines(model, columns, rows), toBe: "help-\(columns)x\(rows)")
    }

    @Test("The last line: typing, asking, telling")
    func lastLine() {
        func last(_ keys: [TopKey], _ columns: Int = 80) -> String {
            var model = Fixture.named(["backup"])
            for key in keys { _ = model.press(key) }
            return Fixture.lines(model, columns, 24).last ?? ""
        }
        #expect(last([.character("/"), .character("a")]) == "Filter: a_   Enter keeps it, Esc shows all")
        #expect(last([.character("/"), .character("a")], 20) == "Filter: a_")
        #expect(
            last([.character("Q")], 100)
                == "End backup, and all that it has started? y ends it, any other key leaves it alone")
        #expect(last([.character("Q")], 50) == "End backup? y ends it, any other key doesn't")
        #expect(last([.character("Q")], 40) == "y ends backup")
        #expect(last([.character("s")]) == "sorted by name")
        #expect(last([], 40) == "h home  o open  Q quit  ? help  q leave")
        #expect(last([], 20) == "? help  q leave")
        #expect(last([], 3) == "?")
    }

    @Test("No line is wider than the screen, and there are as many as it has", arguments: 1...60)
    func fits(size: Int) {
        var model = Fixture.kinds()
        let long = String(repeating: "写", count: 70) + "\u{1b}[2J👨‍👩‍👧🇩🇪e\u{301}\u{301}"
        model.add(long)
        model.take(
            status: Fixture.status(long, "background", ["remaining": "1.0", "command": long, "notify-status": long]),
            tasks: [Fixture.task(1, long, age: "1.0")], of: long, at: now)
        for (columns, rows) in [(size, 24), (size * 5, size), (size, size), (80, size)] {
            for key in [nil, TopKey.character("?"), .character("/"), .character("Q")] {
                var model = model
                if let key { _ = model.press(key) }
                let lines = Fixture.lines(model, columns, rows)
                #expect(lines.count == rows)
                for line in lines {
                    #expect(CellText.width(CellText.cells(line)) <= columns)
                    #expect(!line.unicodeScalars.contains(where: Printable.isUnfit))
                }
            }
        }
    }

    @Test("Only the selected row is reversed, and in one look")
    func reversed() {
        var model = Fixture.kinds()
        let screen = TopScreen(columns: 80, rows: 24, isUnicode: true)
        model.settle(rows: screen.listRows, at: now)
        let reversed = screen.lines(of: model, at: now).filter { $0.parts.contains { $0.style == .reverse } }
        #expect(reversed.count == 1)
        #expect(reversed.first?.parts.count == 1)
        #expect(reversed.first?.text.hasPrefix(">editor") == true)
    }

    @Test("By the clock alone it changes when a time is told otherwise next")
    func nextChange() {
        let screen = TopScreen(columns: 80, rows: 24, isUnicode: true)
        func next(_ state: String, since: String, _ more: [String: String] = [:]) -> Int64? {
            let status = Fixture.status("a", state, more.merging(["since": since]) { $1 })
            return screen.nextChange(of: Fixture.model([(status, [])]), at: now).map { $0 - now }
        }
        #expect(next("suspended", since: "3.250") == 750_000_000)
        #expect(next("suspended", since: "90.000") == 30 * second)
        #expect(next("suspended", since: "7260.000") == 60 * second)
        #expect(next("suspended", since: "90000.000") == 3600 * second)
        #expect(next("background", since: "90000.000", ["remaining": "5.0"]) == second)
        #expect(screen.nextChange(of: TopModel(), at: now) == nil)
    }
}
