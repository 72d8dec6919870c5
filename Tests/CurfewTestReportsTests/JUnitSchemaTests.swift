import Foundation
import FoundationXML
import Testing

@testable import CurfewTestReports

/// Reads a file with a parser that isn't ours, and holds it to what the schemas of Jenkins' xUnit plugin and of its JUnit plugin allow both.
@Suite("JUnit, as others read it")
struct JUnitSchemaTests {
    @Test("Each outcome is valid")
    func valid() throws {
        try check(Samples.text(JUnitReport(timestamp: "2026-11-22T21:45:00")))
        try check(Samples.text(JUnitReport(timestamp: "2026-11-22T21:45:00"), [], interruption: "SIGINT"))
        try check(Samples.text(JUnitReport(timestamp: "2026-11-22T21:45:00"), []))
    }

    @Test("Whatever names and outputs are, and others read our texts as they were", arguments: Samples.hostile)
    func hostile(text: String) throws {
        let outline = try check(Samples.text(JUnitReport(timestamp: "2026-11-22T21:45:00"), [Samples.hostile(text)]))
        let expected = JUnitDocument.Case(Samples.hostile(text))
        let document = JUnitDocument([.init(name: "", timestamp: "", [expected])]).replacingWhatXMLCannotHold
        #expect(outline.attributes["testcase"]?["name"] == document.suites[0].cases[0].name)
        #expect(outline.texts["system-out"] == document.suites[0].cases[0].output)
    }

    @Test("The check itself finds what isn't allowed")
    func finds() {
        #expect(!Outline("<testsuites></testsuite>").isWellFormed)
        let testcase =
            "<testsuites><testsuite name=\"\" tests=\"0\" failures=\"0\" errors=\"0\"><testcase name=\"\" file=\"\"/></testsuite></testsuites>"
        #expect(Outline(testcase).problems == ["testcase has file="])
        #expect(Outline("<testsuites><testcase name=\"\"/></testsuites>").problems == ["testcase in testsuites"])
        #expect(Outline("<testsuites><testsuite name=\"\"/></testsuites>").problems.count == 3)
    }

    @discardableResult
    private func check(_ text: String) throws -> Outline {
        let outline = Outline(text)
        try #require(outline.isWellFormed)
        #expect(outline.problems == [])
        return outline
    }
}

/// What a document holds, and what of it no schema knows.
private final class Outline: NSObject, XMLParserDelegate {
    /// Each element: where it may stand, which attributes it must and may have.
    private static let schema: [String: (parents: Set<String>, required: Set<String>, optional: Set<String>)] = [
        "testsuites": ([""], [], ["name", "tests", "failures", "errors", "time"]),
        "testsuite": (["testsuites"], ["name", "tests", "failures", "errors"], ["skipped", "time", "timestamp"]),
        "testcase": (["testsuite"], ["name"], ["classname", "time"]),
        "failure": (["testcase"], [], ["message", "type"]),
        "error": (["testcase"], [], ["message", "type"]),
        "skipped": (["testcase"], [], ["message"]),
        "system-out": (["testcase"], [], []),
    ]

    private(set) var isWellFormed = false
    private(set) var problems: [String] = []
    /// Of the last element of a name.
    private(set) var attributes: [String: [String: String]] = [:]
    private(set) var texts: [String: String] = [:]
    private var path: [String] = []

    init(_ text: String) {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        isWellFormed = parser.parse()
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        defer { path.append(name) }
        self.attributes[name] = attributes
        texts[name] = ""
        guard let rule = Self.schema[name] else { return problems.append("there is no \(name)") }
        if !rule.parents.contains(path.last ?? "") { problems.append("\(name) in \(path.last ?? "nothing")") }
        for key in attributes.keys.sorted() where !rule.required.contains(key) && !rule.optional.contains(key) {
            problems.append("\(name) has \(key)=")
        }
        for key in rule.required.sorted() where attributes[key] == nil { problems.append("\(name) has no \(key)=") }
        // Of the stricter of both: "1,234.5", without sign or exponent.
        if let time = attributes["time"], time.wholeMatch(of: /[0-9]+\.[0-9]+/) == nil {
            problems.append("time \(time)")
        }
        for key in ["tests", "failures", "errors", "skipped"] {
            if let count = attributes[key], Int(count) == nil { problems.append("\(key) \(count)") }
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if let name = path.last { texts[name, default: ""] += string }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        path.removeLast()
    }
}
