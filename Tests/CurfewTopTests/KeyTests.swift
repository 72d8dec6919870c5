import CurfewWire
import Testing

@testable import CurfewTop

@Suite("Keys, and what is answered")
struct KeyTests {
    private let now = Fixture.now

    @Test(
        "A letter asks the selected app's supervisor",
        arguments: [("h", TopRequest.Verb.home), ("o", .open), ("w", .warn)] as [(Unicode.Scalar, TopRequest.Verb)])
    func asks(key: Unicode.Scalar, verb: TopRequest.Verb) {
        var model = Fixture.named(["a", "b"])
        _ = model.press(.character("j"))
        #expect(model.press(.character(key)) == .ask(TopRequest(verb, "b")))
    }

    @Test("Nobody is asked where nothing is listed", arguments: ["h", "o", "w", "Q"] as [Unicode.Scalar])
    func nobody(key: Unicode.Scalar) {
        var model = Fixture.named([])
        #expect(model.press(.character(key)) == .none)
        #expect(model.message == "no app is selected: none is listed")
        #expect(model.mode == .list)
    }

    @Test("Quitting asks first", arguments: ["y", "Y"] as [Unicode.Scalar])
    func quits(yes: Unicode.Scalar) {
        var model = Fixture.named(["a"])
        #expect(model.press(.character("Q")) == .none)
        #expect(model.mode == .confirming(TopRequest(.quit, "a")))
        #expect(model.press(.character(yes)) == .ask(TopRequest(.quit, "a")))
        #expect(model.mode == .list)
    }

    @Test(
        "Any other key leaves it alone",
        arguments: [.character("n"), .character("q"), .character("Q"), .enter, .escape, .down] as [TopKey])
    func spares(key: TopKey) {
        var model = Fixture.named(["a"])
        _ = model.press(.character("Q"))
        #expect(model.press(key) == .none)
        #expect(model.message == "a was left alone")
        #expect(model.mode == .list)
    }

    @Test("Who ends while it is asked about isn't asked about any more")
    func endsMeanwhile() {
        var model = Fixture.named(["a", "b"])
        _ = model.press(.character("Q"))
        model.remove("b")
        #expect(model.mode == .confirming(TopRequest(.quit, "a")))
        model.remove("a")
        #expect(model.mode == .list)
        #expect(model.message == "a has ended")
    }

    @Test("q leaves, but not where text is typed")
    func leaves() {
        var model = Fixture.named(["a"])
        #expect(model.press(.character("q")) == .leave)
        _ = model.press(.character("/"))
        #expect(model.press(.character("q")) == .none)
        #expect(model.filter == "q")
    }

    @Test("Filtering: text, a letter back, kept, and all again")
    func filters() {
        var model = Fixture.named(["a"])
        _ = model.press(.character("/"))
        for letter in "wéb".unicodeScalars { _ = model.press(.character(letter)) }
        #expect(model.filter == "wéb")
        _ = model.press(.backspace)
        _ = model.press(.character("\u{1}"))
        #expect(model.filter == "wé")
        _ = model.press(.enter)
        #expect(model.mode == .list)
        #expect(model.filter == "wé")
        _ = model.press(.escape)
        #expect(model.filter == "")
    }

    @Test("Filtering ends with Esc, and with one backspace too many")
    func filterEnds() {
        var model = Fixture.named(["a"])
        for key in [TopKey.escape, .backspace] {
            _ = model.press(.character("/"))
            #expect(model.press(key) == .none)
            #expect(model.mode == .list)
            #expect(model.filter == "")
        }
    }

    @Test("A filter has an end")
    func filterIsBounded() {
        var model = Fixture.named(["a"])
        _ = model.press(.character("/"))
        for _ in 0..<1000 { _ = model.press(.character("x")) }
        #expect(model.filter.count == 64)
    }

    @Test("Help is left by any key but those that scroll it")
    func help() {
        var model = Fixture.named(["a"])
        _ = model.press(.character("?"))
        _ = model.press(.down)
        #expect(model.mode == .help(1))
        for _ in 0..<100 { _ = model.press(.character("j")) }
        #expect(model.mode == .help(HelpPage.lines.count - 1))
        for _ in 0..<100 { _ = model.press(.character("k")) }
        #expect(model.mode == .help(0))
        #expect(model.press(.character("q")) == .none)
        #expect(model.mode == .list)
    }

    @Test(
        "A key that means nothing says so",
        arguments: [("x", "x"), ("\u{2}", "that key")] as [(Unicode.Scalar, String)])
    func unknown(key: Unicode.Scalar, name: String) {
        var model = Fixture.named(["a"])
        #expect(model.press(.character(key)) == .none)
        #expect(model.message == "\(name) does nothing; ? tells of keys")
    }

    @Test("Ctrl-L draws anew")
    func drawsAnew() {
        var model = Fixture.named(["a"])
        #expect(model.press(.character("\u{c}")) == .drawAnew)
    }

    @Test(
        "What was done is told in words",
        arguments: [
            (TopRequest.Verb.home, "a is home: suspended now"), (.open, "a is open: suspended now"),
            (.warn, "a was told that memory runs short"), (.quit, "a was told to end, and is killed if it doesn't"),
        ] as [(TopRequest.Verb, String)])
    func done(verb: TopRequest.Verb, words: String) {
        var model = Fixture.named(["a"])
        model.answer(to: TopRequest(verb, "a"), Message("ok", [Field("state", "suspended")]))
        #expect(model.message == words)
        _ = model.press(.up)
        #expect(model.message == nil)
    }

    @Test("So is what was refused, and why, and what wasn't answered")
    func refused() {
        var model = Fixture.named(["a"])
        let fields = [Field("code", "suspended"), Field("message", "it is stopped")]
        model.answer(to: TopRequest(.warn, "a"), Message("error", fields))
        #expect(model.message == "a: warn was refused (suspended): it is stopped")
        model.noAnswer(to: TopRequest(.home, "a"))
        #expect(model.message == "a: its supervisor doesn't answer home; a is as it was")
    }
}
