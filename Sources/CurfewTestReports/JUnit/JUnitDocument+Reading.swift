import CurfewWire

extension JUnitDocument {
    /// Reads what `text` has written, and nothing else: an element, an attribute or a count that isn't ours is an error, so that nothing
    /// is lost by reading.
    /// - Throws: `FileProblem`, with line and column.
    public static func read(_ bytes: [UInt8]) throws(FileProblem) -> JUnitDocument {
        let root = try XMLReader.read(bytes)
        try root.expect("testsuites", ["name", "tests", "failures", "errors", "time"])
        var document = JUnitDocument()
        for child in root.children { document.suites.append(try Suite(child)) }
        try root.check(Counts(document.suites.lazy.flatMap(\.cases)))
        return document
    }
}

extension JUnitDocument.Suite {
    fileprivate init(_ element: XMLElement) throws(FileProblem) {
        try element.expect("testsuite", ["name", "tests", "failures", "errors", "skipped", "time", "timestamp"])
        self.init(name: try element.attribute("name"), timestamp: try element.attribute("timestamp"))
        for child in element.children { cases.append(try JUnitDocument.Case(child)) }
        try element.check(JUnitDocument.Counts(cases))
    }
}

extension JUnitDocument.Case {
    fileprivate init(_ element: XMLElement) throws(FileProblem) {
        try element.expect("testcase", ["classname", "name", "time"])
        guard let time = Seconds.parse(try element.attribute("time")), time >= 0, time < .max else {
            throw element.problem("its time is no number of seconds")
        }
        self.init(
            className: try element.attribute("classname"), name: try element.attribute("name"), nanoseconds: time,
            .passed)
        for child in element.children { try take(child) }
    }

    private mutating func take(_ child: XMLElement) throws(FileProblem) {
        if child.name == "system-out", output.isEmpty {
            try child.expect("system-out", [], hasText: true)
            output = child.text
        } else if case .passed = outcome {
            outcome = try JUnitDocument.Outcome(child)
        } else {
            throw child.problem("<\(child.name)> is one outcome too many")
        }
    }
}

extension JUnitDocument.Outcome {
    fileprivate init(_ element: XMLElement) throws(FileProblem) {
        guard ["failure", "error", "skipped"].contains(element.name) else {
            throw element.problem("<\(element.name)> isn't what curfew test writes there")
        }
        try element.expect(element.name, ["message"], hasText: element.name != "skipped")
        let message = try element.attribute("message")
        switch element.name {
        case "failure": self = .failed(message: message, text: element.text)
        case "error": self = .broken(message: message, text: element.text)
        default: self = .skipped(message)
        }
    }
}

extension XMLElement {
    /// This name, these attributes and no others, and text only where some can be.
    fileprivate func expect(_ name: String, _ known: Set<String>, hasText: Bool = false) throws(FileProblem) {
        guard self.name == name else { throw problem("<\(self.name)> stands where <\(name)> should") }
        for key in attributes.keys.sorted() where !known.contains(key) {
            throw problem("<\(name)> has \(key)=, which curfew test doesn't write")
        }
        if hasText, !children.isEmpty { throw problem("<\(name)> has elements") }
        if !hasText, !text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x0a }) { throw problem("<\(name)> has text") }
    }

    fileprivate func attribute(_ key: String) throws(FileProblem) -> String {
        guard let value = attributes[key] else { throw problem("<\(name)> has no \(key)=") }
        return value
    }

    /// Whether it counts as it says: half a file isn't taken for a whole one.
    fileprivate func check(_ counts: JUnitDocument.Counts) throws(FileProblem) {
        for (key, count) in [("tests", counts.tests), ("failures", counts.failures), ("errors", counts.errors)] {
            let said = try attribute(key)
            guard said == String(count) else { throw problem("<\(name)> says \(key)=\"\(said)\", and holds \(count)") }
        }
    }
}
