import CurfewTestReports
import CurfewWire
import Testing

@Suite("GitHub's annotations")
struct GitHubAnnotationsTests {
    @Test(
        "A path is the repository's, wherever in it we are",
        arguments: [("a.curfew", "app/a.curfew"), ("./a.curfew", "app/a.curfew"), ("/x/a.curfew", "/x/a.curfew")])
    func folder(file: String, told: String) {
        let failure = Failure(line: 2, column: 1, statement: "", expected: "", seen: "no")
        let result = ScenarioResult(ScenarioID(file: file, name: "n", line: 1), .failed(failure), seconds: 0)
        #expect(Samples.text(GitHubAnnotations(folder: "app/"), [result]).hasPrefix("::error file=\(told),line=2,"))
    }

    @Test("One for each that failed or couldn't be run, none for the others")
    func golden() {
        let golden = """
            ::error file=tests/upload.curfew,line=12,col=3,title=tests/upload.curfew%3A comes back [size=1]::\
            await state suspended within 5s%0Aexpected: the app to be suspended%0Aseen: it is background, with 1 task open
            ::error file=bad.curfew,line=2,col=1,title=bad.curfew::lanch%0Aseen: there is no statement "lanch"

            """
        #expect(Samples.text(GitHubAnnotations()) == golden)
    }

    @Test("A path is the repository's, a place that is unknown isn't there")
    func path() {
        let failure = Failure(line: 0, column: 3, statement: "", expected: "", seen: "no room")
        let result = ScenarioResult(ScenarioID(file: "././a.curfew", name: "a", line: 1), .broken(failure), seconds: 0)
        #expect(
            Samples.text(GitHubAnnotations(), [result]) == "::error file=a.curfew,title=././a.curfew::seen: no room\n")
    }

    @Test("The runner gets back each text, from one command", arguments: Samples.hostile)
    func hostile(text: String) throws {
        let written = Samples.text(GitHubAnnotations(), [Samples.hostile(text)])
        #expect(written.hasSuffix("\n"))
        let line = written.dropLast()
        #expect(!line.unicodeScalars.contains(where: Printable.isUnfit))
        let parts = line.dropFirst("::error ".count).split(
            separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        let properties = parts[0].split(separator: ",", omittingEmptySubsequences: false)
        #expect(properties.count == 4)
        // Control characters are made visible, all but the two that have an escape here.
        let shown = String.UnicodeScalarView(
            text.unicodeScalars.flatMap {
                $0 == "\n" || $0 == "\r" ? [$0] : Array(Printable.text(String($0)).unicodeScalars)
            })
        #expect(Self.unescaped(properties[0]) == "file=" + String(shown))
        let message = try #require(parts.last)
        #expect(Self.unescaped(message).hasSuffix(text.isEmpty ? "" : "seen: " + String(shown)))
    }

    /// As the runner does it.
    private static func unescaped(_ text: Substring) -> String {
        var text = String(text)
        for (escape, character) in [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")] {
            text = text.replacing(escape, with: character)
        }
        return text
    }
}
