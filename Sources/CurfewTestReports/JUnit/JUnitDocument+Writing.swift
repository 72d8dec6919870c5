import CurfewWire

extension JUnitDocument {
    /// The whole file. What XML can't hold is replaced by U+FFFD. A time is what all below took together, in seconds.
    public var text: String {
        let all = Counts(suites.lazy.flatMap(\.cases))
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        // No `skipped`: the schema has none for all suites together.
        text +=
            "<testsuites name=\"curfew test\" tests=\"\(all.tests)\" failures=\"\(all.failures)\" errors=\"\(all.errors)\""
        text += " time=\"\(Seconds.text(nanoseconds: all.nanoseconds))\">\n"
        for suite in suites { suite.write(into: &text) }
        return text + "</testsuites>\n"
    }
}

extension JUnitDocument.Suite {
    fileprivate func write(into text: inout String) {
        let counts = JUnitDocument.Counts(cases)
        text += "  <testsuite name=\"\(XML.attribute(name))\" tests=\"\(counts.tests)\" failures=\"\(counts.failures)\""
        text += " errors=\"\(counts.errors)\" skipped=\"\(counts.skipped)\""
        text +=
            " time=\"\(Seconds.text(nanoseconds: counts.nanoseconds))\" timestamp=\"\(XML.attribute(timestamp))\">\n"
        for one in cases { one.write(into: &text) }
        text += "  </testsuite>\n"
    }
}

extension JUnitDocument.Case {
    fileprivate func write(into text: inout String) {
        text += "    <testcase classname=\"\(XML.attribute(className))\" name=\"\(XML.attribute(name))\""
        text += " time=\"\(Seconds.text(nanoseconds: nanoseconds))\">\n"
        switch outcome {
        case .passed: break
        case .failed(let message, let body): write("failure", message, body, into: &text)
        case .broken(let message, let body): write("error", message, body, into: &text)
        case .skipped(let why): text += "      <skipped message=\"\(XML.attribute(why))\"></skipped>\n"
        }
        if !output.isEmpty { text += "      <system-out>\(XML.text(output))</system-out>\n" }
        text += "    </testcase>\n"
    }

    private func write(_ element: String, _ message: String, _ body: String, into text: inout String) {
        text += "      <\(element) message=\"\(XML.attribute(message))\">\(XML.text(body))</\(element)>\n"
    }
}
