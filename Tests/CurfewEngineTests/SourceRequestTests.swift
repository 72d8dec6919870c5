import CurfewWire
import Testing

@testable import CurfewEngine

@Suite("A line of a source")
struct SourceRequestTests {
    /// As it is asked, or why it isn't.
    private static func read(_ line: String) -> String { read(Array(line.utf8)) }

    private static func read(_ line: [UInt8]) -> String {
        do throws(SourceRequest.Problem) {
            return try SourceRequest.parse(line)?.message(for: "mail", id: 7).line ?? "nothing"
        } catch {
            return "refused: \(error.text)"
        }
    }

    @Test(
        "What it may ask for goes on as it is",
        arguments: [
            ("open app=mail", "open id=7 app=mail"), ("home app=mail", "home id=7 app=mail"),
            ("home", "home id=7 app=mail"),
            ("warn app=mail", "warn id=7 app=mail"),
            ("warn app=mail level=critical", "warn id=7 app=mail level=critical"),
            ("post app=mail name=tick", "post id=7 app=mail name=tick"),
            (
                "  post name=tick  app=mail info.a=1 info.b=\"x y\"",
                "post id=7 app=mail name=tick info.a=1 info.b=\"x y\""
            ),
            ("wake app=mail name=fetch info.why=\"a\\nb\"", "wake id=7 app=mail name=fetch info.why=\"a\\nb\""),
            ("", "nothing"), ("   ", "nothing"), ("open app=mail\r", "open id=7 app=mail"),
        ])
    func asked(line: String, request: String) { #expect(Self.read(line) == request) }

    @Test("By the number of a process it is the name that is asked for")
    func byPid() throws {
        let request = try #require(try SourceRequest.parse(Array("open app=4711".utf8)))
        #expect(request.app == "4711")
        #expect(request.message(for: "mail", id: 1).line == "open id=1 app=mail")
        #expect(request.description == "open app=4711")
    }

    @Test(
        "No other request is one, whatever stands behind it",
        arguments: ControlVerb.allCases.filter { SourceVerb(rawValue: $0.rawValue) == nil }.map(\.rawValue)
            + ["rubbish", "Open", "opens", "ok", "error"])
    func others(verb: String) {
        let refusal = "refused: a source may ask for \(SourceVerb.listed)"
        #expect(Self.read(verb) == refusal)
        #expect(Self.read("\(verb) app=mail name=tick") == refusal)
    }

    @Test("Every verb of a source is one of the channel's, and is listed")
    func verbs() {
        for verb in SourceVerb.allCases {
            #expect(ControlVerb(rawValue: verb.rawValue)?.isAllowed(for: .operator) == true)
            #expect(SourceVerb.listed.contains(verb.rawValue))
        }
        #expect(SourceVerb.listed.hasSuffix(" and \(SourceVerb.allCases.last?.rawValue ?? "")"))
    }

    @Test(
        "A field that its request doesn't have, or one twice, makes it none",
        arguments: [
            ("open app=mail app=bank", "app= stands there twice"), ("open app=mail name=x", "open takes no name="),
            ("open app=mail id=1", "open takes no id="), ("home level=critical", "home takes no level="),
            ("post app=mail name=a name=b", "name= stands there twice"),
            ("post app=mail name=a option.x=1", "post takes no option.x="),
            ("push app=mail order=x", "push takes no order="), ("push payload=x", "push needs app=NAME"),
            ("warn app=mail info.a=1", "warn takes no info.a="),
            ("open", "open needs app=NAME"), ("post name=tick", "post needs app=NAME"),
        ])
    func refused(line: String, why: String) { #expect(Self.read(line) == "refused: \(why)") }

    @Test("What is no line of the protocol is told with the byte where it stops to be one")
    func malformed() {
        #expect(Self.read("open app") == "refused: a key has no '=' and value, at byte 8")
        #expect(Self.read("open app=\"mail") == "refused: a quote is not closed, at byte 9")
        #expect(Self.read(Array("open app=".utf8) + [0xff]) == "refused: invalid UTF-8, at byte 9")
        #expect(Self.read(Array("open app=a".utf8) + [0]) == "refused: a control character is not escaped, at byte 10")
    }

    /// A value that somebody else has chosen.
    @Test("No value makes another request, or another app's, of one", arguments: 0..<200)
    func values(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pieces = ["\n", "\r", "\"", "\\", " ", "=", "app=bank", "open", "\0", "ü", "\u{2028}", "x"]
        let value = (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
        let line = Message("post", [Field("app", "mail"), Field("name", "tick"), Field("info.payload", value)]).line
        #expect(!line.utf8.contains(10))
        let request = try #require(try SourceRequest.parse(Array(line.utf8)))
        #expect(request.verb == .post)
        #expect(request.app == "mail")
        #expect(request.fields == [Field("name", "tick"), Field("info.payload", value)])
    }

    @Test("Whatever comes, it is a request of a source's for one app, or none", arguments: 0..<300)
    func rubbish(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let words = [
            "open", "home", "post", "wake", "warn", "stop", "launch", " app=mail", " name=a", " info.x=1", "\"", " ",
        ]
        for _ in 0..<30 {
            var line = (0..<random.below(8)).flatMap { _ in Array(random.pick(words).utf8) }
            if random.chance(50) { line += random.bytes(upTo: 40) }
            guard let request = try? SourceRequest.parse(line) else { continue }
            #expect(request.app != nil || request.verb == .home)
            #expect(Set(request.fields.map(\.key)).count == request.fields.count)
            #expect(!request.fields.contains { $0.key == "app" || $0.key == "id" })
        }
    }
}
