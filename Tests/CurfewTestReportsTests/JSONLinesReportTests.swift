import CurfewTestReports
import CurfewWire
import Foundation
import Testing

@Suite("JSON lines of a run")
struct JSONLinesReportTests {
    @Test("Each kind")
    func golden() {
        let lines = Samples.text(JSONLinesReport()).split(separator: "\n").map(String.init)
        #expect(lines.count == 10)
        #expect(lines[0] == #"{"kind":"began","count":4}"#)
        #expect(lines[1] == #"{"kind":"started","file":"tests/upload.curfew","name":"reclaim","line":3}"#)
        #expect(
            lines[2]
                == #"{"kind":"result","file":"tests/upload.curfew","name":"reclaim","line":3,"outcome":"passed","seconds":0.04}"#
        )
        #expect(
            lines[4]
                == #"{"kind":"result","file":"tests/upload.curfew","name":"comes back","line":9,"values":{"size":"1"},"#
                + #""outcome":"failed","seconds":5.25,"failure":{"line":12,"column":3,"statement":"await state suspended within 5s","#
                + #""neighbours":[{"number":11,"text":"  advance 9m55s"},{"number":12,"text":"  await state suspended within 5s"},"#
                + #"{"number":13,"text":"  open"}],"expected":"the app to be suspended","seen":"it is background, with 1 task open","#
                + #""events":["12:00:01 taskDidBegin task=1"],"output":["listening on 80","uploading"],"#
                + #""picture":"out/comes-back/timeline.svg"},"#
                + #""advances":[{"line":11,"seconds":590.0,"left":5.0,"state":"background","events":["taskDidBegin task=1"]}],"artifacts":"out/comes-back"}"#
        )
        #expect(
            lines[6]
                == #"{"kind":"result","file":"vim.curfew","name":"vim","line":1,"outcome":"skipped","seconds":0.0,"#
                + #""reason":"`test -x /usr/bin/vim` exited with 1"}"#)
        #expect(
            lines[8].contains(#""outcome":"broken","seconds":0.0,"failure":{"line":2,"column":1,"statement":"lanch","#))
        #expect(
            lines[9]
                == #"{"kind":"ended","passed":1,"failed":1,"skipped":1,"broken":1,"notRun":0,"seconds":5.5,"status":2}"#
        )
    }

    @Test("What is unknown isn't there; what interrupted is, and the round")
    func rare() {
        var report = JSONLinesReport()
        #expect(report.began(nil) == "{\"kind\":\"began\"}\n")
        #expect(report.ended(Samples.summary([], interruption: "SIGINT")).hasSuffix(",\"interruption\":\"SIGINT\"}\n"))
        let id = ScenarioID(file: "a", name: "b", line: 1, values: ["c=d=e", "f="], round: 7)
        #expect(
            report.started(id)
                == #"{"kind":"started","file":"a","name":"b","line":1,"values":{"c":"d=e","f":""},"round":7}"# + "\n")
    }

    @Test("Seconds to the microsecond")
    func seconds() {
        var report = JSONLinesReport()
        let text = report.finished(ScenarioResult(Samples.passed.id, .passed, seconds: 0.1 + 0.2 + 1e-9))
        #expect(text.hasSuffix(",\"seconds\":0.3}\n"))
        let endless = report.finished(ScenarioResult(Samples.passed.id, .passed, seconds: .infinity))
        #expect(endless.hasSuffix(",\"seconds\":9000000000.0}\n"))
    }

    @Test("Each key is in docs/json.md, and each that is there is written")
    func documented() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try String(contentsOfFile: "/\(root)/docs/json.md", encoding: .utf8)
        let section = try #require(
            text.split(separator: "\n## `curfew test --json`").last?.split(separator: "\n## ").first)
        // The first two columns of each row: `kind`'s are values, the others keys.
        let cells = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap {
            $0.split(separator: "|").prefix(2)
        }
        let words = cells.flatMap { $0.split(separator: "`", omittingEmptySubsequences: false).enumerated() }
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        let repeated = ScenarioResult(
            ScenarioID(file: "a", name: "b", line: 1, values: ["x=1"], round: 1), Samples.failed.outcome, seconds: 1)
        var keys: Set<String> = []
        for line in Samples.text(JSONLinesReport(), Samples.all + [repeated], interruption: "SIGINT").split(
            separator: "\n")
        {
            keys.formUnion(Self.keys(try JSON.parse(String(line))))
        }
        let notKeys: Set = [
            "began", "started", "result", "ended", "--until-failure", "--repeat", "--artifacts", "matrix",
            "curfew events",
            "curfew test", "skipped", "failed", "broken", "passed",
        ]
        // These are the samples' own.
        #expect(keys.subtracting(words) == ["x", "size"])
        #expect(Set(words).subtracting(keys).subtracting(notKeys) == [])
    }

    private static func keys(_ value: JSON) -> Set<String> {
        switch value {
        case .object(let members): members.reduce(into: []) { $0.formUnion(keys($1.value).union([$1.key])) }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(keys($1)) }
        default: []
        }
    }

    @Test("A reader gets back each text, a line each", arguments: Samples.hostile)
    func hostile(text: String) throws {
        var report = JSONLinesReport()
        let line = report.finished(Samples.hostile(text))
        #expect(line.unicodeScalars.filter { $0 == "\n" }.count == 1)
        let value = try JSON.parse(line)
        let failure = try #require(value["failure"])
        for (object, keys) in [
            (value, ["file", "name", "artifacts"]), (failure, ["statement", "expected", "seen", "picture"]),
        ] {
            for key in keys { #expect(object[key] == .string(text)) }
        }
        for key in ["events", "output"] { #expect(failure[key] == .array([.string(text)])) }
        #expect(value["values"]?["a"] == .string(text))
    }
}
