import CurfewWire
import Testing

@testable import CurfewTestReports

@Suite("Results read from JSON lines")
struct ResultReadingTests {
    private func line(_ result: ScenarioResult) -> String {
        var report = JSONLinesReport()
        return report.finished(result)
    }

    @Test("What was written is read as it was", arguments: Samples.all)
    func reads(result: ScenarioResult) {
        #expect(ScenarioResult(jsonLine: line(result)) == result)
    }

    @Test("Whatever its texts are", arguments: Samples.hostile)
    func hostile(text: String) {
        var result = Samples.hostile(text)
        result.id.values = ["a=\(text)", "b=c=d", "e="]
        result.id.round = 3
        #expect(ScenarioResult(jsonLine: line(result)) == result)
        #expect(ScenarioResult(jsonLine: line(ScenarioResult(result.id, .skipped(text), seconds: 0.5))) != nil)
    }

    @Test(
        "No other line is a result",
        arguments: [
            "", "{}", "[]", "1", #"{"kind":"result"}"#, #"{"kind":"started","file":"a","name":"b","line":1}"#,
            #"{"kind":"result","file":"a","name":"b","line":1,"outcome":"failed","seconds":1}"#,
            #"{"kind":"result","file":"a","name":"b","line":1,"outcome":"won","seconds":1}"#,
            #"{"kind":"result","file":"a","name":"b","line":1,"outcome":"passed"}"#,
            #"{"kind":"result","file":"a","name":"b","line":1.5,"outcome":"passed","seconds":1}"#,
            #"{"kind":"result","file":"a","name":"b","line":1,"outcome":"broken","seconds":1,"failure":{"line":1}}"#,
        ])
    func others(line: String) {
        #expect(ScenarioResult(jsonLine: line) == nil)
    }

    @Test("A line that was cut off is none, wherever", arguments: Samples.all)
    func cut(result: ScenarioResult) {
        let whole = line(result).dropLast()
        for count in 0..<whole.count { #expect(ScenarioResult(jsonLine: String(whole.prefix(count))) == nil) }
    }

    @Test(
        "Folders' names",
        arguments: [
            ("tests/upload.curfew", "comes back", ["size=1"], 0, "upload-comes_back-size_1-"),
            ("tests/upload.curfew", "upload", [], 2, "upload-"), ("upload.curfew", "upload.curfew", [], 0, "upload-"),
            ("..", "..", [], 0, "_-"), ("", "", [], 0, ""), ("a", "ü/\u{0}\n", [], 0, "a-____-"),
            (".curfew", ".", [], 0, "_-"),
        ] as [(String, String, [String], Int, String)])
    func folders(file: String, name: String, values: [String], round: Int, start: String) {
        let folder = ScenarioID(file: file, name: name, line: 1, values: values, round: round).folderName
        #expect(folder.hasPrefix(start))
        #expect(folder.dropFirst(start.count).wholeMatch(of: round > 0 ? /[0-9a-f]{8}-2/ : /[0-9a-f]{8}/) != nil)
    }

    @Test("Each scenario has a folder of its own, that every file system takes")
    func unique() {
        var ids = ["a", "b"].flatMap { folder in
            (0..<500).map {
                ScenarioID(file: "\(folder)/x.curfew", name: "n", line: 1, values: ["v=\($0 / 2)"], round: $0 % 2 + 1)
            }
        }
        ids += [("a-b", "c"), ("a", "b-c"), ("a b", "c"), ("a_b", "c")].map {
            ScenarioID(file: $0.0 + ".curfew", name: $0.1, line: 1)
        }
        #expect(Set(ids.map(\.folderName)).count == ids.count)
        let long = ScenarioID(
            file: String(repeating: "é", count: 9_000), name: String(repeating: "/", count: 9_000), line: 1, round: .max
        )
        #expect(long.folderName.utf8.count < 128)
    }
}
